import { readdir } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import paths from 'node:path'

/** Where something is made, and the name of its package. */
export interface Place {
  readonly folder: string
  readonly name: string
}

/** What may be in a folder that is taken for empty. */
const NOTHING = new Set(['.git', '.DS_Store', 'Thumbs.db'])

/**
 * The place that somebody means by a path (`my-site`, `../sites/my-site`, `C:\sites\my-site`, `.`), or by the name of a
 * scoped package (`@me/my-plugin`), whose folder has no scope.
 * @param path how paths are written here
 */
export function placeOf(asked: string, cwd: string, given?: string, path: typeof paths = paths): Place {
  const scoped = /^@[^/\\]+\/([^/\\]+)$/.exec(asked)
  const folder = path.resolve(cwd, scoped?.[1] ?? asked)
  return { folder, name: given ?? (scoped === null ? path.basename(folder) : asked) }
}

/** Why npm takes no package of this name, as the end of a sentence; null when it does. */
export function nameMistake(name: string): string | null {
  const own = /^@([^/]+)\/([^/]+)$/.exec(name)
  const parts = own === null ? [name] : [own[1]!, own[2]!]
  if (name === '' || parts.includes('')) return 'it is empty'
  if (name.length > 214) return 'it is longer than 214 characters'
  if (name !== name.toLowerCase()) return 'it has capital letters'
  if (parts.some((part) => /^[._-]/.test(part))) return 'it begins with a dot, a dash or an underscore'
  if (parts.some((part) => /[^a-z0-9._-]/.test(part)))
    return 'it has other characters than a-z, 0-9, dots, dashes and _'
  if (name === 'node_modules' || name === 'favicon.ico' || isBuiltin(name)) return 'Node or npm has it already'
  return name === 'svc-rest' ? 'it is what it will need' : null
}

/** The nearest name that npm takes; null when there is none. */
export function suggestedName(name: string): string | null {
  const near = name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '')
    .slice(0, 214)
  return nameMistake(near) === null ? near : null
}

/** Why nothing can be made in a folder, as a sentence; null for one that is empty or not there. */
export async function keptFrom(folder: string): Promise<string | null> {
  try {
    // Node 18 lacks toSorted.
    const there = (await readdir(folder)).filter((file) => !NOTHING.has(file)).sort()
    if (there.length === 0) return null
    const some = there.slice(0, 3).join(', ') + (there.length > 3 ? ' …' : '')
    return `${folder} is not empty (${some}): take another folder, or empty it first.`
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    if (code === 'ENOTDIR') return `${folder} is a file: take another name.`
    throw error
  }
}
