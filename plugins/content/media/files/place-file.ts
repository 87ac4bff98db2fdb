import { link, open, rename, unlink } from 'node:fs/promises'

/** Error codes of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** Moves files to their final names, all or none; false if one of the names is taken. */
export async function placeFiles(moves: readonly (readonly [from: string, to: string])[]): Promise<boolean> {
  const placed: string[] = []
  try {
    for (const [from, to] of moves) {
      await placeFile(from, to)
      placed.push(to)
    }
    return true
  } catch (error) {
    await Promise.all(placed.map((path) => unlink(path)))
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Moves a file to its final name. @throws EEXIST if the name is taken */
export async function placeFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!NO_LINKS.has(errorCode(error))) throw error
    await (await open(to, 'wx')).close()
    await rename(from, to)
  }
}

/** Returns the code of a file system error; '' for other errors. */
export function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}
