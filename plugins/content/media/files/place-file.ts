import { link, mkdir, mkdtemp, open, opendir, rename, rm, stat, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { PRIVATE_FILE, PRIVATE_FOLDER, type SiteConfig } from '../../../../kernel/index.ts'
import { hasEnded, thisProcess } from './process-id.ts'

/** Permissions of what is made among the uploads. */
export interface Modes {
  folder: number
  file: number
}

const SHARED: Modes = { folder: 0o755, file: 0o644 }
const PRIVATE: Modes = { folder: PRIVATE_FOLDER, file: PRIVATE_FILE }

/** What the folders of files that wait are called; hidden, nobody is sent them. */
const STAGES = /^\.(?:upload|import)-(?:(?<tag>\w+)-)?\w+$/
/** Milliseconds after which a folder waits for nobody, even where nobody knows whether its process has ended. */
const ABANDONED = 7 * 24 * 60 * 60 * 1000
/** Errors of file systems that know no links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** The permissions that the config of a site asks for. */
export function modesOf({ share_uploads: shared }: Pick<SiteConfig, 'share_uploads'>): Modes {
  return shared ? SHARED : PRIVATE
}

/** Makes a folder, and those above it that are missing. */
export async function makeFolder(folder: string, { folder: mode }: Modes): Promise<void> {
  await mkdir(folder, { recursive: true, mode })
}

/** Makes a folder among the uploads for files that wait; answers its name. */
export async function makeStage(folder: string, kind: 'upload' | 'import', modes: Modes): Promise<string> {
  await makeFolder(folder, modes)
  return basename(await mkdtemp(join(folder, `.${kind}-${thisProcess}-`)))
}

/** Removes folders of files that wait whose process did not live to place them, but for those that `kept` names. */
export async function removeAbandoned(folder: string, kept: ReadonlySet<string>): Promise<void> {
  for (const { name } of await entriesOf(folder)) {
    const found = STAGES.exec(name)
    const tag = found?.groups?.['tag'] ?? ''
    if (found === null || kept.has(name) || tag === thisProcess) continue
    const known = await stat(join(folder, name)).catch(() => null)
    const isOver = known !== null && (hasEnded(tag) || Date.now() - known.mtimeMs > ABANDONED)
    if (isOver) await rm(join(folder, name), { recursive: true, force: true })
  }
}

async function entriesOf(folder: string): Promise<readonly { name: string }[]> {
  const entries: { name: string }[] = []
  try {
    for await (const entry of await opendir(folder)) entries.push(entry)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  return entries
}

/** Gives files their names, all or none; false when one of the names is taken meanwhile. */
export async function placeAll(names: readonly (readonly [from: string, to: string])[]): Promise<boolean> {
  const placed: string[] = []
  try {
    for (const [from, to] of names) {
      await place(from, to)
      placed.push(to)
    }
    return true
  } catch (error) {
    await Promise.all(placed.map((path) => unlink(path)))
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** Gives a file its name, unless another has it: then it fails with EEXIST. */
export async function place(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!NO_LINKS.has(codeOf(error))) throw error
    await (await open(to, 'wx')).close()
    await rename(from, to)
  }
}

/** The code of an error of the file system; '' of any other. */
export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}
