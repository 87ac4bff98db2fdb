import { runAction, RequestCache, type CurrentUser, type PluginContext } from '../../../kernel/index.ts'
import { idsWithAncestors, sql, type Store } from '../../storage/store/index.ts'
import { TRASHED_STATUS_KEY } from '../meta-keys.ts'
import type { Comment, CommentChange, CommentState, NewComment } from './comment.ts'
import { errors } from './errors.ts'
import { moderate } from './moderation.ts'
import type { CommentReader } from './reader.ts'
import { NOTE } from './visibility.ts'

/** Ancestors checked for cycles before a comment gets a new parent. */
const MAX_ANCESTOR_LEVELS = 1000

/**
 * Writes comments and updates the comment counts of posts. Callers of `create` and `update` must hold the write turn.
 */
export class CommentWriter {
  readonly #plugin: PluginContext
  readonly #reader: CommentReader

  constructor(plugin: PluginContext, reader: CommentReader) {
    this.#plugin = plugin
    this.#reader = reader
  }

  async create(comment: NewComment, author: CurrentUser | null): Promise<Comment> {
    const tx = this.#store
    const post = await postOf(tx, comment.post_id)
    await checkParent(tx, comment.parent_id, comment.post_id)
    if (author !== null) await checkAuthor(tx, author.id, author)
    const approved = await moderate(this.#plugin, tx, comment, author, post.author_id)
    const query = tx.db
      .insertInto('comments')
      .values({ ...comment, approved })
      .returning('id')
    const { id } = (await tx.first<{ id: number }>(query))!
    await countComments(tx, [comment.post_id])
    return this.#read(id)
  }

  async update(id: number, { approved: requested, ...change }: CommentChange): Promise<Comment> {
    const tx = this.#store
    const before = await this.#read(id)
    const { post_id: post = before.post_id, parent_id: parent = before.parent_id, author_id: author } = change
    const posts = [...new Set([before.post_id, post])]
    if (post !== before.post_id) await postOf(tx, post)
    if (post !== before.post_id || parent !== before.parent_id) await checkParent(tx, parent, post)
    if (parent !== before.parent_id) await this.#refuseCircle(tx, id, parent)
    if (author !== undefined && author !== before.author_id) await checkAuthor(tx, author, null)
    const approved = requested === 'previous' ? await this.#previousState(before) : requested
    const restores = requested === 'previous'
    if (approved !== undefined && approved !== before.approved) await this.#rememberState(before, approved, restores)
    if (approved === 'trash' && before.type === NOTE) await this.#trashReplies(tx, id)
    const row = { ...change, ...(approved !== undefined && { approved }) }
    if (Object.keys(row).length > 0) await tx.run(tx.db.updateTable('comments').set(row).where('id', '=', id))
    if (post !== before.post_id) {
      // Replies stay with the post, as when their parent is deleted.
      const up = tx.db.updateTable('comments').set({ parent_id: before.parent_id })
      await tx.run(up.where('parent_id', '=', id))
    }
    await countComments(tx, posts)
    const after = await this.#read(id)
    if (after.approved !== before.approved) {
      await runAction(this.#plugin.hooks.transition_comment_status, after.approved, before.approved, after)
    }
    return after
  }

  delete(id: number): Promise<void> {
    return this.#store.inTurn(async (tx) => {
      const { post_id, parent_id } = await this.#read(id)
      await tx.run(tx.db.updateTable('comments').set({ parent_id }).where('parent_id', '=', id))
      await tx.run(tx.db.deleteFrom('comments').where('id', '=', id))
      await countComments(tx, [post_id])
    })
  }

  get #store(): Store {
    return this.#plugin.services.store
  }

  /** Reads with a new cache: the cache of the request can be outdated. */
  async #read(id: number): Promise<Comment> {
    const comment = await this.#reader.get(id, new RequestCache())
    if (comment === undefined) throw errors.rest_comment_invalid_id()
    return comment
  }

  /** Moves replies that are notes to the trash with their note. */
  async #trashReplies(tx: Store, note: number): Promise<void> {
    const replies = tx.db
      .selectFrom('comments')
      .select('id')
      .where('parent_id', '=', note)
      .where('type', '=', NOTE)
      .where('approved', 'in', ['1', '0'])
    for (const { id } of await tx.all(replies)) await this.update(id, { approved: 'trash' })
  }

  async #refuseCircle(tx: Store, id: number, parent: number): Promise<void> {
    const ids = await idsWithAncestors(tx, 'comments', parent, MAX_ANCESTOR_LEVELS)
    // Beyond the limit a cycle cannot be ruled out.
    if (ids.includes(id) || ids.length === MAX_ANCESTOR_LEVELS) throw errors.rest_comment_invalid_parent()
  }

  async #previousState({ id, approved }: Comment): Promise<CommentState | undefined> {
    if (approved !== 'trash' && approved !== 'spam') return undefined
    const stored = await this.#plugin.services.meta.single('comment', id, TRASHED_STATUS_KEY, new RequestCache())
    const previous = String(stored)
    return previous === '1' || previous === 'spam' || previous === 'trash' ? previous : '0'
  }

  /** Stores the state before trash or spam; a restored comment has none, also when it is spam again. */
  async #rememberState({ id, approved: before }: Comment, approved: CommentState, restores: boolean): Promise<void> {
    const remember = !restores && (approved === 'trash' || approved === 'spam')
    await this.#plugin.services.meta.write(
      'comment',
      id,
      TRASHED_STATUS_KEY,
      remember ? [before] : [],
      new RequestCache(),
    )
  }
}

// The post, parent and author existed when the request was checked but can be gone by now; the write turn excludes
// later changes.

/** @throws rest_comment_invalid_post_id */
async function postOf(tx: Store, id: number): Promise<{ author_id: number }> {
  const post = await tx.first(tx.db.selectFrom('posts').select('author_id').where('id', '=', id))
  if (post === undefined) throw errors.rest_comment_invalid_post_id()
  return post
}

/** @throws rest_comment_invalid_parent */
async function checkParent(tx: Store, parent: number, post: number): Promise<void> {
  if (parent === 0) return
  const above = await tx.first(tx.db.selectFrom('comments').select('post_id').where('id', '=', parent))
  if (above?.post_id !== post) throw errors.rest_comment_invalid_parent()
}

/** @throws rest_comment_author_invalid */
async function checkAuthor(tx: Store, id: number, user: CurrentUser | null): Promise<void> {
  // An account has a login; users that a plugin defines have no account.
  if (id === 0 || (user !== null && user.login === undefined)) return
  const account = await tx.first(tx.db.selectFrom('users').select('id').where('id', '=', id))
  if (account === undefined) throw errors.rest_comment_author_invalid()
}

/** Updates the comment counts of posts. Notes are not counted. */
async function countComments(tx: Store, posts: readonly number[]): Promise<void> {
  const count = tx.db
    .selectFrom('comments')
    .select((of) => of.fn.countAll<number>().as('many'))
    .where(sql.ref('comments.post_id'), '=', sql.ref('posts.id'))
    .where('comments.approved', '=', '1')
    .where('comments.type', '<>', NOTE)
  const update = tx.db
    .updateTable('posts')
    .set({ comment_count: count })
    .where('id', 'in', posts)
    // A held comment must not count as a change of its post, which would be visible to visitors.
    .where('comment_count', '<>', count)
  await tx.run(update)
}
