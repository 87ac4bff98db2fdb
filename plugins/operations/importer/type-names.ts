import { hash } from 'node:crypto'
import { MAX_KIND_LENGTH } from './column-limits.ts'

/** Maximum characters of the name of a content type that a plugin can register. */
export const MAX_TYPE_NAME_LENGTH = 20
/** Maximum characters of the name of a taxonomy that a plugin can register. */
export const MAX_TAXONOMY_NAME_LENGTH = 32
/** Characters of the hash that replaces a name without a valid character. */
const HASH_LENGTH = 8

/**
 * Converts the name of a type or taxonomy to the characters that a plugin can register: lowercase letters, digits, `-`
 * and `_`. A name without any of them becomes its hash, so that different names stay different.
 */
export function registrableName(name: string): string {
  if (/^[a-z0-9_-]*$/.test(name)) return name
  // Normalizing long runs of combining characters takes quadratic time.
  const clean = name
    .slice(0, MAX_KIND_LENGTH)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '')
  return clean === '' ? hash('sha1', name).slice(0, HASH_LENGTH) : clean
}
