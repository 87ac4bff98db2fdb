import { lstat, open, opendir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf, makeFolder, place, type Modes } from './place-file.ts'

/** What became of files that waited. */
export interface Placed {
  placed: number
  /** Files that were there before with the same content. */
  alreadyHere: number
  /** Files whose name another one has. */
  others: number
}

/**
 * Gives all files of a folder their names among the uploads and removes the folder. A file that is there already is never
 * replaced, so it may be done again after a process ended in the midst of it.
 * @param folder the uploads
 * @param stage name of the folder below it
 */
export async function placeStaged(folder: string, stage: string, modes: Modes): Promise<Placed> {
  const done: Placed = { placed: 0, alreadyHere: 0, others: 0 }
  const waiting = join(folder, stage)
  // All of it was placed before, and nobody could note it.
  if (!(await exists(waiting))) return done
  for await (const name of filesBelow(waiting)) {
    const [from, to] = [join(waiting, name), join(folder, name)]
    await makeFolder(dirname(to), modes)
    try {
      await place(from, to)
      done.placed += 1
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
      if (await sameContent(from, to)) done.alreadyHere += 1
      else done.others += 1
    }
  }
  await rm(waiting, { recursive: true, force: true })
  return done
}

/** Relative names of all files below a folder, with slashes. Links are not followed. */
export async function* filesBelow(folder: string, special?: () => void, prefix = ''): AsyncGenerator<string> {
  for await (const entry of await opendir(join(folder, prefix))) {
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(folder, special, name)
    else if (entry.isFile()) yield name
    else special?.()
  }
}

async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(() => true, () => false) // prettier-ignore
}

async function sameContent(one: string, other: string): Promise<boolean> {
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
