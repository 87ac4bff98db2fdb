import { hash } from 'node:crypto'
import { applySyncFilter, memoize, type Hooks, type PropertySchema } from '../../../kernel/index.ts'

/** Sizes in pixels where no filter says otherwise (specification, section 8). */
const SIZES: readonly number[] = [24, 48, 96]
const EVERYWHERE = ['embed', 'view', 'edit'] as const
/** Characters of email addresses and hashes that are kept. */
const HASH_MEMORY = 100_000

/** Addresses of pictures of people, by what others know them by: the hash of an email address. */
export interface Avatars {
  /** The sizes in pixels, after the filter `rest_avatar_sizes`. */
  sizes(): number[]
  /** The address of a picture for each size, by the size as text. Without an email it is the picture of nobody. */
  addresses(email: string): Record<string, string>
  /** The schema of a field that shows addresses. */
  schema(description: string): PropertySchema
}

/**
 * Avatars at an image service that knows pictures by the MD5 hash of the address in lower case.
 * @param service address before the hash, with its trailing slash
 */
export function createAvatars(hooks: Hooks, service: string): Avatars {
  const sizes = () => applySyncFilter(hooks.rest_avatar_sizes, [...SIZES])
  // The same few users are asked for again and again.
  const hashOf = memoize((email) => hash('md5', email.trim().toLowerCase()), HASH_MEMORY)
  return {
    sizes,
    addresses(email) {
      const hashed = email === '' ? '' : hashOf(email)
      const address = (size: number) => `${service}${hashed}?s=${size}&d=mm&r=g`
      return Object.fromEntries(
        sizes().map((size) => [String(size), applySyncFilter(hooks.get_avatar_url, address(size), email, size)]),
      )
    },
    schema(description) {
      const one = (size: number): PropertySchema => ({
        description: `Address of the picture at ${size} pixels.`,
        type: 'string',
        format: 'uri',
        context: EVERYWHERE,
      })
      return {
        description,
        type: 'object',
        context: EVERYWHERE,
        readonly: true,
        properties: Object.fromEntries(sizes().map((size) => [String(size), one(size)])),
      }
    },
  }
}
