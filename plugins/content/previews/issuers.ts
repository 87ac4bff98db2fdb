import { RequestCache, type CurrentUser, type PluginContext } from '../../../kernel/index.ts'
import { VersionedCache } from '../../library/caching/index.ts'
import type { Post } from '../posts/index.ts'
import type { PreviewClaim, PreviewTokens } from './token.ts'

/** Maximum number of users in the cache. */
const MAX_ISSUERS = 1000

/** Checks the users who issued preview links: a link stops working when its issuer can no longer edit the post. */
export class Issuers {
  readonly #services: PluginContext['services']
  readonly #tokens: PreviewTokens
  /** Password hashes by user ID. */
  readonly #hashes: VersionedCache<number, string>

  constructor(services: PluginContext['services'], tokens: PreviewTokens) {
    this.#services = services
    this.#tokens = tokens
    this.#hashes = new VersionedCache(services.store.changes, {
      maxEntries: MAX_ISSUERS,
      tables: ['users'],
      tagsOf: (_, id) => [`user:${id}`],
    })
  }

  /** A value that changes with the password of a user. */
  async stateOf({ id }: Pick<CurrentUser, 'id'>): Promise<string> {
    return this.#tokens.stateOf(id, (await this.#hashOf(id)) ?? '')
  }

  /** Whether the issuer of a claim still exists, has the same password, and may still edit the post. */
  async mayStillEdit({ issuer, issuerState }: PreviewClaim, post: Post): Promise<boolean> {
    const { posts, users } = this.#services
    const user = await users.current(issuer)
    if (user === undefined || (await this.stateOf(user)) !== issuerState) return false
    // A separate cache, so that reads on behalf of the issuer do not leak into the holder's request.
    return posts.isReadableForEditing(post, user, new RequestCache())
  }

  async #hashOf(id: number): Promise<string | undefined> {
    const cached = this.#hashes.get(id)
    if (cached !== undefined) return cached
    const version = this.#hashes.begin()
    const hash = await this.#services.users.passwordHash(id)
    if (hash !== undefined) this.#hashes.set(id, hash, version)
    return hash
  }
}
