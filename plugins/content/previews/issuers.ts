import { RequestCache, type CurrentUser, type PluginContext } from '../../../kernel/index.ts'
import { VersionedCache } from '../../library/caching/index.ts'
import type { Post } from '../posts/index.ts'
import type { PreviewClaim, PreviewTokens } from './token.ts'

/** How many are remembered. */
const MAX_ISSUERS = 1000

/** The users who give links out: what they may no longer see, their links do not show. */
export class Issuers {
  readonly #services: PluginContext['services']
  readonly #tokens: PreviewTokens
  /** Hashes of passwords, by user. */
  readonly #hashes: VersionedCache<number, string>

  constructor(services: PluginContext['services'], tokens: PreviewTokens) {
    this.#services = services
    this.#tokens = tokens
    this.#hashes = new VersionedCache(services.store.changes, {
      most: MAX_ISSUERS,
      tables: ['users'],
      tagsOf: (_, id) => [`user:${id}`],
    })
  }

  /** What changes with the password of a user. */
  async stateOf({ id }: Pick<CurrentUser, 'id'>): Promise<string> {
    return this.#tokens.stateOf(id, (await this.#hashOf(id)) ?? '')
  }

  /** Whether the user of a claim is still there, has the same password, and may still edit the post. */
  async mayStillEdit({ issuer, issuerState }: PreviewClaim, post: Post): Promise<boolean> {
    const { posts, users } = this.#services
    const user = await users.current(issuer)
    if (user === undefined || (await this.stateOf(user)) !== issuerState) return false
    // Of its own: nothing that is found out for the issuer is known to the request of the holder.
    return posts.isReadableForEditing(post, user, new RequestCache())
  }

  async #hashOf(id: number): Promise<string | undefined> {
    const known = this.#hashes.get(id)
    if (known !== undefined) return known
    const begun = this.#hashes.begin()
    const hash = await this.#services.users.passwordHash(id)
    if (hash !== undefined) this.#hashes.keep(id, hash, begun)
    return hash
  }
}
