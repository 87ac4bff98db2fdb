import type { PluginContext } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { siteTime } from './dates.ts'
import { COLUMNS, type Post, type PostTexts, type PostWrite } from './post.ts'
import { currentPost, inTurn, storedPost } from './write-turn.ts'

/** The revisions and autosaves that a post has. */
export interface RevisionCount {
  count: number
  /** ID of the newest; 0 without any. */
  latest: number
}

type Times = Pick<Post, 'date' | 'date_gmt'>

const TEXTS = ['title', 'content', 'excerpt'] as const

const revisionSlug = (post: number) => `${post}-revision-v1`
const autosaveSlug = (post: number) => `${post}-autosave-v1`

/** Stores what posts have been, and what editors have saved of them: posts of the type `revision` below the post. */
export class PostRevisions {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  async add(post: Post, most: number, write: PostWrite): Promise<void> {
    await inTurn(this.#plugin.services.store, write, async (tx) => {
      const latest = await latestRevision(tx, post.id)
      if (most !== 0 && (latest === undefined || !sameTexts(post, latest))) {
        const times = { date: post.modified, date_gmt: post.modified_gmt }
        await this.#insert(tx, post.id, revisionSlug(post.id), post, write.user.id, times)
      }
      if (most >= 0) await pruneRevisions(tx, post.id, most)
    })
  }

  autosave({ id }: Post, texts: Partial<PostTexts>, write: PostWrite): Promise<Post | null> {
    const { options, store } = this.#plugin.services
    return inTurn(store, write, async (tx) => {
      const post = await currentPost(tx, id, write)
      const { local, utc } = await siteTime(options)
      const times = { date: local, date_gmt: utc }
      const saved = await autosaveOf(tx, id, write.user.id)
      if (saved === undefined) {
        const inserted = await this.#insert(tx, id, autosaveSlug(id), texts, write.user.id, times)
        return storedPost(tx, inserted)
      }
      if (sameTexts(texts, post)) {
        await tx.run(tx.db.deleteFrom('posts').where('id', '=', saved.id))
        return null
      }
      const change = { ...texts, ...times, modified: local, modified_gmt: utc }
      await tx.run(tx.db.updateTable('posts').set(change).where('id', '=', saved.id))
      return storedPost(tx, saved.id)
    })
  }

  async #insert(
    tx: Store,
    post: number,
    slug: string,
    { title = '', content = '', excerpt = '' }: Partial<PostTexts>,
    author: number,
    { date, date_gmt: dateGmt }: Times,
  ): Promise<number> {
    const row = {
      type: 'revision',
      status: 'inherit',
      slug,
      title,
      content,
      excerpt,
      author_id: author,
      parent_id: post,
      date,
      date_gmt: dateGmt,
      modified: date,
      modified_gmt: dateGmt,
      comment_status: 'closed',
      ping_status: 'closed',
    }
    const { id } = (await tx.first(tx.db.insertInto('posts').values(row).returning('id')))!
    const guid = this.#plugin.urls.site(`/?p=${id}`)
    await tx.run(tx.db.updateTable('posts').set({ guid }).where('id', '=', id))
    return id
  }
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

/** Whether a post is what an editor saved last, rather than what was published or stored. */
export function isAutosave({ type, slug, parent_id: parent }: Pick<Post, 'type' | 'slug' | 'parent_id'>): boolean {
  return type === 'revision' && slug === autosaveSlug(parent)
}

/** The newest revision of a post; autosaves are none. */
async function latestRevision(tx: Store, post: number): Promise<Post | undefined> {
  return tx.first(
    tx.db
      .selectFrom('posts')
      .select(COLUMNS)
      .where('type', '=', 'revision')
      .where('parent_id', '=', post)
      .where('slug', '<>', autosaveSlug(post))
      .orderBy('date', 'desc')
      .orderBy('id', 'desc')
      .limit(1),
  )
}

/** What a user has saved of a post. */
async function autosaveOf(tx: Store, post: number, author: number): Promise<Post | undefined> {
  return tx.first(
    tx.db
      .selectFrom('posts')
      .select(COLUMNS)
      .where('type', '=', 'revision')
      .where('parent_id', '=', post)
      .where('slug', '=', autosaveSlug(post))
      .where('author_id', '=', author)
      .orderBy('id', 'desc')
      .limit(1),
  )
}

/** Whether texts are those of a post, as far as they are given. */
function sameTexts(one: Partial<PostTexts>, other: PostTexts): boolean {
  return TEXTS.every((name) => one[name] === undefined || one[name] === other[name])
}

/** Deletes the oldest revisions of a post above so many. */
async function pruneRevisions(tx: Store, post: number, most: number): Promise<void> {
  const kept = tx.db
    .selectFrom('posts')
    .select('id')
    .where('type', '=', 'revision')
    .where('parent_id', '=', post)
    .where('slug', '<>', autosaveSlug(post))
    .orderBy('date', 'desc')
    .orderBy('id', 'desc')
  const ids = (await tx.all(kept)).slice(most).map(({ id }) => id)
  if (ids.length > 0) await tx.run(tx.db.deleteFrom('posts').where('id', 'in', ids))
}
