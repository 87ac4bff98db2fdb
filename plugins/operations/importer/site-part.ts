import { withoutIndexes, type Store } from '../../storage/store/index.ts'
import { ImportContext, type SlugHook } from './context.ts'
import type { Findings, ImportFindings } from './findings.ts'
import { Addresses } from './old-sites/addresses.ts'
import type { TargetKind } from './old-sites/links.ts'
import { ListAddresses, type ObjectLink } from './old-sites/list-addresses.ts'
import { MediaUrls } from './old-sites/media-urls.ts'
import { OldSite } from './old-sites/old-site.ts'
import { PendingResolver } from './old-sites/resolver.ts'
import { ImportedPosts } from './posts/posts.ts'
import type { Counters, ImportReport } from './report.ts'
import type { ValueRules } from './record-values.ts'
import { addSettings } from './settings.ts'
import { ImportedTerms } from './terms.ts'
import { TextFilter, type WritingRules } from './text-filter.ts'
import type { HasFile } from './media.ts'
import type { SiteFile } from './site-file.ts'
import type { ImportOptions } from './types.ts'
import type { Hashing } from './users/rows.ts'
import type { MapValue } from './values.ts'
import { urlRewriter } from './url-rewriter.ts'
import { ImportedUsers } from './users/users.ts'
import type { WxrAuthor, WxrItem, WxrRecord, WxrSite, WxrTerm } from './wxr/types.ts'

/** Tables that get most of the rows. */
const LARGE_TABLES = ['posts', 'post_meta', 'term_relationships', 'comments', 'comment_meta'] as const

/** Options of an import, resolved for one site. */
export interface SiteImport
  extends
    Hashing,
    Pick<ImportOptions, 'source' | 'sources' | 'acceptTruncated'>,
    Pick<ImportOptions, 'rewrite' | 'trustHtml' | 'restore' | 'limits' | 'onProgress'> {
  /** The records to import, instead of an export file in `source`. */
  records?: AsyncIterable<WxrRecord>
  /** Home URL of this site. */
  home: string
  /** URL of its uploads; `{home}/uploads` by default. */
  uploads?: string
  /** Data that the export lacks. */
  site?: SiteFile | undefined
  /** Name on this site of a type or taxonomy that carries the product's word: `typeName('block')`. */
  typeName(name: string): string
  /** Whether a media file exists, for the report. */
  hasFile?: HasFile
  /** Called for each attachment. @param id on this site @param url of its file on the old site */
  onAttachment?: (id: number, url: string) => void
  /** The HTML that users of this site may write. */
  rules: WritingRules & ValueRules
  /** Called at the start of the transaction, before the content of the site is read. */
  afterBegin?(tx: Store, counters: Counters): Promise<void>
  /** Called at the end of the transaction. An error rolls the import back. */
  beforeCommit?(tx: Store, counters: Counters): Promise<void>
  /** Called after the commit, before the report is created. */
  afterCommit?(counters: Counters): Promise<void>
  /** Called with the report after everything else. */
  onFinished?(report: ImportReport, findings: ImportFindings): Promise<void>
  /** Replaces IDs in meta, descriptions, contents and options that only plugins know. */
  mapValue?: MapValue
  /** Names of the functions in `mapValue`: objects of earlier imports without them are mapped again. */
  mapValueTaps?: readonly string[]
  /** The filter of slugs that are in use, if a tap decides about them. */
  slugHook?: SlugHook
  /** Called when all objects are stored, before late references are resolved. */
  onStored?(tx: Store): Promise<void>
}

type PartOptions = SiteImport & { counters: Counters; findings: Findings }

/** The records of one old site in an import. */
export class SitePart {
  readonly head: WxrSite
  readonly #options: PartOptions
  readonly #context: ImportContext
  readonly #users: ImportedUsers
  readonly #terms: ImportedTerms
  readonly #posts: ImportedPosts
  readonly #addresses: Addresses
  readonly #lists: ListAddresses
  readonly #mediaUrls: MediaUrls
  /** Kinds of objects that keep their old IDs. */
  readonly #preserved: readonly TargetKind[]
  /** The highest ID of a pending value of earlier imports. */
  readonly #lastPending: number
  readonly #makeIndexes: () => Promise<void>

  private constructor(head: WxrSite, options: PartOptions, parts: Parts) {
    this.head = head
    this.#options = options
    this.#context = parts.context
    this.#users = parts.users
    this.#terms = parts.terms
    this.#posts = parts.posts
    this.#addresses = new Addresses(parts.context.tx, { id: parts.context.oldSite.id, home: head.home })
    this.#lists = parts.lists
    this.#mediaUrls = parts.mediaUrls
    this.#preserved = parts.preserved
    this.#lastPending = parts.lastPending
    this.#makeIndexes = parts.makeIndexes
  }

  /** Begins with the head of a file, and adds the users and terms of the site file. */
  static async open(tx: Store, head: WxrSite, options: PartOptions): Promise<SitePart> {
    const {
      counters,
      findings,
      hasFile,
      home,
      mapValue,
      mapValueTaps = [],
      onAttachment,
      rewrite = true,
      site,
    } = options
    const uploads = options.uploads ?? `${home}/uploads`
    const context = new ImportContext({
      tx,
      counters,
      findings,
      mapValue,
      mapValueTaps,
      slugHook: options.slugHook,
      oldSite: await OldSite.open(tx, head.home),
      restores: options.restore === true,
      rewrite: rewrite ? urlRewriter({ from: head.home, to: home, uploads }) : (text) => text,
      home: rewrite ? home : null,
      filter: new TextFilter(options.rules, counters, home),
      trustsHtml:
        options.trustHtml === true ||
        (options.trustHtml === 'administrators' && options.rules.mayWriteHtml(['administrator'])),
      brandedName: (name) => options.typeName(name),
    })
    context.filter.record(head)
    const users = await ImportedUsers.open(context, options)
    const terms = await ImportedTerms.open(context)
    const mediaUrls = new MediaUrls(context, uploads)
    const posts = await ImportedPosts.open(context, { users, terms, hasFile, onAttachment, mediaUrls })
    const kinds = { user: users, term: terms, post: posts }
    const preserved = (['user', 'term', 'post'] as const).filter((kind) => kinds[kind].preservesIds)
    context.links.expect(preserved)
    const lastPending = await context.pending.last()
    const makeIndexes = posts.startsEmpty ? await withoutIndexes(tx, LARGE_TABLES) : async () => {}
    const lists = new ListAddresses(head.home, site ?? {})
    for (const user of site?.users ?? []) {
      await users.addSiteUser(user)
      lists.addAuthor({ ...user, id: user.id ?? 0 })
    }
    for (const term of site?.terms ?? []) {
      await terms.addSiteTerm(term)
      lists.addTerm(term)
    }
    return new SitePart(head, options, {
      context,
      users,
      terms,
      posts,
      lists,
      mediaUrls,
      preserved,
      lastPending,
      makeIndexes,
    })
  }

  async add(record: WxrSite | WxrAuthor | WxrTerm | WxrItem): Promise<void> {
    if (record.kind === 'site') return
    this.#context.filter.record(record)
    if (record.kind === 'author') {
      await this.#users.addAuthor(record)
      this.#lists.addAuthor(record)
    } else if (record.kind === 'term') {
      await this.#terms.add(record)
      this.#lists.addTerm(record)
    } else {
      const { id, link, type } = record
      if (type !== 'revision' && id !== 0) await this.#addresses.add({ kind: 'post', taxonomy: '', oldId: id }, link)
      this.#lists.addItem(record)
      await this.#posts.add(record)
    }
  }

  /** Writes what is buffered, and resolves references to objects that came late. */
  async finish(): Promise<void> {
    const { oldSite, pending } = this.#context
    await this.#posts.flush()
    await this.#terms.flush()
    await this.#makeIndexes()
    // All objects of the import are here.
    this.#context.links.expect([])
    const replace = this.#posts.preservesIds && this.#options.site !== undefined
    await addSettings(this.#context, {
      head: this.head,
      site: this.#options.site,
      replace,
      sticky: this.#posts.sticky,
    })
    await this.#addAddresses()
    await oldSite.flush()
    await pending.flush()
    await this.#context.tx.updateStatistics()
    await this.#options.onStored?.(this.#context.tx)
    await new PendingResolver(this.#context, this.#lastPending, this.#preserved).run()
    await this.#mediaUrls.finish()
    await this.#terms.count()
  }

  /** Writes the addresses of all objects on the old site, so that they redirect. */
  async #addAddresses(): Promise<void> {
    const derived: ObjectLink[] = []
    for (const one of this.#lists.links()) {
      const { isDerived, link, object } = one
      const named = { ...object, taxonomy: object.taxonomy && this.#context.typeName(object.taxonomy) }
      if (isDerived) derived.push({ ...one, object: named })
      else await this.#addresses.add(named, link)
    }
    await this.#addresses.addDerived(derived)
  }
}

interface Parts {
  readonly context: ImportContext
  readonly users: ImportedUsers
  readonly terms: ImportedTerms
  readonly posts: ImportedPosts
  readonly lists: ListAddresses
  readonly mediaUrls: MediaUrls
  readonly preserved: readonly TargetKind[]
  readonly lastPending: number
  readonly makeIndexes: () => Promise<void>
}
