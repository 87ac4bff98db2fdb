import { mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Logger } from 'pino'

/** Permissions of files that only the account of the server can read and write. */
export const PRIVATE_FILE = 0o600
/** Permissions of folders that only the account of the server can open. */
export const PRIVATE_FOLDER = 0o700
/** Mask of the permissions of other accounts. */
const OTHERS_PERMISSIONS = 0o077

/**
 * Creates a folder and its missing parents, accessible to the account of the server only. Existing folders are not
 * changed.
 */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER })
}

/** Creates an empty file, accessible to the account of the server only, unless it exists. */
export async function makePrivateFile(path: string): Promise<void> {
  // With `wx` an existing file is not opened: closing it would release the locks that SQLite holds on it in this
  // process.
  const file = await open(path, 'wx', PRIVATE_FILE).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await file?.close()
}

/**
 * Logs a warning for each file and folder that other accounts of the machine can open. Files in a private folder are
 * safe.
 */
export async function warnAboutPermissions(log: Logger, paths: readonly string[]): Promise<void> {
  if (process.platform === 'win32') return
  for (const path of paths) {
    const found = await stat(path).catch(() => null)
    if (found === null || (found.mode & OTHERS_PERMISSIONS) === 0) continue
    if (!found.isDirectory() && ((await stat(dirname(path))).mode & OTHERS_PERMISSIONS) === 0) continue
    const privateMode = (found.isDirectory() ? PRIVATE_FOLDER : PRIVATE_FILE).toString(8)
    const mode = (found.mode & 0o777).toString(8)
    log.warn({ path, mode }, `Other accounts of this machine can open ${path}: run chmod ${privateMode} ${path}`)
  }
}
