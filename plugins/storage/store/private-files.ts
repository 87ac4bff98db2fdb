import { mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Logger } from 'pino'

/** Permissions of files that only the account of the server reads or writes. */
export const PRIVATE_FILE = 0o600
/** Permissions of folders that only the account of the server opens. */
export const PRIVATE_FOLDER = 0o700
/** The permissions of other accounts. */
const OTHERS_PERMISSIONS = 0o077

/** Makes a folder, and those above it that are missing, for the account of the server alone. One that is there stays as it is. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER })
}

/** Makes an empty file for the account of the server alone, unless there is one. */
export async function makePrivateFile(path: string): Promise<void> {
  // One that is there is not even opened: to close it would take the locks away that SQLite has on it in this process.
  const file = await open(path, 'wx', PRIVATE_FILE).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await file?.close()
}

/**
 * Warns in the log of each of these files and folders that other accounts of the machine may open. A file in a folder that
 * keeps them out is safe.
 */
export async function warnOfLoose(log: Logger, paths: readonly string[]): Promise<void> {
  if (process.platform === 'win32') return
  for (const path of paths) {
    const found = await stat(path).catch(() => null)
    if (found === null || (found.mode & OTHERS_PERMISSIONS) === 0) continue
    if (!found.isDirectory() && ((await stat(dirname(path))).mode & OTHERS_PERMISSIONS) === 0) continue
    const wanted = (found.isDirectory() ? PRIVATE_FOLDER : PRIVATE_FILE).toString(8)
    const mode = (found.mode & 0o777).toString(8)
    log.warn({ path, mode }, `Other accounts of this machine may open ${path}: chmod ${wanted} ${path}`)
  }
}
