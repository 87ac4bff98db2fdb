import { NOTE } from '../../../content/comments/index.ts'
import type { ImportContext } from '../context.ts'
import { padded } from '../lists.ts'
import type { IdSequence } from '../id-map.ts'
import { fingerprint, keyOfName } from '../old-sites/fingerprint.ts'
import type { Target } from '../old-sites/links.ts'
import {
  fingerprintOf,
  OBJECT_COLUMNS,
  readStates,
  writeState,
  type Columns,
  type ObjectState,
} from '../old-sites/object-state.ts'
import type { MappedObject, ObjectKey } from '../old-sites/old-site.ts'
import { CHANGED_HERE, DELETED_HERE } from '../old-sites/reasons.ts'
import type { ImportedUsers } from '../users/users.ts'
import type { WxrComment, WxrItem } from '../wxr/types.ts'
import type { Batch } from './batch.ts'
import { datesOf } from './dates.ts'

/** Maximum ancestors of a reply to follow when searching for a cycle. */
const MAX_REPLY_LEVELS = 1000
/** A post with an item of the file. */
export interface CommentedPost {
  /** ID on this site. */
  readonly id: number
  /** ID in the map of the old site. */
  readonly oldId: number
  readonly item: WxrItem
  /** Whether the post was here before, so that comments can be, too. */
  readonly isHere: boolean
}

/** IDs of existing comments by a key that identifies a comment. */
type ExistingComments = Map<string, number[]>

/** A comment of the file with its object on this site. */
interface PlannedComment {
  readonly comment: WxrComment
  readonly key: ObjectKey
  /** Hash of the post: a broken file can use the ID of a comment twice. */
  readonly name: number
  /** The object of an earlier import, or a comment that was here; undefined for a new comment. */
  readonly object: MappedObject | undefined
  readonly id: number
  readonly content: string
  readonly date: string
  readonly source: number
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

  /** Whether the site had no comments, so that all comments of the file keep their IDs. */
  get preservesIds(): boolean {
    return this.#ids.keep && this.#ids.highestBefore === 0
  }

  /** Adds the comments of posts that the site does not have yet, and updates comments that were not changed here. */
  async add(batch: Batch, posts: readonly CommentedPost[]): Promise<void> {
    const commented = posts.filter(({ item }) => item.comments.length > 0)
    if (commented.length === 0) return
    const here = commented.filter(({ isHere }) => isHere)
    const oldIds = (list: readonly CommentedPost[]) => list.flatMap(({ item }) => item.comments.map(({ id }) => id))
    const known = await this.#context.oldSite.find('comment', [
      ...here.flatMap(({ oldId, item }) => item.comments.map((comment) => keyIdOf(oldId, comment))),
      // A parent can be a comment of an earlier import that the file does not repeat.
      ...here.flatMap(({ item }) => item.comments.map(({ parent }) => parent).filter((parent) => parent !== 0)),
    ])
    const existing = await this.#find(here, known)
    const free = await this.#context.freeIds(
      'comment',
      this.#ids,
      oldIds(commented).filter((id) => id !== 0),
    )
    for (const post of commented) await this.#addTo(batch, post, known, existing, free)
  }

  /** Finds comments of posts that are not in the map: other imports brought them before there was one. */
  async #find(posts: readonly CommentedPost[], known: ReadonlyMap<number, MappedObject>): Promise<ExistingComments> {
    const existing: ExistingComments = new Map()
    const unknown = posts.filter(({ oldId, item }) =>
      item.comments.some((comment) => !known.has(keyIdOf(oldId, comment))),
    )
    if (unknown.length === 0) return existing
    const { oldSite, tx } = this.#context
    const ids = unknown.map(({ id }) => id)
    const query = tx.db.selectFrom('comments').select(['id', 'post_id', 'date', 'author_name', 'content']).orderBy('id')
    const rows = await tx.all(query.where('post_id', 'in', padded(ids)))
    const mapped = await oldSite.findByNewIds(
      'comment',
      rows.map(({ id }) => id),
    )
    for (const row of rows) {
      if (mapped.has(row.id)) continue
      const key = keyOf(row.post_id, row.date, row.author_name, row.content)
      existing.set(key, [...(existing.get(key) ?? []), row.id])
    }
    return existing
  }

  async #addTo(
    batch: Batch,
    post: CommentedPost,
    known: ReadonlyMap<number, MappedObject>,
    existing: ExistingComments,
    free: Set<number>,
  ): Promise<void> {
    const { counters, oldSite } = this.#context
    const planned: PlannedComment[] = []
    for (const comment of post.item.comments) {
      planned.push(await this.#plan(post, comment, known, existing, free))
    }
    const ids = new Map(planned.map(({ comment, id }) => [comment.id, id]))
    // Comments without an ID share 0, which is also the parent of comments on the top level.
    ids.set(0, 0)
    const parents = new Map(post.item.comments.map(({ id, parent }) => [id, parent]))
    let changes = 0
    for (const one of planned) {
      const { object, source } = one
      const { id, parent } = one.comment
      const isCycle = isOwnAncestor(id, parents)
      const parentId = isCycle ? 0 : (ids.get(parent) ?? known.get(parent)?.newId ?? 0)
      if (object === undefined) {
        this.#addOne(batch, post.id, one, parentId, isCycle)
        changes += 1
      } else if (object.newId === 0) counters.skipped('comments', DELETED_HERE)
      else if (object.source === source || object.source === 0 || object.written === 0) {
        counters.alreadyHere('comments')
        if (object.source !== source) oldSite.set(one.key, { ...object, source })
      } else if (await this.#update(post.id, one, object, parentId, isCycle)) changes += 1
    }
    if (changes > 0 && post.isHere) batch.commented.push(post.id)
  }

  /** Determines the object of a comment. */
  async #plan(
    { id: postId, oldId, item }: CommentedPost,
    comment: WxrComment,
    known: ReadonlyMap<number, MappedObject>,
    existing: ExistingComments,
    free: Set<number>,
  ): Promise<PlannedComment> {
    const { filter, findings, mapValueTaps, now, restores, rewrite } = this.#context
    for (const { key } of comment.meta) findings.add('meta comment', this.#context.metaKey(key))
    const trusted = await this.#users.mayWriteHtml(this.#users.idOfFileId(comment.userId))
    const content = filter.comment(rewrite(comment.content), trusted)
    const date = comment.date || comment.dateGmt || datesOf(item, now).date
    const name = fingerprint([oldId])
    const source = fingerprint([
      comment.author,
      comment.email,
      comment.url,
      comment.ip,
      date === now ? '' : date,
      comment.dateGmt,
      content,
      comment.approved,
      comment.type,
      comment.parent,
      comment.userId,
      ...comment.meta.flatMap(({ key, value }) => [key, value]),
      ...(comment.meta.length > 0 ? mapValueTaps : []),
    ])
    let key: ObjectKey = { kind: 'comment', taxonomy: '', oldId: keyIdOf(oldId, comment) }
    let object = known.get(key.oldId)
    if (object !== undefined && object.name !== name) {
      key = { ...key, oldId: keyOfName(`comment ${oldId} ${comment.id}`) }
      object = (await this.#context.oldSite.find('comment', [key.oldId])).get(key.oldId)
    }
    if (object?.newId === 0 && restores) object = undefined
    if (object === undefined) {
      const find = (text: string) => existing.get(keyOf(postId, date, comment.author, text))?.shift()
      const here = find(content) ?? find(comment.content)
      if (here !== undefined) object = { newId: here, name, source: 0, written: 0 }
    }
    const id = object?.newId ?? this.#ids.next(comment.id, free)
    return { comment, key, name, object, id, content, date, source }
  }

  #addOne(batch: Batch, postId: number, one: PlannedComment, parentId: number, isCycle: boolean): void {
    const { counters, oldSite } = this.#context
    const { comment, id, key, name, source } = one
    const state = this.#stateOf(postId, one, parentId, isCycle)
    batch.comments.push([id, ...OBJECT_COLUMNS.comment.map((column) => state.row[column])])
    batch.commentMeta.push(...state.meta.map((value) => [id, ...value]))
    oldSite.set(key, { newId: id, name, source, written: fingerprintOf('comment', state) })
    counters.imported('comments')
    if (comment.parent !== 0 && parentId === 0) {
      counters.note('reply to a comment that is not in the file; now a top-level comment', comment.author)
    }
    if (comment.userId !== 0 && state.row['author_id'] === 0) {
      counters.note('comment of a user who is not in the file; keeps the name of the author', comment.author)
    }
  }

  /** Updates a comment, unless it was changed here. Returns whether it was updated. */
  async #update(
    postId: number,
    one: PlannedComment,
    object: MappedObject,
    parentId: number,
    isCycle: boolean,
  ): Promise<boolean> {
    const { counters, oldSite, pending, tx } = this.#context
    const before = (await readStates(tx, 'comment', [one.id])).get(one.id)
    if (before === undefined || fingerprintOf('comment', before) !== object.written) {
      counters.skipped('comments', CHANGED_HERE)
      return false
    }
    await pending.removeOf('comment', [one.id])
    const state = this.#stateOf(postId, one, parentId, isCycle)
    if (one.date === this.#context.now) state.row['date'] = before.row['date']!
    await writeState(tx, 'comment', one.id, before, state)
    oldSite.set(one.key, { ...object, source: one.source, written: fingerprintOf('comment', state) })
    counters.updated('comments')
    return true
  }

  /** The comment as the import writes it. Missing objects that it refers to are remembered. */
  #stateOf(postId: number, one: PlannedComment, parentId: number, isCycle: boolean): ObjectState {
    const { pending, rewrite, values } = this.#context
    const { comment, content, date, id } = one
    const author = this.#users.idOfFileId(comment.userId)
    const isParentMissing = comment.parent !== 0 && parentId === 0 && !isCycle
    const late = (field: string, target: Target) =>
      pending.add({ holder: 'comment', holderId: id, field, targets: [target], source: String(target[2]), written: 1 })
    if (isParentMissing) late('parent_id', ['comment', '', comment.parent])
    if (comment.userId !== 0 && author === 0) late('author_id', ['user', '', comment.userId])
    const type = comment.type || 'comment'
    const row: Columns = {
      post_id: postId,
      parent_id: parentId,
      author_id: author,
      author_name: comment.author,
      author_email: comment.email,
      author_url: rewrite(comment.url),
      author_ip: comment.ip,
      date,
      date_gmt: comment.dateGmt || date,
      content,
      approved: comment.approved,
      type,
    }
    const owner = { holder: 'comment', holderId: id, objectType: type } as const
    return { row, meta: values.metaRows(owner, comment.meta), terms: [] }
  }
}

/** Number of public comments of an item; notes are visible to editors only. */
export function countApproved({ comments }: WxrItem): number {
  return comments.filter((comment) => comment.approved === '1' && comment.type !== NOTE).length
}

/** The key in the map of the old site. @param post key of the post */
function keyIdOf(post: number, { id, date, dateGmt, author, content }: WxrComment): number {
  return id === 0 ? keyOfName(['comment', post, date || dateGmt, author, content].join('\n')) : id
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
