import { METADATA_KEY } from '../../../content/meta-keys.ts'
import type { ImportContext } from '../context.ts'
import { attachedFile, attachmentMeta, mimeType, noteMissing, safeMetadata, type HasFile } from '../media.ts'
import { storedValue } from '../php-values.ts'
import type { WxrItem } from '../wxr/types.ts'
import { Batch } from './batch.ts'
import { countApproved, ImportedComments } from './comments.ts'
import { datesOf } from './dates.ts'
import { ItemIds } from './item-ids.ts'
import { Parents } from './parents.ts'
import { Planner } from './plan.ts'
import { References, type ReferenceTargets } from './references.ts'
import { freeSlug, revisionSlug } from './slugs.ts'

/** Items written together: this many, or fewer if their texts are long. */
const BATCH_ITEMS = 128
const BATCH_CHARACTERS = 1_000_000

interface PostsParts extends ReferenceTargets {
  readonly comments: ImportedComments
  readonly hasFile: HasFile | undefined
  /** Called for each attachment, also existing ones. @param id on this site @param url of its file on the old site */
  readonly onAttachment?: ((id: number, url: string) => void) | undefined
}

/** The items of an import with their meta, terms and comments. */
export class ImportedPosts {
  /** IDs of sticky items on this site. */
  readonly sticky: number[] = []
  readonly #context: ImportContext
  readonly #parts: PostsParts
  readonly #planner: Planner
  readonly #parents: Parents
  readonly #references: References
  /** Items that are not written yet. */
  #buffered: WxrItem[] = []
  #bufferedCharacters = 0

  private constructor(context: ImportContext, parts: PostsParts) {
    this.#context = context
    this.#parts = parts
    this.#planner = new Planner(context, parts.ids)
    this.#parents = new Parents(context, parts.ids)
    this.#references = new References(context, parts)
  }

  static async open(context: ImportContext, parts: Omit<PostsParts, 'comments' | 'ids'>): Promise<ImportedPosts> {
    const ids = new ItemIds(context, await context.idSequence('posts'))
    const comments = new ImportedComments(context, parts.users, await context.idSequence('comments'))
    return new ImportedPosts(context, { ...parts, comments, ids })
  }

  /** Whether the site had no items, so that items of the file keep their IDs. */
  get preservesIds(): boolean {
    return this.#parts.ids.keep
  }

  /** Whether the site had neither items nor comments, so that no lookups are necessary. */
  get startsEmpty(): boolean {
    return this.preservesIds && this.#parts.comments.preservesIds
  }

  /** ID on this site of the item with this ID in the file; 0 for none. */
  idOfFileId(id: number): number {
    return this.#parts.ids.get(id)
  }

  /** Adds an item, which is written with the next batch. */
  async add(item: WxrItem): Promise<void> {
    this.#buffered.push(item)
    this.#bufferedCharacters += lengthOf(item)
    if (this.#buffered.length >= BATCH_ITEMS || this.#bufferedCharacters >= BATCH_CHARACTERS) await this.flush()
  }

  /** Writes the buffered items. */
  async flush(): Promise<void> {
    const items = this.#buffered
    this.#buffered = []
    this.#bufferedCharacters = 0
    const { comments, terms } = this.#parts
    const { existingIds, takenSlugs } = await this.#planner.plan(items)
    const commentsHere = await comments.find([...existingIds.values()])
    const batch = new Batch()
    for (const item of items) {
      const id = existingIds.get(item)
      if (item.status === 'auto-draft') this.#skipUnsaved(item)
      else if (id === undefined) await this.#addPost(batch, item, takenSlugs)
      else {
        this.#context.counters.alreadyHere(kindOf(this.#context.typeName(item.type)))
        this.#parts.ids.set(item.id, id)
        this.#reportAttachment(id, item)
        if ((await comments.add(batch, id, item, commentsHere)) > 0) batch.commented.push(id)
      }
    }
    await terms.flush()
    await batch.write(this.#context)
  }

  /** Resolves references to objects that come later in the file. Call it after `flush`. */
  async resolveReferences(): Promise<void> {
    await this.#parents.resolve()
    await this.#references.resolve()
  }

  #skipUnsaved(item: WxrItem): void {
    const { counters } = this.#context
    const reason = 'drafts that were never saved'
    counters.skipped(kindOf(item.type), reason)
    if (item.comments.length > 0) counters.skipped('comments', reason, item.comments.length)
    if (item.meta.length > 0) counters.skipped('meta', reason, item.meta.length)
    this.#parents.addUnsaved(item.id)
  }

  async #addPost(batch: Batch, item: WxrItem, takenSlugs: ReadonlySet<string>): Promise<void> {
    const context = this.#context
    const { comments, hasFile, ids, users } = this.#parts
    const type = context.typeName(item.type)
    const { status } = item
    // Looked up before the item gets an ID, because an item can name itself as its parent.
    const knownParent = ids.get(item.parent)
    const id = ids.assign(item)
    const author = await users.idOf(item.creator)
    const parent = knownParent || this.#parents.addLater(id, type, item.parent)
    const file = type === 'attachment' ? attachedFile(item) : ''
    if (type === 'attachment') await noteMissing(context.counters, item, file, hasFile)
    this.#reportAttachment(id, item)
    const { date, dateGmt, modified, modifiedGmt } = datesOf(item, context.now)
    const slug =
      type === 'revision' && knownParent !== 0
        ? revisionSlug(item.slug, knownParent)
        : await freeSlug(context, type, item, takenSlugs)
    const texts = await this.#textsOf(item, author)
    const content = this.#references.inText(id, texts.content)
    // A revision has no password: the password of its post applies.
    const password = type === 'revision' ? '' : item.password
    const media = type === 'attachment' ? mimeType(item, file) : ''
    batch.posts.push([
      id,
      type,
      status,
      slug,
      texts.title,
      content,
      texts.excerpt,
      password,
      author,
      parent,
      item.menuOrder,
      date,
      dateGmt,
      modified,
      modifiedGmt,
      item.commentStatus,
      item.pingStatus,
      countApproved(item),
      context.rewrite(item.guid),
      media,
    ])
    this.#addMeta(batch, id, type, item, file)
    this.#addTerms(batch, id, item, [type, status, date])
    await comments.add(batch, id, item, new Map())
    if (item.sticky) this.sticky.push(id)
    context.counters.imported(kindOf(type))
  }

  #reportAttachment(id: number, { type, attachmentUrl }: WxrItem): void {
    if (type === 'attachment') this.#parts.onAttachment?.(id, attachmentUrl)
  }

  /** The texts of an item with URLs of this site, filtered unless its author may write unfiltered HTML. */
  async #textsOf(item: WxrItem, author: number): Promise<{ title: string; content: string; excerpt: string }> {
    const { filter, rewrite, trustsHtml } = this.#context
    const { title } = item
    const texts = { title, content: rewrite(item.content), excerpt: rewrite(item.excerpt) }
    if (trustsHtml || (await this.#parts.users.mayWriteHtml(author))) return texts
    return {
      title: filter.title(title),
      content: filter.content(texts.content, title),
      excerpt: filter.content(texts.excerpt, title),
    }
  }

  #addMeta(batch: Batch, id: number, type: string, item: WxrItem, file: string): void {
    const { counters, filter } = this.#context
    for (const { key: fileKey, value } of type === 'attachment' ? attachmentMeta(item, file) : item.meta) {
      if (fileKey === '') {
        counters.skipped('meta', 'without a key')
        continue
      }
      const key = this.#context.metaKey(fileKey)
      const reference = this.#references.inMeta(id, item, key, value)
      const read = reference ?? filter.meta(key, this.#context.metaValue(key, value))
      const stored = storedValue(key === METADATA_KEY ? safeMetadata(read, file) : read)
      batch.meta.push([id, key, stored.value, stored.json])
      counters.imported('meta')
    }
  }

  /** @param listed type, status and date of the item */
  #addTerms(batch: Batch, id: number, item: WxrItem, listed: readonly string[]): void {
    const terms = new Set(item.terms.map((term) => this.#parts.terms.idOf(term)))
    let position = 0
    for (const term of terms) batch.links.push([id, term, position++, ...listed])
  }
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
