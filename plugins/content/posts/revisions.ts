import type { Store } from '../../storage/store/index.ts'
import { COLUMNS, type Post } from './reader.ts'
import type { PostTexts } from './post.ts'

type Times = Pick<Post, 'date' | 'date_gmt'>

const TEXTS = ['title', 'content', 'excerpt'] as const

const versionSlug = (post: number) => `${post}-revision-v1`
const autosaveSlug = (post: number) => `${post}-autosave-v1`

/** The newest version of a post; what people have saved without publishing it is none. */
export async function latestVersion(tx: Store, post: number): Promise<Post | undefined> {
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

/** What a person has saved of a post. */
export async function savedBy(tx: Store, post: number, author: number): Promise<Post | undefined> {
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
export function sameTexts(one: Partial<PostTexts>, other: PostTexts): boolean {
  return TEXTS.every((name) => one[name] === undefined || one[name] === other[name])
}

/**
 * Stores a version of a post.
 * @param address that of an item by its number
 */
export async function insertVersion(
  tx: Store,
  post: number,
  kind: 'version' | 'autosave',
  { title = '', content = '', excerpt = '' }: Partial<PostTexts>,
  author: number,
  { date, date_gmt: dateGmt }: Times,
  address: (id: number) => string,
): Promise<number> {
  const row = {
    type: 'revision',
    status: 'inherit',
    slug: kind === 'version' ? versionSlug(post) : autosaveSlug(post),
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
  await tx.run(
    tx.db
      .updateTable('posts')
      .set({ guid: address(id) })
      .where('id', '=', id),
  )
  return id
}

/** Deletes the oldest versions of a post above a number. */
export async function pruneVersions(tx: Store, post: number, most: number): Promise<void> {
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
