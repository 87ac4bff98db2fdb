import { readdir } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import paths from 'node:path'

/** The folder of a new site or plugin, and the name of its package. */
export interface Place {
  readonly folder: string
  readonly name: string
}

/** Entries of a folder that still counts as empty. */
const IGNORED_ENTRIES = new Set(['.git', '.DS_Store', 'Thumbs.db'])

/**
 * Resolves a path (`my-site`, `../sites/my-site`, `C:\sites\my-site`, `.`) or the name of a scoped package
 * (`@me/my-plugin`), whose folder is named without the scope.
 * @param name the value of --name; by default the name of the folder or the scoped package
 * @param path the path module of the platform
 */
export function placeOf(target: string, cwd: string, name?: string, path: typeof paths = paths): Place {
  const scoped = /^@[^/\\]+\/([^/\\]+)$/.exec(target)
  const folder = path.resolve(cwd, scoped?.[1] ?? target)
  return { folder, name: name ?? (scoped === null ? path.basename(folder) : target) }
}

/** Returns why npm rejects a package name, as a clause; null if the name is valid. */
export function nameMistake(name: string): string | null {
  const own = /^@([^/]+)\/([^/]+)$/.exec(name)
  const parts = own === null ? [name] : [own[1]!, own[2]!]
  if (name === '' || parts.includes('')) return 'it is empty'
  if (name.length > 214) return 'it is longer than 214 characters'
  if (name !== name.toLowerCase()) return 'it has capital letters'
  if (parts.some((part) => /^[._-]/.test(part))) return 'it begins with a dot, a dash or an underscore'
  if (parts.some((part) => /[^a-z0-9._-]/.test(part)))
    return 'it has characters other than a-z, 0-9, dots, dashes and _'
  if (name === 'node_modules' || name === 'favicon.ico' || isBuiltin(name)) return 'Node or npm reserves it'
  return name === 'svc-rest' ? 'it is the name of its dependency' : null
}

/** Converts a name into a valid package name; null if that is impossible. */
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

/** Returns why the template cannot be written to a folder, as a sentence; null if the folder is empty or does not exist. */
export async function findFolderMistake(folder: string): Promise<string | null> {
  try {
    // Node 18 lacks toSorted.
    const there = (await readdir(folder)).filter((file) => !IGNORED_ENTRIES.has(file)).sort()
    if (there.length === 0) return null
    const some = there.slice(0, 3).join(', ') + (there.length > 3 ? ' …' : '')
    return `${folder} is not empty (${some}). Choose another folder, or empty this one first.`
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    if (code === 'ENOTDIR') return `${folder} is a file. Choose another name.`
    throw error
  }
}
