import { NOTE } from '../../../content/comments/index.ts'
import { padded, type ImportContext } from '../context.ts'
import type { IdSequence } from '../id-map.ts'
import type { ImportedUsers } from '../users/users.ts'
import type { WxrComment, WxrItem } from '../wxr/types.ts'
import type { Batch } from './batch.ts'
import { datesOf } from './dates.ts'

/** Maximum ancestors of a reply to follow when searching for a cycle. */
const MAX_REPLY_LEVELS = 1000
/** IDs of existing comments by a key that identifies a comment. */
export type ExistingComments = Map<string, number[]>

interface NewComment {
  id: number
  comment: WxrComment
  content: string
  date: string
}

export class ImportedComments {
  readonly #context: ImportContext
  readonly #users: ImportedUsers
  readonly #ids: IdSequence

  constructor(context: ImportContext, users: ImportedUsers, ids: IdSequence) {
    this.#context = context
    this.#users = users
    this.#ids = ids
  }

  /** Whether the site had no comments, so that comments of the file keep their IDs. */
  get preservesIds(): boolean {
    return this.#ids.keep
  }

  /** Finds the existing comments of posts. */
  async find(postIds: readonly number[]): Promise<ExistingComments> {
    const existing: ExistingComments = new Map()
    if (postIds.length === 0) return existing
    const { tx } = this.#context
    const query = tx.db.selectFrom('comments').select(['id', 'post_id', 'date', 'author_name', 'content']).orderBy('id')
    for (const row of await tx.all(query.where('post_id', 'in', padded(postIds)))) {
      const key = keyOf(row.post_id, row.date, row.author_name, row.content)
      existing.set(key, [...(existing.get(key) ?? []), row.id])
    }
    return existing
  }

  /**
   * Adds the comments of an item that the site does not have yet.
   * @param existing existing comments of the post; each matches at most one comment of the file
   * @returns the number of new comments
   */
  async add(batch: Batch, postId: number, item: WxrItem, existing: ExistingComments): Promise<number> {
    const { counters } = this.#context
    const { added, ids } = await this.#identify(postId, item, existing)
    const parents = new Map(item.comments.map(({ id, parent }) => [id, parent]))
    for (const one of added) {
      const { id, parent } = one.comment
      this.#addOne(batch, postId, one, isOwnAncestor(id, parents) ? 0 : (ids.get(parent) ?? 0))
    }
    counters.imported('comments', added.length)
    counters.alreadyHere('comments', item.comments.length - added.length)
    return added.length
  }

  /** Determines which comments are new, and maps IDs in the file to IDs on this site. */
  async #identify(postId: number, item: WxrItem, existing: ExistingComments) {
    const { filter, now, rewrite } = this.#context
    const added: NewComment[] = []
    const ids = new Map<number, number>()
    for (const comment of item.comments) {
      const trusted = await this.#users.mayWriteHtml(this.#users.idOfFileId(comment.userId))
      const content = filter.comment(rewrite(comment.content), trusted)
      const date = comment.date || comment.dateGmt || datesOf(item, now).date
      const find = (text: string) => existing.get(keyOf(postId, date, comment.author, text))?.shift()
      const existingId = find(content) ?? find(comment.content)
      const id = existingId ?? this.#ids.next(comment.id)
      if (comment.id !== 0 && !ids.has(comment.id)) ids.set(comment.id, id)
      if (existingId === undefined) added.push({ comment, id, content, date })
    }
    return { added, ids }
  }

  #addOne(batch: Batch, postId: number, { id, comment, content, date }: NewComment, parent: number): void {
    const context = this.#context
    const { counters, rewrite } = context
    const { author, email, ip } = comment
    const user = this.#users.idOfFileId(comment.userId)
    if (comment.parent !== 0 && parent === 0)
      counters.note('reply to a comment that is not in the file; now a top-level comment', author)
    if (comment.userId !== 0 && user === 0) {
      counters.note('comment of a user who is not in the file; keeps the name of the author', author)
    }
    const url = rewrite(comment.url)
    const dateGmt = comment.dateGmt || date
    const type = comment.type || 'comment'
    batch.comments.push([
      id,
      postId,
      parent,
      user,
      author,
      email,
      url,
      ip,
      date,
      dateGmt,
      content,
      comment.approved,
      type,
    ])
    batch.commentMeta.push(...context.metaRows(id, comment.meta))
  }
}

/** Number of public comments of an item; notes are visible to editors only. */
export function countApproved({ comments }: WxrItem): number {
  return comments.filter((comment) => comment.approved === '1' && comment.type !== NOTE).length
}

function keyOf(postId: number, date: string, author: string, content: string): string {
  return `${postId}\n${date}\n${author}\n${content}`
}

/** Whether the ancestors of a comment form a cycle, or are too many to check. */
function isOwnAncestor(id: number, parents: ReadonlyMap<number, number>): boolean {
  let current = parents.get(id) ?? 0
  for (let step = 0; current !== 0; step += 1) {
    if (current === id || step === MAX_REPLY_LEVELS) return true
    current = parents.get(current) ?? 0
  }
  return false
}
