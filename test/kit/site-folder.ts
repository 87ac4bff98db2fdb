import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The temporary folder of a site. */
export interface SiteFolder {
  readonly path: string
  remove(): void
}

/** Parent of the folders of this process's sites. It is removed when the process ends. */
let parent: string | undefined
let created = 0

export function createSiteFolder(): SiteFolder {
  parent ??= createParent()
  created += 1
  const path = join(parent, String(created))
  mkdirSync(path, { recursive: true })
  return { path, remove: () => removeFolder(path) }
}

/** Removes a folder. Most sites leave it empty, and `rmdir` of an empty folder takes a tenth of the time. */
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
