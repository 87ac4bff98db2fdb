import { hash } from 'node:crypto'
import { applySyncFilter, type Hooks } from '../../../kernel/index.ts'
import { memoize } from '../../library/long-work/index.ts'
import type { PropertySchema } from '../../resources/index.ts'

/** Sizes in pixels where no filter says otherwise (specification, section 8). */
const SIZES: readonly number[] = [24, 48, 96]
const EVERYWHERE = ['embed', 'view', 'edit'] as const
/** Characters of email addresses and hashes that are kept. */
const HASH_MEMORY = 100_000

/** Avatars at an image service that knows pictures by the hash of the email address in lower case. */
export class Avatars {
  readonly #hooks: Hooks
  readonly #service: string
  /** Hashes of the last email addresses: those of the same few users are asked for again and again. */
  readonly #hashOf: (email: string) => string

  /**
   * @param service URL up to the hash, with its trailing slash
   * @param algorithm of the hash: one that is easily undone tells who has commented
   */
  constructor(hooks: Hooks, service: string, algorithm: 'md5' | 'sha256') {
    this.#hooks = hooks
    this.#service = service
    this.#hashOf = memoize((email) => hash(algorithm, email.trim().toLowerCase()), HASH_MEMORY)
  }

  /** The sizes in pixels, after the filter `rest_avatar_sizes`. */
  sizes(): number[] {
    return applySyncFilter(this.#hooks.rest_avatar_sizes, [...SIZES])
  }

  /** The URL of a picture for each size, by the size as text. Without an email address it is the picture of nobody. */
  urls(email: string): Record<string, string> {
    return Object.fromEntries(this.sizes().map((size) => [String(size), this.url(email, size)]))
  }

  /** The URL of a picture in a size. */
  url(email: string, size: number): string {
    const hashed = email === '' ? '' : this.#hashOf(email)
    const url = `${this.#service}${hashed}?s=${size}&d=mm&r=g`
    return applySyncFilter(this.#hooks.get_avatar_url, url, email, size)
  }

  /** The schema of a field that shows these URLs. */
  schema(description: string): PropertySchema {
    const urlOf = (size: number): PropertySchema => ({
      description: `URL of the avatar at ${size} pixels.`,
      type: 'string',
      format: 'uri',
      context: EVERYWHERE,
    })
    return {
      description,
      type: 'object',
      context: EVERYWHERE,
      readonly: true,
      properties: Object.fromEntries(this.sizes().map((size) => [String(size), urlOf(size)])),
    }
  }
}
