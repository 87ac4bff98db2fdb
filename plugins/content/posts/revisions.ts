import type { PluginContext } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { siteTime } from './dates.ts'
import { COLUMNS, type Post, type PostTexts, type PostWrite } from './post.ts'
import { reservePostId } from './new-post.ts'
import type { PostSelect } from './query/index.ts'
import { currentPost, inTurn, storedPost } from './write-turn.ts'

/** Number of revisions and autosaves of a post. */
export interface RevisionCount {
  count: number
  /** ID of the newest; 0 for none. */
  latest: number
}

type Times = Pick<Post, 'date' | 'date_gmt'>

/** Posts whose revisions are pruned in one statement after an import. */
const POSTS_PER_PRUNING = 500

const TEXTS = ['title', 'content', 'excerpt'] as const

const revisionSlug = (post: number) => `${post}-revision-v1`
const autosaveSlug = (post: number | '') => `${post}-autosave-v1`

/**
 * Stores the current post as a revision (a child post of the type `revision`), unless the newest revision has the same
 * texts.
 * @param maxRevisions maximum number of revisions to keep; -1 for all
 * @param force creates the revision even if the texts are unchanged
 * @returns the ID of the revision, or null if none was created
 */
export async function addRevision(
  plugin: PluginContext,
  post: Post,
  maxRevisions: number,
  write: PostWrite,
  force = false,
): Promise<number | null> {
  const { log, services } = plugin
  const { meta, store } = services
  return inTurn(store, write, async (tx) => {
    const latest = await tx.first(revisionsOf(tx, post.id).select(COLUMNS).limit(1))
    let revision: number | null = null
    if (maxRevisions !== 0 && (force || latest === undefined || !sameTexts(post, latest))) {
      const times = { date: post.modified, date_gmt: post.modified_gmt }
      revision = await insertRevision(plugin, tx, post.id, revisionSlug(post.id), post, write.user.id, times)
      const keys = meta.revisedKeys(post.type)
      if (keys.length > 0) await meta.copy(post.id, revision, keys, write.scope)
    }
    if (maxRevisions >= 0 && (await hasMoreRevisions(tx, post.id, maxRevisions))) {
      const { length } = await pruneRevisions(tx, [post.id], maxRevisions)
      // Normally one revision is deleted. More are deleted if the limit has been introduced or lowered.
      if (length > 1)
        log.info({ post: post.id, revisions: length, keep: maxRevisions }, 'deleting revisions above the limit')
    }
    return revision
  })
}

/**
 * Stores the texts that a user has saved as an autosave. Before 6.3, if they equal the texts of the post, deletes an
 * earlier autosave and returns null.
 */
export function saveAutosave(
  plugin: PluginContext,
  id: number,
  texts: Partial<PostTexts>,
  write: PostWrite,
): Promise<Post | null> {
  const { options, store } = plugin.services
  return inTurn(store, write, async (tx) => {
    const post = await currentPost(tx, id, write)
    const { local, utc } = await siteTime(options)
    const times = { date: local, date_gmt: utc }
    const saved = await autosaveOf(tx, id, write.user.id)
    if (saved === undefined) {
      const inserted = await insertRevision(plugin, tx, id, autosaveSlug(id), texts, write.user.id, times)
      return storedPost(tx, inserted)
    }
    if (!plugin.since('6.3') && sameTexts(texts, post)) {
      await tx.run(tx.db.deleteFrom('posts').where('id', '=', saved.id))
      return null
    }
    const change = { ...texts, ...times, modified: local, modified_gmt: utc }
    await tx.run(tx.db.updateTable('posts').set(change).where('id', '=', saved.id))
    return storedPost(tx, saved.id)
  })
}

async function insertRevision(
  { urls }: PluginContext,
  tx: Store,
  post: number,
  slug: string,
  { title = '', content = '', excerpt = '' }: Partial<PostTexts>,
  author: number,
  times: Times,
): Promise<number> {
  const id = await reservePostId(tx)
  const row = {
    id,
    guid: urls.site(`/?p=${id}`),
    type: 'revision',
    status: 'inherit',
    slug,
    title,
    content,
    excerpt,
    author_id: author,
    parent_id: post,
    ...times,
    modified: times.date,
    modified_gmt: times.date_gmt,
    comment_status: 'closed',
    ping_status: 'closed',
  }
  await tx.run(tx.db.insertInto('posts').values(row))
  return id
}

export async function countRevisions(store: Store, ids: readonly number[]): Promise<RevisionCount[]> {
  const query = store.forIds('revisions of posts', ids, (some) => {
    const numbered = store.db
      .selectFrom('posts')
      .where('type', '=', 'revision')
      .where('parent_id', 'in', some)
      .select(({ fn }) => [
        'id',
        'parent_id',
        fn
          .countAll<number>()
          .over((over) => over.partitionBy('parent_id'))
          .as('count'),
        fn
          .agg<number>('row_number')
          .over((over) => over.partitionBy('parent_id').orderBy('date', 'desc').orderBy('id', 'desc'))
          .as('place'),
      ])
      .as('numbered')
    return store.db
      .selectFrom(numbered)
      .select(['numbered.id', 'numbered.parent_id', 'numbered.count'])
      .where('place', '=', 1)
  })
  const rows = await store.all(query)
  const byPost = new Map(rows.map(({ parent_id: post, count, id }) => [post, { count, latest: id }]))
  return ids.map((id) => byPost.get(id) ?? { count: 0, latest: 0 })
}

/** Whether a post is an autosave rather than a revision. */
export function isAutosave({ type, slug, parent_id: parent }: Pick<Post, 'type' | 'slug' | 'parent_id'>): boolean {
  return type === 'revision' && slug === autosaveSlug(parent)
}

/** The revisions of a post without autosaves, newest first. */
function revisionsOf({ db }: Store, post: number): PostSelect {
  return db
    .selectFrom('posts')
    .where('type', '=', 'revision')
    .where('parent_id', '=', post)
    .where('slug', '<>', autosaveSlug(post))
    .orderBy('date', 'desc')
    .orderBy('id', 'desc')
}

/** The autosave of a user for a post. */
async function autosaveOf(tx: Store, post: number, author: number): Promise<Post | undefined> {
  const own = autosavesOf(tx, post).where('author_id', '=', author)
  return tx.first(own.select(COLUMNS).orderBy('id', 'desc').limit(1))
}

/** The latest autosave of a post by any user. */
export function newestAutosave(store: Store, post: number): Promise<Post | undefined> {
  return store.first(
    autosavesOf(store, post).select(COLUMNS).orderBy('modified_gmt', 'desc').orderBy('id', 'desc').limit(1),
  )
}

function autosavesOf({ db }: Store, post: number): PostSelect {
  return db
    .selectFrom('posts')
    .where('type', '=', 'revision')
    .where('parent_id', '=', post)
    .where('slug', '=', autosaveSlug(post))
}

/** Whether the texts that are set equal the texts of a post. */
function sameTexts(one: Partial<PostTexts>, other: PostTexts): boolean {
  return TEXTS.every((name) => one[name] === undefined || one[name] === other[name])
}

async function hasMoreRevisions(tx: Store, post: number, maxRevisions: number): Promise<boolean> {
  return (await tx.first(revisionsOf(tx, post).select('id').limit(1).offset(maxRevisions))) !== undefined
}

/** Deletes the oldest revisions of each post down to the limit. @returns the IDs of the deleted revisions */
export async function pruneRevisions(tx: Store, posts: readonly number[], maxRevisions: number): Promise<number[]> {
  const ranked = tx.db
    .selectFrom('posts')
    .where('type', '=', 'revision')
    .where('parent_id', 'in', posts)
    .where('slug', 'not like', `%${autosaveSlug('')}`)
    .select(({ fn }) => [
      'id',
      fn
        .agg<number>('row_number')
        .over((over) => over.partitionBy('parent_id').orderBy('date', 'desc').orderBy('id', 'desc'))
        .as('place'),
    ])
    .as('ranked')
  const oldest = tx.db.selectFrom(ranked).select('ranked.id').where('place', '>', maxRevisions)
  const deleted = await tx.all(tx.db.deleteFrom('posts').where('id', 'in', oldest).returning('id'))
  return deleted.map(({ id }) => id)
}

/** The posts that have revisions with an ID above `after`, in pages ordered by post ID. */
export async function* postsOfRevisions(tx: Store, after: number): AsyncGenerator<Pick<Post, 'id' | 'type'>[]> {
  let last = 0
  for (;;) {
    const revised = tx.db.selectFrom('posts').select('parent_id').where('type', '=', 'revision').where('id', '>', after)
    const page = await tx.all(
      tx.db
        .selectFrom('posts')
        .select(['id', 'type'])
        .where('id', 'in', revised)
        .where('id', '>', last)
        .orderBy('id')
        .limit(POSTS_PER_PRUNING),
    )
    if (page.length === 0) return
    yield page
    last = page.at(-1)!.id
  }
}
