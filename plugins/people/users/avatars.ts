import { hash } from 'node:crypto'
import { applySyncFilter, type Hooks } from '../../../kernel/index.ts'
import { memoize } from '../../library/long-work/index.ts'
import type { PropertySchema } from '../../resources/index.ts'

/** Default sizes in pixels (specification, section 8). */
const SIZES: readonly number[] = [24, 48, 96]
/** Cache tag of the option on which the fields with avatars depend. */
export const AVATARS_OPTION = 'option:show_avatars'
const EVERYWHERE = ['embed', 'view', 'edit'] as const
/** Maximum size of the cache of hashes, in characters. */
const HASH_MEMORY = 100_000

/** Avatars of an image service that identifies images by the hash of the lower-case email address. */
export class Avatars {
  readonly #hooks: Hooks
  readonly #service: string
  /** Caches hashes: lists show the same few users again and again. */
  readonly #hashOf: (email: string) => string
  readonly #isShown: () => boolean

  /**
   * @param service URL up to the hash, with its trailing slash
   * @param isShown whether the site shows avatars at present
   * @param algorithm algorithm of the hash. A weak one lets others find out the email addresses of commenters
   */
  constructor(hooks: Hooks, service: string, isShown: () => boolean, algorithm: 'md5' | 'sha256') {
    this.#hooks = hooks
    this.#service = service
    this.#isShown = isShown
    this.#hashOf = memoize((email) => hash(algorithm, email.trim().toLowerCase()), HASH_MEMORY)
  }

  /** Whether the site shows avatars (setting `show_avatars`). Schemas that depend on it are created again when it changes. */
  get areShown(): boolean {
    return this.#isShown()
  }

  /** Returns the sizes in pixels, after the filter `rest_avatar_sizes`. */
  sizes(): number[] {
    return applySyncFilter(this.#hooks.rest_avatar_sizes, [...SIZES])
  }

  /** Returns the image URL for each size. Without an email address it is the default image. */
  urls(email: string): Record<string, string> {
    return Object.fromEntries(this.sizes().map((size) => [String(size), this.url(email, size)]))
  }

  /** Returns the image URL for a size in pixels. */
  url(email: string, size: number): string {
    const hashed = email === '' ? '' : this.#hashOf(email)
    const url = `${this.#service}${hashed}?s=${size}&d=mm&r=g`
    return applySyncFilter(this.#hooks.get_avatar_url, url, email, size)
  }

  /** Returns the schema of a field with these URLs. */
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
