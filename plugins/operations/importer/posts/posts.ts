import type { ImportContext } from '../context.ts'
import { noteMissing, type HasFile } from '../media.ts'
import type { MediaUrls } from '../old-sites/media-urls.ts'
import {
  fingerprintOf,
  isMaintained,
  OBJECT_COLUMNS,
  readStates,
  writeState,
  type ObjectState,
} from '../old-sites/object-state.ts'
import { CHANGED_HERE, DELETED_HERE } from '../old-sites/reasons.ts'
import type { ImportedTerms } from '../terms.ts'
import type { ImportedUsers } from '../users/users.ts'
import type { IdSequence } from '../id-map.ts'
import type { WxrItem } from '../wxr/types.ts'
import { Batch } from './batch.ts'
import { countApproved, ImportedComments, type CommentedPost } from './comments.ts'
import { draftOf, type Draft } from './draft.ts'
import { Parents } from './parents.ts'
import { Planner, type Plan, type PlannedItem } from './plan.ts'
import { freeSlug, isSlugOrNumbered, revisionSlug } from './slugs.ts'

/** Items written together: this many, or fewer if their texts are long. */
const BATCH_ITEMS = 128
const BATCH_CHARACTERS = 1_000_000

interface PostsParts {
  readonly users: ImportedUsers
  readonly terms: ImportedTerms
  readonly comments: ImportedComments
  readonly ids: IdSequence
  readonly mediaUrls: MediaUrls
  readonly hasFile: HasFile | undefined
  /** Called for each attachment, also existing ones. @param id on this site @param url of its file on the old site */
  readonly onAttachment?: ((id: number, url: string) => void) | undefined
}

/** An item about to be written. */
interface Written {
  readonly planned: PlannedItem
  /** ID on this site. */
  readonly id: number
  readonly draft: Draft
}

/** The items of an import with their meta, terms and comments. */
export class ImportedPosts {
  /** IDs of sticky items on this site. */
  readonly sticky: number[] = []
  readonly #context: ImportContext
  readonly #parts: PostsParts
  readonly #planner: Planner
  readonly #parents: Parents
  /** Items that are not written yet. */
  #buffered: WxrItem[] = []
  #bufferedCharacters = 0

  private constructor(context: ImportContext, parts: PostsParts) {
    this.#context = context
    this.#parts = parts
    this.#planner = new Planner(context, this.preservesIds)
    this.#parents = new Parents(context)
  }

  static async open(context: ImportContext, parts: Omit<PostsParts, 'comments' | 'ids'>): Promise<ImportedPosts> {
    const ids = await context.idSequence('post')
    const comments = new ImportedComments(context, parts.users, await context.idSequence('comment'))
    return new ImportedPosts(context, { ...parts, comments, ids })
  }

  /** Whether the site had no items, so that all items of the file keep their IDs. */
  get preservesIds(): boolean {
    return this.#parts.ids.keep && this.#parts.ids.highestBefore === 0 && this.#context.oldSite.isNew
  }

  /** Whether the site had neither items nor comments, so that no lookups are necessary. */
  get startsEmpty(): boolean {
    return this.preservesIds && this.#parts.comments.preservesIds
  }

  /** Adds an item, which is written with the next batch. */
  async add(item: WxrItem): Promise<void> {
    this.#buffered.push(item)
    this.#bufferedCharacters += lengthOf(item)
    if (this.#buffered.length >= BATCH_ITEMS || this.#bufferedCharacters >= BATCH_CHARACTERS) await this.flush()
  }

  /** Writes the buffered items. */
  async flush(): Promise<void> {
    while (this.#buffered.length > 0) {
      // Items with the same ID are compared when the first one is written.
      const byId = Map.groupBy(this.#buffered, ({ id }) => id)
      const items = this.#buffered.filter((item) => item.id === 0 || byId.get(item.id)?.[0] === item)
      this.#buffered = this.#buffered.filter((item) => item.id !== 0 && byId.get(item.id)?.[0] !== item)
      this.#bufferedCharacters = 0
      await this.#write(items)
    }
  }

  async #write(items: readonly WxrItem[]): Promise<void> {
    const { comments, ids, terms } = this.#parts
    const saved = items.filter((item) => item.status !== 'auto-draft')
    for (const item of items) if (item.status === 'auto-draft') this.#skipUnsaved(item)
    const plan = await this.#planner.plan(saved)
    const free = await this.#context.freeIds(
      'post',
      ids,
      saved.map(({ id }) => id).filter((id) => id !== 0),
    )
    const batch = new Batch()
    const written: Written[] = []
    const commented: CommentedPost[] = []
    const isDeleted = ({ object }: PlannedItem) => object?.newId === 0 && !this.#context.restores
    for (const planned of plan.items) {
      if (isDeleted(planned)) this.#skipDeleted(planned)
      else {
        const draft = await draftOf(this.#context, this.#parts.users, planned.item)
        // All items of a batch get their IDs first, because they can refer to later ones.
        const id = planned.object?.newId || ids.next(Math.max(0, planned.oldId), free)
        this.#register(planned, id, draft)
        written.push({ planned, id, draft })
        commented.push({ id, oldId: planned.oldId, item: planned.item, isHere: id === planned.object?.newId })
      }
    }
    await this.#loadTargets(written)
    this.#parents.startBatch(written.map(({ id, draft }) => ({ id, parent: draft.item.parent })))
    const existing = written.filter(({ planned, id }) => planned.object?.newId === id)
    await this.#update(existing, plan)
    for (const one of written) {
      if (one.planned.object?.newId !== one.id) await this.#addPost(batch, one, plan.takenSlugs)
      this.#reportAttachment(one)
    }
    await comments.add(batch, commented)
    await terms.flush()
    await batch.write(this.#context)
    await this.#context.oldSite.flush()
    await this.#context.pending.flush()
  }

  /** Enters a new item into the map, so that others can refer to it. */
  #register({ oldId, name, object }: PlannedItem, id: number, { source }: Draft): void {
    if (object?.newId === id) return
    this.#context.oldSite.set({ kind: 'post', taxonomy: '', oldId }, { newId: id, name, source, written: 0 })
  }

  /** Loads the posts to which items refer. */
  async #loadTargets(written: readonly Written[]): Promise<void> {
    const { links, values } = this.#context
    if (this.preservesIds) return
    const targets = written.flatMap(({ planned, id, draft: { item, columns, content, excerpt, meta, source } }) => {
      if (planned.object?.source === source && planned.object.newId === id) return []
      const owner = { holder: 'post', holderId: id, objectType: String(columns['type']) } as const
      const parent = item.parent === 0 ? [] : [['post', '', item.parent] as const]
      return [...parent, ...values.targetsOf(owner, [content, excerpt], meta)]
    })
    await links.load(targets)
  }

  #skipUnsaved(item: WxrItem): void {
    const { counters } = this.#context
    const reason = 'drafts that were never saved'
    counters.skipped(kindOf(item.type), reason)
    if (item.comments.length > 0) counters.skipped('comments', reason, item.comments.length)
    if (item.meta.length > 0) counters.skipped('meta', reason, item.meta.length)
    this.#context.oldSite.addUnsaved(item.id)
  }

  #skipDeleted({ item }: PlannedItem): void {
    const { counters } = this.#context
    const isRevision = item.type === 'revision'
    counters.skipped(kindOf(item.type), isRevision ? 'deleted here, or over the limit of revisions' : DELETED_HERE)
    if (item.comments.length > 0) counters.skipped('comments', DELETED_HERE, item.comments.length)
  }

  async #addPost(batch: Batch, one: Written, takenSlugs: ReadonlySet<string>): Promise<void> {
    const { counters, oldSite } = this.#context
    const { draft, id, planned } = one
    const { item, columns, file, meta, source } = draft
    const type = String(columns['type'])
    if (type === 'attachment') await noteMissing(counters, item, file, this.#parts.hasFile)
    const state = this.#stateOf(one)
    if (type === 'revision') state.row['slug'] = revisionSlug(item.slug, Number(state.row['parent_id']))
    else state.row['slug'] = await freeSlug(this.#context, type, item, takenSlugs, () => this.#termsOf(item))
    batch.posts.push([id, countApproved(item), ...OBJECT_COLUMNS.post.map((column) => state.row[column])])
    batch.meta.push(...state.meta.map((value) => [id, ...value]))
    const listed = [type, columns['status'], columns['date']]
    batch.links.push(...state.terms.map((term, position) => [id, term, position, ...listed]))
    const written = fingerprintOf('post', state)
    oldSite.set(
      { kind: 'post', taxonomy: '', oldId: planned.oldId },
      { newId: id, name: planned.name, source, written },
    )
    if (item.sticky) this.sticky.push(id)
    counters.imported(kindOf(type))
    counters.imported('meta', meta.length)
    const withoutKey = item.meta.filter(({ key }) => key === '').length
    if (withoutKey > 0) counters.skipped('meta', 'without a key', withoutKey)
  }

  /** Updates existing posts whose source gives another result, unless they were changed here. */
  async #update(existing: readonly Written[], plan: Plan): Promise<void> {
    const { counters, oldSite, pending, tx } = this.#context
    const differing = existing.filter(({ planned, draft }) => planned.object!.source !== draft.source)
    for (const { draft, planned } of existing) {
      if (planned.object!.source === draft.source) counters.alreadyHere(kindOf(String(draft.columns['type'])))
    }
    const states = await readStates(
      tx,
      'post',
      differing.map(({ id }) => id),
    )
    for (const one of differing) {
      const { draft, id, planned } = one
      const { name, oldId } = planned
      const kind = kindOf(String(draft.columns['type']))
      const { source, written } = planned.object!
      const before = states.get(id)
      if (before === undefined) continue
      const key = { kind: 'post', taxonomy: '', oldId } as const
      const here = stateHere(before, written, draft)
      if (source === 0) {
        // The post was here before the map: nothing tells whether it was changed.
        counters.alreadyHere(kind)
        oldSite.set(key, { newId: id, name, source: draft.source, written: 0 })
      } else if (here === 'changed') counters.skipped(kind, CHANGED_HERE)
      else {
        await pending.removeOf('post', [id])
        const after = this.#stateOf(one)
        await this.#keepLocalValues(one, before, after, plan.takenSlugs, here === 'meta')
        await writeState(tx, 'post', id, before, after)
        oldSite.set(key, { newId: id, name, source: draft.source, written: fingerprintOf('post', after) })
        if (draft.item.sticky) this.sticky.push(id)
        // Another source can give the same result.
        if (fingerprintOf('post', after) === fingerprintOf('post', before)) counters.alreadyHere(kind)
        else counters.updated(kind)
      }
    }
  }

  /**
   * Completes the new state of a post with values that this site chose.
   * @param hasLocalMeta whether meta of other keys was added here
   */
  async #keepLocalValues(
    { draft: { item, columns }, id }: Written,
    before: ObjectState,
    after: ObjectState,
    takenSlugs: ReadonlySet<string>,
    hasLocalMeta: boolean,
  ): Promise<void> {
    const type = String(columns['type'])
    const { row } = before
    if (type === 'revision') after.row['slug'] = revisionSlug(item.slug, Number(after.row['parent_id']))
    else if (isSlugOrNumbered(String(row['slug']), item.slug)) after.row['slug'] = row['slug']!
    else after.row['slug'] = await freeSlug(this.#context, type, item, takenSlugs, () => this.#termsOf(item))
    for (const column of ['date', 'modified']) {
      if (after.row[column] === this.#context.now) after.row[column] = row[column]!
    }
    const parent = Number(after.row['parent_id'])
    if (parent !== row['parent_id'] && (await this.#context.isAbove('posts', id, parent))) {
      after.row['parent_id'] = row['parent_id']!
    }
    const maintained = before.meta.filter(([key]) => isMaintained(key))
    const sent = new Set(after.meta.map(([key]) => key))
    const added = hasLocalMeta ? before.meta.filter(([key]) => !isMaintained(key) && !sent.has(key)) : []
    const kept = new Set(maintained.map(([key]) => key))
    after.meta.splice(0, Infinity, ...after.meta.filter(([key]) => !kept.has(key)), ...maintained, ...added)
  }

  #reportAttachment({ id, draft: { file, item } }: Written): void {
    if (item.type !== 'attachment') return
    this.#parts.mediaUrls.add(item.attachmentUrl, file)
    this.#parts.onAttachment?.(id, item.attachmentUrl)
  }

  /** IDs of the terms of an item, by taxonomy. */
  #termsOf({ terms }: WxrItem): ReadonlyMap<string, readonly number[]> {
    const byTaxonomy = Map.groupBy(terms, ({ taxonomy }) => this.#context.typeName(taxonomy))
    return new Map(
      [...byTaxonomy].map(([taxonomy, own]) => [taxonomy, own.map((term) => this.#parts.terms.idOf(term))]),
    )
  }

  /** The post as the import writes it. Missing objects that it refers to are remembered. */
  #stateOf({ id, draft: { item, columns, content, excerpt, meta } }: Written): ObjectState {
    const { values } = this.#context
    const other = (key: string) => item.meta.find((one) => this.#context.metaKey(one.key) === key)?.value
    const owner = { holder: 'post', holderId: id, objectType: String(columns['type']), other } as const
    const row = {
      ...columns,
      content: values.text(owner, 'content', content),
      excerpt: values.text(owner, 'excerpt', excerpt),
      parent_id: this.#parents.of(id, item.parent),
    }
    const rows = meta.map(([key, value]) => values.metaRow(owner, key, value))
    const terms = new Set(item.terms.map((term) => this.#parts.terms.idOf(term)).filter((term) => term !== 0))
    return { row, meta: rows, terms: [...terms] }
  }
}

/**
 * Whether a post is as an import wrote it: in all its meta, or in the meta that the file has.
 * @returns `meta` if only meta of other keys was added here
 */
function stateHere(state: ObjectState, written: number, { meta }: Draft): 'unchanged' | 'meta' | 'changed' {
  if (fingerprintOf('post', state) === written) return 'unchanged'
  const keys = new Set(meta.map(([key]) => key))
  return fingerprintOf('post', state, keys) === written ? 'meta' : 'changed'
}

/** The name in the report for items of a type. */
function kindOf(type: string): string {
  return `${type} items`
}

function lengthOf({ content, excerpt, comments, meta }: WxrItem): number {
  let length = content.length + excerpt.length
  for (const comment of comments) length += comment.content.length
  for (const { value } of meta) length += value.length
  return length
}
