import { RequestCache, type PluginContext } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { TRASHED_SLUG_KEY, TRASHED_STATUS_KEY, TRASHED_TIME_KEY } from '../meta-keys.ts'
import { siteTime } from './dates.ts'
import type { Post, PostWrite } from './post.ts'
import { allTerms, termsOf } from './post-terms.ts'
import { trashedSlug, type PostSlugs } from './slugs.ts'
import { takeOffSite } from './sticky.ts'
import { runSaveActions } from './write-turn.ts'

const KEYS = [TRASHED_STATUS_KEY, TRASHED_TIME_KEY, TRASHED_SLUG_KEY]

/** Moves posts to the trash, where their meta keeps what they were. */
export class PostTrash {
  readonly #plugin: PluginContext
  readonly #slugs: PostSlugs

  constructor(plugin: PluginContext, slugs: PostSlugs) {
    this.#plugin = plugin
    this.#slugs = slugs
  }

  async move(tx: Store, before: Post, write: PostWrite): Promise<Post> {
    const { id, status, slug: had } = before
    const { meta, options, terms } = this.#plugin.services
    const { local, utc, seconds } = await siteTime(options)
    const slug = await this.#slugs.free(tx, trashedSlug(had), before)
    const kept = { [TRASHED_STATUS_KEY]: status, [TRASHED_TIME_KEY]: String(seconds), [TRASHED_SLUG_KEY]: had }
    for (const [key, value] of Object.entries(kept)) await meta.write('post', id, key, [value], write.scope)
    await takeOffSite(options, id)
    const row = { status: 'trash', slug, modified: local, modified_gmt: utc }
    await tx.run(tx.db.updateTable('posts').set(row).where('id', '=', id))
    const all = allTerms(await termsOf(tx, id))
    if (status === 'publish') await terms.recount(all)
    const after = { ...before, ...row }
    await runSaveActions(this.#plugin.hooks, after, before, write)
    return after
  }

  /** Forgets what a post was before the trash, now that it has left it. */
  async forget(id: number): Promise<void> {
    for (const key of KEYS) await this.#plugin.services.meta.write('post', id, key, [], new RequestCache())
  }
}
