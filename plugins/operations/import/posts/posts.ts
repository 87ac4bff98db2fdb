import { IdMap, Numbering } from '../id-map.ts'
import { padded } from '../context.ts'
import type { Job } from '../context.ts'
import { attachedFile, attachmentMeta, METADATA_KEY, mimeType, noteMissing, safeMetadata } from '../media.ts'
import type { HasFile } from '../media.ts'
import { utc } from '../users.ts'
import type { People } from '../users.ts'
import { mapNumbers, namesOthers } from './text-ids.ts'
import type { Terms } from '../terms.ts'
import { storedValue } from '../php-values.ts'
import type { WxrComment, WxrItem, WxrMeta } from '../wxr/reader.ts'

/** Items are written together: this many, or fewer when their texts are long. */
const BATCH_ITEMS = 128
const BATCH_CHARACTERS = 1_000_000
/** Texts that are read together once everything is there. */
const BATCH_TEXTS = 32

// prettier-ignore
const POST_COLUMNS = [
  'id', 'type', 'status', 'slug', 'title', 'content', 'excerpt', 'password', 'author_id', 'parent_id', 'menu_order',
  'date', 'date_gmt', 'modified', 'modified_gmt', 'comment_status', 'ping_status', 'comment_count', 'guid', 'mime_type',
] as const
// prettier-ignore
const COMMENT_COLUMNS = [
  'id', 'post_id', 'parent_id', 'author_id', 'author_name', 'author_email', 'author_url', 'author_ip', 'date',
  'date_gmt', 'content', 'approved', 'type',
] as const
const LINK_COLUMNS = ['post_id', 'term_id', 'position', 'post_type', 'post_status', 'post_date'] as const

/** How far up answers are followed in search of a circle. */
const ANSWERS = 1000

/** Statuses of comments, under the names that files use. */
const APPROVED: Readonly<Record<string, string>> = { approve: '1', approved: '1', hold: '0', '': '0' }
/** Said of a reference whose id means nothing here. */
const LOST = 'reference to something that is not in the file; points to nothing now'

/** A post that is on the site already, as far as it tells which one it is. */
interface Known {
  id: number
  type: string
  slug: string
  date: string
  guid: string
}

/** Said of a block of a plugin that may name something by its number. */
const UNCLEAR = 'block of a plugin whose "id" may be a number of the file; left as it is'

/** Keys of extra values that hold the id of an item, or of what a menu item shows. */
const REFERENCES = ['_thumbnail_id', '_menu_item_menu_item_parent', '_menu_item_object_id'] as const

/** The items of an import with their extra values, terms and comments. */
export class Posts {
  /** Ids of sticky items on this site. */
  readonly sticky: number[] = []
  private readonly job: Job
  private readonly people: People
  private readonly terms: Terms
  private readonly hasFile: HasFile | undefined
  private readonly now = utc(new Date())
  private readonly highestBefore: number
  private readonly numbering: Numbering
  private readonly commentNumbering: Numbering
  /** By id in the file. */
  private readonly ids = new IdMap()
  /** Posts of the site that an item of the file was found to be. */
  private readonly claimed = new IdMap()
  /** Those that posts of the site have. */
  private statuses: string[] | undefined
  private waiting: WxrItem[] = []
  private waitingCharacters = 0
  private posts: unknown[][] = []
  private meta: unknown[][] = []
  private links: unknown[][] = []
  private comments: unknown[][] = []
  private commentMeta: unknown[][] = []
  /** Posts of the site that got comments. */
  private commented: number[] = []
  /** Items whose parent comes later: id here, id of the parent in the file. */
  private readonly children: number[] = []
  /** Revisions and autosaves among those. */
  private readonly revisions = new IdMap()
  /** Ids in the file of items that were never saved, and are not here. */
  private readonly unsaved = new Set<number>()
  /** Extra values that hold the id of something which comes later: id of the post, place of the key, id in the file. */
  private readonly late: number[] = []
  /** Items whose text names something that comes later. */
  private readonly lateTexts: number[] = []

  private constructor(
    job: Job,
    people: People,
    terms: Terms,
    highest: number,
    highestComment: number,
    hasFile?: HasFile,
  ) {
    this.job = job
    this.people = people
    this.terms = terms
    this.hasFile = hasFile
    this.highestBefore = highest
    this.numbering = new Numbering(highest === 0, highest)
    this.commentNumbering = new Numbering(highestComment === 0, highestComment)
  }

  static async open(job: Job, people: People, terms: Terms, hasFile?: HasFile): Promise<Posts> {
    return new Posts(job, people, terms, await job.highestId('posts'), await job.highestId('comments'), hasFile)
  }

  /** Whether the site had no items, so that those of the file keep their ids. */
  get keepsIds(): boolean {
    return this.highestBefore === 0
  }

  /** Whether the site had neither items nor comments, so that nothing has to be looked up among them. */
  get startsEmpty(): boolean {
    return this.keepsIds && this.commentNumbering.keep
  }

  /** Id here of the item that the file calls by this number; 0 for none. */
  idOfFileId(id: number): number {
    return this.ids.get(id)
  }

  /** An item; it is written with those that follow. */
  async add(item: WxrItem): Promise<void> {
    this.waiting.push(item)
    this.waitingCharacters += item.content.length + item.excerpt.length
    for (const { content } of item.comments) this.waitingCharacters += content.length
    for (const { value } of item.meta) this.waitingCharacters += value.length
    if (this.waiting.length >= BATCH_ITEMS || this.waitingCharacters >= BATCH_CHARACTERS) await this.flush()
  }

  /** Writes what has gathered. */
  async flush(): Promise<void> {
    const items = this.waiting
    this.waiting = []
    this.waitingCharacters = 0
    const known = await this.findKnown(items)
    const slugs = await this.takenSlugs(items)
    const said = await this.findComments([...known.values()])
    for (const item of items) {
      const here = known.get(item)
      if (item.status === 'auto-draft') {
        this.job.counters.skipped(kindOf(item.type), 'drafts that were never saved')
        this.unsaved.add(item.id)
      } else if (here === undefined) await this.addPost(item, slugs)
      else {
        this.job.counters.alreadyHere(kindOf(this.job.typeName(item.type)))
        if (item.id !== 0) this.ids.set(item.id, here)
        if ((await this.addComments(here, item, said)) > 0) this.commented.push(here)
      }
    }
    await this.write()
  }

  /** Resolves the references to what came later in the file. Everything else is written: call `flush` before. */
  async settle(): Promise<void> {
    for (let index = 0; index < this.children.length; index += 2) {
      await this.settleParent(this.children[index] ?? 0, this.children[index + 1] ?? 0)
    }
    for (let index = 0; index < this.late.length; index += 3) {
      const [postId = 0, key = 0, fileId = 0] = this.late.slice(index, index + 3)
      await this.settleLate(postId, REFERENCES[key]!, fileId)
    }
    for (let start = 0; start < this.lateTexts.length; start += BATCH_TEXTS) {
      await this.settleTexts(this.lateTexts.slice(start, start + BATCH_TEXTS))
    }
  }

  /** For each item that is on the site already, the id it has there. */
  private async findKnown(items: WxrItem[]): Promise<Map<WxrItem, number>> {
    const known = new Map<WxrItem, number>()
    if (this.keepsIds || items.length === 0) return known
    const { tx, rewrite } = this.job
    const dates = padded([...new Set(items.map((item) => this.dates(item).date))])
    const ids = padded(items.map(({ id }) => id))
    const select = tx.db.selectFrom('posts').select(['id', 'type', 'slug', 'date', 'guid']).orderBy('id')
    // With the statuses, because the index on dates begins with them.
    const statuses = padded((this.statuses ??= await this.findStatuses()))
    const found = [
      ...(await tx.all(select.where('status', 'in', statuses).where('date', 'in', dates))),
      ...(await tx.all(select.where('id', 'in', ids))),
    ]
    const byGuid = Map.groupBy(new Map(found.map((post) => [post.id, post])).values(), ({ guid }) => guid)
    for (const item of items) {
      const guids = new Set([item.guid, rewrite(item.guid)])
      const id = this.claim(
        item,
        [...guids].flatMap((guid) => byGuid.get(guid) ?? []),
      )
      if (id !== 0) known.set(item, id)
    }
    return known
  }

  private async findStatuses(): Promise<string[]> {
    const { tx } = this.job
    return (await tx.all(tx.db.selectFrom('posts').select('status').distinct())).map(({ status }) => status)
  }

  /** The one of these posts that the item is; 0 for none. Each post is one item at most. */
  private claim(item: WxrItem, candidates: readonly Known[]): number {
    const type = this.job.typeName(item.type)
    const { date } = this.dates(item)
    const best = candidates
      .filter((post) => post.type === type && post.id <= this.highestBefore && !this.claimed.has(post.id))
      .map((post) => ({
        id: post.id,
        sameId: post.id === item.id,
        sameSlug: post.slug === item.slug,
        sameDate: post.date === date,
      }))
      // An address like ?p=1 says little: the date has to be the same too, or where it was changed, number and slug.
      .filter(({ sameId, sameSlug, sameDate }) =>
        item.guid === '' ? sameDate && sameSlug : sameDate || (sameId && sameSlug && item.slug !== ''),
      )
      .reduce((one, other) => (weight(other) > weight(one) ? other : one), {
        id: 0,
        sameId: false,
        sameSlug: false,
        sameDate: false,
      })
    if (best.id !== 0) this.claimed.set(best.id, best.id)
    return best.id
  }

  /** Slugs that posts of the site have, each with its type. */
  private async takenSlugs(items: WxrItem[]): Promise<Set<string>> {
    const wanted = this.keepsIds ? [] : [...new Set(items.map(({ slug }) => slug).filter((slug) => slug !== ''))]
    if (wanted.length === 0) return new Set()
    const { tx } = this.job
    const query = tx.db.selectFrom('posts').select(['type', 'slug']).where('slug', 'in', padded(wanted))
    const found = await tx.all(query.where('id', '<=', this.highestBefore))
    return new Set(found.map(({ type, slug }) => `${type}\n${slug}`))
  }

  /** The comments of posts of the site, by what tells which one each is. */
  private async findComments(postIds: number[]): Promise<Map<string, number[]>> {
    const said = new Map<string, number[]>()
    if (postIds.length === 0) return said
    const { tx } = this.job
    const query = tx.db.selectFrom('comments').select(['id', 'post_id', 'date', 'author_name', 'content']).orderBy('id')
    for (const row of await tx.all(query.where('post_id', 'in', padded(postIds)))) {
      const key = commentKey(row.post_id, row.date, row.author_name, row.content)
      said.set(key, [...(said.get(key) ?? []), row.id])
    }
    return said
  }

  private async addPost(item: WxrItem, slugs: ReadonlySet<string>): Promise<void> {
    const { job } = this
    const type = job.typeName(item.type) || 'post'
    const id = this.numbering.take(item.id)
    const parent = item.parent === 0 ? 0 : this.ids.get(item.parent)
    if (item.id !== 0 && !this.ids.has(item.id)) this.ids.set(item.id, id)
    else if (item.id !== 0) job.counters.note('item whose number another item of the file has too', item.title)
    const author = await this.people.idOf(item.creator)
    const filters = job.trustsHtml || (await this.people.mayWriteHtml(author)) ? null : job.filters
    if (item.parent !== 0 && parent === 0) {
      this.children.push(id, item.parent)
      if (type === 'revision') this.revisions.set(id, item.parent)
    }
    // On an empty site what comes later will most likely get the id that it has in the file.
    const expected = parent === 0 && this.keepsIds ? item.parent : parent
    const file = type === 'attachment' ? attachedFile(item) : ''
    if (type === 'attachment') await noteMissing(job, item, file, this.hasFile)
    const { date, dateGmt, modified, modifiedGmt } = this.dates(item)
    const textOf = (text: string) => {
      const here = job.rewrite(text)
      return filters === null ? here : filters.content(here, item.title)
    }
    this.posts.push([
      id,
      type,
      item.status || 'draft',
      type === 'revision' && parent !== 0 ? revisionSlug(item.slug, parent) : await this.freeSlug(type, item, slugs),
      filters === null ? item.title : filters.title(item.title),
      this.withNumbers(id, textOf(item.content)),
      textOf(item.excerpt),
      // A version is never opened by itself: the password of what it is a version of counts.
      type === 'revision' ? '' : item.password,
      author,
      expected,
      item.menuOrder,
      date,
      dateGmt,
      modified,
      modifiedGmt,
      item.commentStatus === 'open' ? 'open' : 'closed',
      item.pingStatus === 'open' ? 'open' : 'closed',
      item.comments.filter(({ approved }) => (APPROVED[approved] ?? approved) === '1').length,
      job.rewrite(item.guid),
      type === 'attachment' ? mimeType(item, file) : '',
    ])
    this.addMeta(id, item, type === 'attachment' ? attachmentMeta(item, file) : item.meta, file)
    this.addTerms(id, item, [type, item.status || 'draft', date])
    await this.addComments(id, item, new Map())
    if (item.sticky) this.sticky.push(id)
    job.counters.imported(kindOf(type))
  }

  /** The text with the numbers that things have here; as it is where some of them are known later only. */
  private withNumbers(id: number, text: string): string {
    const others = !this.people.keepsIds || !this.terms.keepsIds
    if (this.keepsIds && !(others && namesOthers(text))) return text
    const lost: number[] = []
    const mapped = this.mapNumbers(text, lost)
    if (lost.length === 0) return mapped
    this.lateTexts.push(id)
    return text
  }

  /** @param lost gets the numbers of items that are not known */
  private mapNumbers(text: string, lost: number[]): string {
    const { job, ids, people, terms, keepsIds } = this
    const item = (fileId: number) => {
      if (!ids.has(fileId)) lost.push(fileId)
      return ids.get(fileId)
    }
    const unclear: string[] = []
    const numbers = {
      item: (fileId: number) => (keepsIds ? fileId : item(fileId)),
      term: (taxonomy: string, fileId: number) => (terms.keepsIds ? fileId : terms.idOfFileId(taxonomy, fileId)),
      person: (fileId: number) => (people.keepsIds ? fileId : people.idOfFileId(fileId)),
      unclear: (block: string) => void unclear.push(block),
    }
    const mapped = mapNumbers(text, numbers, job.home)
    if (lost.length === 0) for (const block of unclear) job.counters.note(UNCLEAR, block)
    return mapped
  }

  private addMeta(id: number, item: WxrItem, values: readonly WxrMeta[], file: string): void {
    const { job } = this
    for (const meta of values) {
      if (meta.key === '') {
        job.counters.skipped('extra values', 'without a key')
        continue
      }
      const key = job.metaKey(meta.key)
      const read = this.reference(id, item, key, meta.value) ?? job.filters.meta(key, job.metaValue(meta.value))
      const value = storedValue(key === METADATA_KEY ? safeMetadata(read, file) : read)
      this.meta.push([id, key, value.value, value.json])
      job.counters.imported('extra values')
    }
  }

  /** The value of a key that holds an id, as it is here; undefined for any other. */
  private reference(id: number, item: WxrItem, key: string, value: string): string | undefined {
    if (!/^\d+$/.test(value) || value === '0') return undefined
    const fileId = Number(value)
    if (key === '_edit_last') return String(this.people.idOfFileId(fileId))
    const place = REFERENCES.findIndex((name) => name === key)
    if (place === -1) return undefined
    if (key === '_menu_item_object_id') {
      const type = item.meta.find((meta) => meta.key === '_menu_item_type')?.value
      if (type === 'taxonomy') return this.termReference(item, fileId)
      if (type !== 'post_type') return type === 'custom' ? String(id) : undefined
    }
    const here = this.ids.get(fileId)
    if (here === 0) this.late.push(id, place, fileId)
    return here === 0 && this.keepsIds ? value : String(here)
  }

  /** Terms come before all items, so the term that a menu item shows is known by now. */
  private termReference(item: WxrItem, fileId: number): string {
    const taxonomy = item.meta.find(({ key }) => key === '_menu_item_object')?.value ?? ''
    const here = this.terms.idOfFileId(taxonomy, fileId)
    if (here === 0) this.job.counters.note(LOST, `${taxonomy} ${fileId}`)
    return String(here)
  }

  /** @param listed type, status and date of the item */
  private addTerms(id: number, item: WxrItem, listed: readonly string[]): void {
    const terms = new Set(item.terms.map((term) => this.terms.idOf(term)))
    let position = 0
    for (const term of terms) this.links.push([id, term, position++, ...listed])
  }

  /**
   * The comments of an item that are not there yet.
   * @param said those of the post on the site; each is one comment of the file at most
   * @returns how many are new
   */
  private async addComments(postId: number, item: WxrItem, said: Map<string, number[]>): Promise<number> {
    const { job, people } = this
    const ids = new Map<number, number>()
    const parents = new Map(item.comments.map(({ id, parent }) => [id, parent]))
    const added: { comment: WxrComment; id: number; content: string; date: string }[] = []
    for (const comment of item.comments) {
      const trusted = await people.mayWriteHtml(people.idOfFileId(comment.userId))
      const content = job.filters.comment(job.rewrite(comment.content), trusted)
      const date = comment.date || comment.dateGmt || this.dates(item).date
      const known = [content, comment.content].map((text) =>
        said.get(commentKey(postId, date, comment.author, text))?.shift(),
      )
      const here = known.find((id) => id !== undefined)
      const id = here ?? this.commentNumbering.take(comment.id)
      if (comment.id !== 0 && !ids.has(comment.id)) ids.set(comment.id, id)
      if (here === undefined) added.push({ comment, id, content, date })
    }
    for (const { comment, id, content, date } of added) {
      const parent = isOwnAncestor(comment.id, parents) ? 0 : (ids.get(comment.parent) ?? 0)
      if (comment.parent !== 0 && parent === 0)
        job.counters.note('answer to a comment that is not in the file', comment.author)
      const account = people.idOfFileId(comment.userId)
      if (comment.userId !== 0 && account === 0) {
        job.counters.note('comment of an account that is not in the file; keeps the name', comment.author)
      }
      const { author, email, ip, approved } = comment
      const dateGmt = comment.dateGmt || (comment.date === '' ? date : '')
      const status = APPROVED[approved] ?? approved
      const url = job.rewrite(comment.url)
      const type = comment.type || 'comment'
      this.comments.push([id, postId, parent, account, author, email, url, ip, date, dateGmt, content, status, type])
      for (const { key, value } of comment.meta) {
        const stored = job.storedMeta(value)
        if (key !== '') this.commentMeta.push([id, job.metaKey(key), stored.value, stored.json])
      }
    }
    job.counters.imported('comments', added.length)
    job.counters.alreadyHere('comments', item.comments.length - added.length)
    return added.length
  }

  private async write(): Promise<void> {
    const { job, posts, meta, links, comments, commentMeta, commented } = this
    this.posts = []
    this.meta = []
    this.links = []
    this.comments = []
    this.commentMeta = []
    this.commented = []
    await this.terms.flush()
    await job.insert('posts', POST_COLUMNS, posts)
    await job.insert('post_meta', ['post_id', 'key', 'value', 'json'], meta)
    await job.insert('term_relationships', LINK_COLUMNS, links)
    await job.insert('comments', COMMENT_COLUMNS, comments)
    await job.insert('comment_meta', ['comment_id', 'key', 'value', 'json'], commentMeta)
    for (const id of commented) await this.countComments(id)
  }

  private async countComments(id: number): Promise<void> {
    const { tx } = this.job
    const approved = tx.db
      .selectFrom('comments')
      .select((of) => of.fn.countAll<number>().as('total'))
      .where('post_id', '=', id)
      .where('approved', '=', '1')
    await tx.run(tx.db.updateTable('posts').set({ comment_count: approved }).where('id', '=', id))
  }

  private async settleParent(id: number, fileParent: number): Promise<void> {
    const { tx, counters } = this.job
    const parent = this.ids.get(fileParent)
    const isRevision = this.revisions.has(id)
    if (parent === 0 && isRevision) {
      await tx.run(tx.db.deleteFrom('posts').where('id', '=', id))
      counters.imported(kindOf('revision'), -1)
      counters.skipped(kindOf('revision'), 'of items that are not in the file')
    } else if (parent === 0) {
      counters.note('item without its parent, which is not in the file', `number ${id}`)
      await this.setParent(id, 0)
      // What was attached to it was not for everybody.
      if (this.unsaved.has(fileParent)) await this.hide(id)
    } else if (await this.job.isAbove('posts', id, parent)) {
      counters.note('item that was its own ancestor; has no parent now', `number ${id}`)
      await this.setParent(id, 0)
    } else if (!this.keepsIds || parent !== fileParent) {
      await this.setParent(id, parent)
      if (isRevision) await this.renameRevision(id, parent)
    }
  }

  private async setParent(id: number, parent: number): Promise<void> {
    const { tx } = this.job
    await tx.run(tx.db.updateTable('posts').set({ parent_id: parent }).where('id', '=', id))
  }

  private async hide(id: number): Promise<void> {
    const { tx } = this.job
    const hidden = tx.db.updateTable('posts').set({ status: 'private', password: '' })
    await tx.run(hidden.where('id', '=', id).where('status', '=', 'inherit'))
  }

  private async renameRevision(id: number, parent: number): Promise<void> {
    const { tx } = this.job
    const row = await tx.first(tx.db.selectFrom('posts').select('slug').where('id', '=', id))
    const slug = revisionSlug(row?.slug ?? '', parent)
    await tx.run(tx.db.updateTable('posts').set({ slug }).where('id', '=', id))
  }

  private async settleLate(postId: number, key: string, fileId: number): Promise<void> {
    const { tx, counters } = this.job
    const here = this.ids.get(fileId)
    if (here === 0) counters.note(LOST, `${key} ${fileId}`)
    if (this.keepsIds && here === fileId) return
    const change = tx.db.updateTable('post_meta').set({ value: String(here) })
    await tx.run(change.where('post_id', '=', postId).where('key', '=', key))
  }

  private async settleTexts(ids: readonly number[]): Promise<void> {
    const { tx, counters } = this.job
    const query = tx.db.selectFrom('posts').select(['id', 'title', 'content']).where('id', 'in', padded(ids))
    for (const { id, title, content: before } of await tx.all(query)) {
      const lost: number[] = []
      const content = this.mapNumbers(before, lost)
      for (const fileId of lost) counters.note(LOST, `${fileId} in the text of ${title}`)
      if (content !== before) await tx.run(tx.db.updateTable('posts').set({ content }).where('id', '=', id))
    }
  }

  /** The slug, or one like it where another post of the site has it. */
  private async freeSlug(type: string, { slug, title }: WxrItem, taken: ReadonlySet<string>): Promise<string> {
    if (type === 'revision' || !taken.has(`${type}\n${slug}`)) return slug
    const { tx } = this.job
    for (let number = 2; ; number += 1) {
      const free = `${slug}-${number}`
      const query = tx.db.selectFrom('posts').select('id').where('type', '=', type).where('slug', '=', free)
      if ((await tx.first(query)) !== undefined) continue
      this.job.counters.note('item with another slug, because its own is taken on this site', `${title}: ${free}`)
      return free
    }
  }

  /** Dates with those that the file leaves out. A draft has no date in UTC until it is published. */
  private dates(item: WxrItem): { date: string; dateGmt: string; modified: string; modifiedGmt: string } {
    const published = Date.parse(item.published)
    const fallback = Number.isNaN(published) ? item.modified || this.now : utc(new Date(published))
    const date = item.date || item.dateGmt || fallback
    const dateGmt = item.dateGmt || (item.date === '' ? date : '')
    const modified = item.modified || item.modifiedGmt || date
    return { date, dateGmt, modified, modifiedGmt: item.modifiedGmt || (item.modified === '' ? dateGmt : '') }
  }
}

/** How much speaks for a post being an item of the file. */
function weight({ id, sameId, sameSlug }: { id: number; sameId: boolean; sameSlug: boolean }): number {
  return (id === 0 ? -1 : 0) + (sameId ? 2 : 0) + (sameSlug ? 1 : 0)
}

/** The name that items of a type have in the report. */
function kindOf(type: string): string {
  return `${type} items`
}

function commentKey(postId: number, date: string, author: string, content: string): string {
  return `${postId}\n${date}\n${author}\n${content}`
}

/** The slug of a revision or autosave begins with the number of its item. */
function revisionSlug(slug: string, parent: number): string {
  return slug.replace(/^\d+(?=-(?:revision|autosave)-)/, String(parent))
}

/** Whether the answers that a comment is one of run in a circle, or too far to tell. */
function isOwnAncestor(id: number, parents: ReadonlyMap<number, number>): boolean {
  let current = parents.get(id) ?? 0
  for (let step = 0; current !== 0; step += 1) {
    if (current === id || step === ANSWERS) return true
    current = parents.get(current) ?? 0
  }
  return false
}
