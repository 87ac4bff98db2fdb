import { Readable } from 'node:stream'
import { sql, withoutIndexes, type Store } from '../../storage/store/index.ts'
import { ImportContext } from './context.ts'
import type { HasFile } from './media.ts'
import { ImportedPosts } from './posts/posts.ts'
import { Counters, type ImportReport } from './report.ts'
import { RecordValues, type ValueRules } from './record-values.ts'
import { addSettings } from './settings.ts'
import type { SiteFile } from './site-file.ts'
import { ImportedTerms } from './terms.ts'
import { TextFilter, type WritingRules } from './text-filter.ts'
import type { ImportOptions, ImportProgress } from './types.ts'
import { urlRewriter, type Rewrite } from './url-rewriter.ts'
import type { Hashing } from './users/rows.ts'
import { ImportedUsers } from './users/users.ts'
import { readWxr } from './wxr/reader.ts'
import type { WxrRecord, WxrSite } from './wxr/types.ts'

/** Options of an import, resolved for one site. */
export interface SiteImport
  extends
    Hashing,
    Partial<Pick<ImportOptions, 'source'>>,
    Pick<ImportOptions, 'rewrite' | 'trustHtml' | 'limits' | 'onProgress'> {
  /** The records to import, instead of those of an export file in `source`. */
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
}

/** The source of an import without a file. */
const NO_BYTES: AsyncIterable<Uint8Array> = Readable.from([])
/** Milliseconds between two progress reports. */
const PROGRESS_INTERVAL_MS = 100
/** Tables that get most of the rows. */
const LARGE_TABLES = ['posts', 'post_meta', 'term_relationships', 'comments', 'comment_meta'] as const

/**
 * Imports an export file in one transaction: if it fails, the database is unchanged. An empty site gets the IDs of the
 * file; on any other site, items and terms get new IDs and references to them are updated. Existing objects, for
 * example from an earlier import of the same file, are not changed.
 *
 * Memory holds a batch of items, the slugs of terms, and 16 bytes per item.
 *
 * @throws RestError as `readWxr` does; StoreError and database errors
 */
export async function importSite(store: Store, options: SiteImport): Promise<ImportReport> {
  const started = performance.now()
  const counters = new Counters()
  const done = await store.bulk(() =>
    store.inTurn(async (tx) => {
      await lock(tx)
      await options.afterBegin?.(tx, counters)
      const imported = await new SiteImporter(tx, counters, options).run()
      await options.beforeCommit?.(tx, counters)
      return imported
    }),
  )
  await options.afterCommit?.(counters)
  const seconds = (performance.now() - started) / 1000
  return { ...done, to: options.home, ...counters.results(), seconds }
}

/**
 * Prevents all other writes during the import, because IDs are assigned here. SQLite transactions do so anyway. The
 * statement limits of requests do not apply to imports.
 */
async function lock(tx: Store): Promise<void> {
  if (tx.dialect !== 'postgres') return
  for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']) {
    await tx.all(sql`select set_config(${limit}, '0', true)`)
  }
  await tx.run(sql`lock table users, terms, posts, comments, options in share row exclusive mode`)
}

/** One import of one file. */
class SiteImporter {
  readonly #options: SiteImport
  readonly #context: ImportContext
  readonly #progress: ImportProgress = { bytes: 0, items: 0 }
  /** Known after the head of the file is read; nothing is written before. */
  #head: WxrSite | undefined
  #rewrite: Rewrite = (text) => text

  constructor(tx: Store, counters: Counters, options: SiteImport) {
    this.#options = options
    this.#context = new ImportContext({
      tx,
      counters,
      rewrite: (text) => this.#rewrite(text),
      home: options.rewrite === false ? null : options.home,
      filter: new TextFilter(options.rules, counters, options.home),
      trustsHtml: options.trustHtml === true,
      brandedName: (name) => options.typeName(name),
    })
  }

  async run(): Promise<{ from: string; bytes: number }> {
    const { hasFile, limits, onAttachment, site, source = NO_BYTES } = this.#options
    const { records = readWxr(this.#counted(source), limits) } = this.#options
    const context = this.#context
    const users = new ImportedUsers(context, this.#options, await context.idSequence('users'))
    const terms = await ImportedTerms.open(context)
    const posts = await ImportedPosts.open(context, { users, terms, hasFile, onAttachment })
    const makeIndexes = posts.startsEmpty ? await withoutIndexes(context.tx, LARGE_TABLES) : async () => {}

    const values = await RecordValues.open(context.counters, this.#options.rules, (name) => context.typeName(name))
    const showProgress = throttled(() => this.#options.onProgress?.({ ...this.#progress }))
    for await (const record of records) {
      if (record.kind === 'item') this.#progress.items += 1
      if (values.apply(record)) await this.#add(record, users, terms, posts)
      showProgress()
    }
    await posts.flush()
    await makeIndexes()
    await posts.resolveReferences()
    await terms.resolveParents()
    await addSettings(context, { head: this.#head, site, posts, terms })
    await context.tx.syncSequences()
    this.#options.onProgress?.(this.#progress)
    return { from: this.#head?.home ?? '', bytes: this.#progress.bytes }
  }

  async #add(record: WxrRecord, users: ImportedUsers, terms: ImportedTerms, posts: ImportedPosts): Promise<void> {
    const { counters, filter } = this.#context
    filter.record(record)
    if (record.kind === 'site') {
      this.#useHead(record)
      for (const user of this.#options.site?.users ?? []) await users.addSiteUser(user)
      for (const term of this.#options.site?.terms ?? []) terms.addSiteTerm(term)
    } else if (record.kind === 'author') await users.addAuthor(record)
    else if (record.kind === 'term') terms.add(record)
    else if (record.kind === 'item') {
      await posts.add(record)
    } else if (record.kind === 'unknown') counters.skipped('elements', `unknown element <${record.name}>`, record.count)
    else if (record.kind === 'lost') counters.skipped(record.objects, record.reason, record.count)
    else counters.repaired(record.code, record)
  }

  #useHead(head: WxrSite): void {
    const { home, rewrite = true, uploads = `${home}/uploads` } = this.#options
    this.#head = head
    if (!rewrite) return
    this.#rewrite = urlRewriter({ from: head.home, to: home, uploads })
  }

  async *#counted(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of source) {
      this.#progress.bytes += bytes.length
      yield bytes
    }
  }
}

function throttled(act: () => void): () => void {
  let last = 0
  return () => {
    const now = performance.now()
    if (now - last < PROGRESS_INTERVAL_MS) return
    last = now
    act()
  }
}
