import { RequestCache, type PluginContext } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { TRASHED_SLUG_KEY, TRASHED_STATUS_KEY, TRASHED_TIME_KEY } from '../meta-keys.ts'
import { siteTime } from './dates.ts'
import type { Post, PostWrite } from './post.ts'
import { allTerms, readTermsOf } from './post-terms.ts'
import { trashedSlug, type PostSlugs } from './slugs.ts'
import { takeOffSite } from './sticky.ts'
import { runSaveActions } from './write-turn.ts'

/** Moves a post to the trash and stores its status, slug and the time in meta. */
export async function moveToTrash(
  { hooks, services }: PluginContext,
  slugs: PostSlugs,
  tx: Store,
  before: Post,
  write: PostWrite,
): Promise<Post> {
  const { id, status, slug: previousSlug } = before
  const { meta, options, terms } = services
  const { local, utc, seconds } = await siteTime(options)
  const slug = await slugs.free(tx, trashedSlug(previousSlug), before)
  const trashMeta = {
    [TRASHED_STATUS_KEY]: [status],
    [TRASHED_TIME_KEY]: [String(seconds)],
    [TRASHED_SLUG_KEY]: [previousSlug],
  }
  await meta.writeAll('post', id, trashMeta, write.scope)
  await takeOffSite(options, id)
  const row = { status: 'trash', slug, modified: local, modified_gmt: utc }
  await tx.run(tx.db.updateTable('posts').set(row).where('id', '=', id))
  const all = allTerms(await readTermsOf(tx, id))
  if (status === 'publish') await terms.count([], all)
  const after = { ...before, ...row }
  await runSaveActions(hooks, after, before, write)
  return after
}

/** Deletes the trash meta of a restored post. */
export async function forgetTrash({ meta }: PluginContext['services'], id: number): Promise<void> {
  const trashMeta = { [TRASHED_STATUS_KEY]: [], [TRASHED_TIME_KEY]: [], [TRASHED_SLUG_KEY]: [] }
  await meta.writeAll('post', id, trashMeta, new RequestCache())
}
