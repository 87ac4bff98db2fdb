import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A temporary folder of one site. */
export interface SiteFolder {
  readonly path: string
  remove(): void
}

/** Folder below which the sites of this process have theirs. It is removed when the process ends. */
let parent: string | undefined
let created = 0

export function createSiteFolder(): SiteFolder {
  parent ??= createParent()
  created += 1
  const path = join(parent, String(created))
  mkdirSync(path, { recursive: true })
  return { path, remove: () => removeFolder(path) }
}

/** Most sites leave their folder empty, and to remove an empty one takes a tenth of the time. */
function removeFolder(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    rmSync(path, { recursive: true, force: true })
  }
}

function createParent(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-rest-test-'))
  process.once('exit', () => rmSync(path, { recursive: true, force: true }))
  return path
}
