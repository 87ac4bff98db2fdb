import { setImmediate as turn } from 'node:timers/promises'
import { type Row, type Store } from '../../storage/store/index.ts'
import type { Selection } from './selection.ts'

/** Posts read at a time, each with its meta and terms. */
const POSTS_PER_BATCH = 50
/** Rows without long texts read at a time. */
export const ROWS_PER_BATCH = 500

export type MetaRow = Pick<Row<'post_meta'>, 'key' | 'value' | 'json'>
export type ItemTerm = Pick<Row<'terms'>, 'id' | 'taxonomy' | 'slug' | 'name'>

/** Posts with what they need in a file, without their comments. */
export interface PostBatch {
  readonly posts: readonly Row<'posts'>[]
  readonly meta: ReadonlyMap<number, readonly MetaRow[]>
  /** Terms in their order. */
  readonly terms: ReadonlyMap<number, readonly ItemTerm[]>
  /** IDs of comments in order, with the IDs of their parents. */
  readonly comments: ReadonlyMap<number, ReadonlyMap<number, number>>
  /** Those parents of the posts that exist. */
  readonly parents: ReadonlySet<number>
}

/** Yields the selected posts in the order of their IDs. */
export async function* postBatches(reader: Store, { posts: isSelected }: Selection): AsyncGenerator<PostBatch> {
  const { db } = reader
  const ids = db.selectFrom('posts').select('id').where(isSelected).orderBy('id').limit(POSTS_PER_BATCH)
  for (let last = 0; ;) {
    const batch = (await reader.all(ids.where('id', '>', last))).map(({ id }) => id)
    if (batch.length === 0) return
    last = batch.at(-1)!
    const posts = await reader.all(db.selectFrom('posts').selectAll().where('id', 'in', batch).orderBy('id'))
    const meta = db.selectFrom('post_meta').select(['post_id', 'key', 'value', 'json']).where('post_id', 'in', batch)
    const terms = db
      .selectFrom('term_relationships')
      .innerJoin('terms', 'terms.id', 'term_relationships.term_id')
      .select(['post_id', 'terms.id', 'taxonomy', 'slug', 'name'])
      .where('post_id', 'in', batch)
      .orderBy('position')
      .orderBy('terms.id')
    const comments = db
      .selectFrom('comments')
      .select(['id', 'post_id', 'parent_id'])
      .where('post_id', 'in', batch)
      .orderBy('id')
    const parents = posts.map(({ parent_id: parent }) => parent)
    const existing = await reader.all(
      db
        .selectFrom('posts')
        .select('id')
        .where('id', 'in', [...new Set(parents)]),
    )
    yield {
      posts,
      meta: Map.groupBy(await reader.all(meta.orderBy('id')), ({ post_id: id }) => id),
      terms: Map.groupBy(await reader.all(terms), ({ post_id: id }) => id),
      comments: parentsByPost(await reader.all(comments)),
      parents: new Set(existing.map(({ id }) => id)),
    }
    // SQLite reads in the event loop; requests of a serving site are handled between two batches.
    await turn()
  }
}

type CommentIds = Pick<Row<'comments'>, 'id' | 'post_id' | 'parent_id'>

function parentsByPost(rows: readonly CommentIds[]): Map<number, Map<number, number>> {
  const byPost = new Map<number, Map<number, number>>()
  for (const { id, post_id: post, parent_id: parent } of rows) {
    const parents = byPost.get(post)
    if (parents === undefined) byPost.set(post, new Map([[id, parent]]))
    else parents.set(id, parent)
  }
  return byPost
}

export interface CommentWithMeta {
  readonly comment: Row<'comments'>
  readonly meta: readonly MetaRow[]
}

/** Ancestors of a reply to follow when searching for a cycle. */
const MAX_REPLY_LEVELS = 1000

/**
 * Yields comments of a post in the order of their IDs. A parent that is on another post, or below the comment itself, is
 * removed: the format has replies on one post only.
 */
export async function* commentsOf(
  reader: Store,
  parents: ReadonlyMap<number, number> = new Map(),
): AsyncGenerator<CommentWithMeta> {
  const { db } = reader
  const ids = [...parents.keys()]
  for (let start = 0; start < ids.length; start += ROWS_PER_BATCH) {
    const batch = ids.slice(start, start + ROWS_PER_BATCH)
    const comments = await reader.all(db.selectFrom('comments').selectAll().where('id', 'in', batch).orderBy('id'))
    const rows = db.selectFrom('comment_meta').select(['comment_id', 'key', 'value', 'json'])
    const meta = await reader.all(rows.where('comment_id', 'in', batch).orderBy('id'))
    const byComment = Map.groupBy(meta, ({ comment_id: id }) => id)
    for (const comment of comments) {
      const { id, parent_id: parent } = comment
      const isReply = parents.has(parent) && !isOwnAncestor(id, parents)
      yield { comment: { ...comment, parent_id: isReply ? parent : 0 }, meta: byComment.get(id) ?? [] }
    }
  }
}

function isOwnAncestor(id: number, parents: ReadonlyMap<number, number>): boolean {
  let current = parents.get(id) ?? 0
  for (let level = 0; current !== 0 && level <= MAX_REPLY_LEVELS; level += 1) {
    if (current === id) return true
    current = parents.get(current) ?? 0
  }
  return current !== 0
}
