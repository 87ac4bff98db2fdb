import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Maximum number of files to count, because counting a large folder delays the response and occupies the disk. */
const MAX_COUNTED_FILES = 20_000
/** Milliseconds for which a count of files is cached. */
const FILE_COUNT_LIFETIME_MS = 5 * 60_000

/** The files in a folder and in the folders below it. */
export interface FolderSize {
  readonly bytes: number
  readonly files: number
  /** Whether counting stopped at the limit. */
  readonly more: boolean
}

const counts = new Map<string, { at: number; counted: Promise<FolderSize | null> }>()

/**
 * Returns the size of a folder as `measureFolder` does. The result is cached for five minutes, and simultaneous calls
 * share one count.
 * @param folder path of the folder
 * @param skipped paths of folders that are not counted
 * @param maxFiles number of files at which counting stops
 * @returns null if the folder does not exist
 */
export function folderSize(
  folder: string,
  skipped: readonly string[] = [],
  maxFiles = MAX_COUNTED_FILES,
): Promise<FolderSize | null> {
  const key = JSON.stringify([folder, maxFiles, ...skipped])
  const cached = counts.get(key)
  if (cached !== undefined && performance.now() - cached.at < FILE_COUNT_LIFETIME_MS) return cached.counted
  const counted = measureFolder(folder, skipped, maxFiles)
  counts.set(key, { at: performance.now(), counted })
  return counted
}

/**
 * Counts the files of a folder and of the folders below it. Links are not followed.
 * @param root path of the folder
 * @param skipped paths of folders that are not counted
 * @param maxFiles number of files at which counting stops
 * @returns null if the folder does not exist
 */
export async function measureFolder(
  root: string,
  skipped: readonly string[] = [],
  maxFiles = MAX_COUNTED_FILES,
): Promise<FolderSize | null> {
  const isFolder = await stat(root).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) return null
  const folders = [root]
  let [bytes, files] = [0, 0]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && !skipped.includes(path)) folders.push(path)
      if (!entry.isFile()) continue
      if (files === maxFiles) return { bytes, files, more: true }
      bytes += await fileSize(path)
      files += 1
    }
  }
  return { bytes, files, more: false }
}

/** Returns the bytes of a file; 0 if it cannot be read. */
export async function fileSize(path: string): Promise<number> {
  return stat(path).then(
    (found) => found.size,
    () => 0,
  )
}
