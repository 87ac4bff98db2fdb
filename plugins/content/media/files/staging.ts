import { lstat, mkdtemp, open, opendir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder, type FileModes } from './file-modes.ts'
import { errorCode, placeFile } from './place-file.ts'
import { hasEnded, processId } from './process-id.ts'

/** Names of staging folders: hidden, so that their files are not served. */
const STAGING = /^\.(?:upload|import)-(?:(?<owner>\w+)-)?\w+$/
/** Milliseconds after which a staging folder counts as abandoned even if its process cannot be checked. */
const ABANDONED_AFTER_MS = 7 * 24 * 60 * 60 * 1000

/** Result of placing staged files. */
export interface PlacedFiles {
  placed: number
  /** Files that already exist with the same content. */
  alreadyHere: number
  /** Files whose name is taken by a different file. */
  others: number
}

/**
 * Creates a staging folder: files are written there and moved to the uploads folder when they are complete.
 * @param folder the uploads folder
 * @returns the name of the new folder
 */
export async function makeStaging(folder: string, kind: 'upload' | 'import', modes: FileModes): Promise<string> {
  await makeFolder(folder, modes)
  return basename(await mkdtemp(join(folder, `.${kind}-${processId}-`)))
}

/**
 * Moves all files of a staging folder to the uploads folder and removes the staging folder. It never overwrites files,
 * so it can be repeated if the process ended halfway.
 * @param staging name of the folder, relative to `folder`
 */
export async function placeStaged(folder: string, staging: string, modes: FileModes): Promise<PlacedFiles> {
  const result: PlacedFiles = { placed: 0, alreadyHere: 0, others: 0 }
  const root = join(folder, staging)
  // All files were placed, but the process ended before it could record that.
  if (!(await exists(root))) return result
  for await (const name of filesBelow(root)) {
    const [from, to] = [join(root, name), join(folder, name)]
    await makeFolder(dirname(to), modes)
    try {
      await placeFile(from, to)
      result.placed += 1
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
      if (await haveSameContent(from, to)) result.alreadyHere += 1
      else result.others += 1
    }
  }
  await rm(root, { recursive: true, force: true })
  return result
}

/**
 * Removes staging folders whose process ended before it could place their files.
 * @param keptNames names of folders to keep
 */
export async function removeAbandoned(folder: string, keptNames: ReadonlySet<string>): Promise<void> {
  for (const { name } of await entriesOf(folder)) {
    const match = STAGING.exec(name)
    const owner = match?.groups?.['owner'] ?? ''
    if (match === null || keptNames.has(name) || owner === processId) continue
    const stats = await stat(join(folder, name)).catch(() => null)
    const isAbandoned = stats !== null && (hasEnded(owner) || Date.now() - stats.mtimeMs > ABANDONED_AFTER_MS)
    if (isAbandoned) await rm(join(folder, name), { recursive: true, force: true })
  }
}

/**
 * Yields the names of all files below a folder, relative to it, with slashes. Links are not followed.
 * @param onSpecial called for each link or special file
 */
export async function* filesBelow(folder: string, onSpecial?: () => void, prefix = ''): AsyncGenerator<string> {
  for await (const entry of await opendir(join(folder, prefix))) {
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(folder, onSpecial, name)
    else if (entry.isFile()) yield name
    else onSpecial?.()
  }
}

async function entriesOf(folder: string): Promise<readonly { name: string }[]> {
  const entries: { name: string }[] = []
  try {
    for await (const entry of await opendir(folder)) entries.push(entry)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  return entries
}

/** Checks whether a file, folder or link exists. */
export async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  )
}

async function haveSameContent(one: string, other: string): Promise<boolean> {
  const [first, second] = [await lstat(one), await lstat(other)]
  if (!second.isFile() || first.size !== second.size) return false
  await using left = await open(one)
  await using right = await open(other)
  const [a, b] = [Buffer.alloc(65536), Buffer.alloc(65536)]
  for (let at = 0; at < first.size; at += a.length) {
    const [{ bytesRead }] = await Promise.all([left.read(a, 0, a.length, at), right.read(b, 0, b.length, at)])
    if (bytesRead === 0 || a.compare(b, 0, bytesRead, 0, bytesRead) !== 0) return false
  }
  return true
}
