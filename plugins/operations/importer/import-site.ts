import { sql, withoutIndexes, type Store } from '../../storage/store/index.ts'
import { ColumnLimits } from './column-limits.ts'
import { ImportContext } from './context.ts'
import type { HasFile } from './media.ts'
import { ImportedPosts } from './posts/posts.ts'
import { Counters, type ImportReport } from './report.ts'
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

/** What an export is imported with. */
export interface SiteImport
  extends Hashing, Pick<ImportOptions, 'source' | 'rewrite' | 'trustHtml' | 'limits' | 'onProgress'> {
  /** Home URL of this site. */
  home: string
  /** URL of its uploads; `{home}/uploads` by default. */
  uploads?: string
  /** What the export does not carry. */
  site?: SiteFile | undefined
  /** This site's name of a type or taxonomy that carries the product's word: `typeName('block')`. */
  typeName(name: string): string
  /** Whether a media file is there, for the report. */
  hasFile?: HasFile
  /** Is told of each attachment. @param id on this site @param url of its file on the old site */
  onAttachment?: (id: number, url: string) => void
  /** What users may write here. */
  rules: WritingRules
  /** Called first of all in the transaction, before anything is read of what the site holds. */
  afterBegin?(tx: Store, counters: Counters): Promise<void>
  /** Called when everything is written, right before the transaction ends; what it throws undoes the import. */
  beforeCommit?(tx: Store, counters: Counters): Promise<void>
  /** Called once all of it is stored for good, before the report is made. */
  afterCommit?(counters: Counters): Promise<void>
}

/** Milliseconds between two reports of progress. */
const PROGRESS_EVERY = 100
/** Tables that get most of the rows. */
const FILLED = ['posts', 'post_meta', 'term_relationships', 'comments', 'comment_meta'] as const

/**
 * Imports an export file into the site, in one transaction: when it fails, the database is as it was. An empty site
 * gets the IDs of the file; on any other, items and terms get new ones and whatever refers to them follows. What is
 * there already, as from an earlier import of the same file, stays as it is.
 *
 * Memory holds a batch of items, the slugs of terms, and 16 bytes an item.
 *
 * @throws RestError as `readWxr` does; StoreError and errors of the database
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
  return { ...done, to: options.home, counts: counters.counts, notes: counters.notes(), seconds }
}

/**
 * Keeps everybody from writing meanwhile, who takes turns or not: IDs are given out here. On SQLite a transaction does so
 * anyway. The limits of a request's statements do not hold for those of an import.
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
  readonly #columnLimits: ColumnLimits
  readonly #progress: ImportProgress = { bytes: 0, items: 0 }
  /** Known once the head of the file is read; nothing is written before. */
  #head: WxrSite | undefined
  #rewrite: Rewrite = (text) => text

  constructor(tx: Store, counters: Counters, options: SiteImport) {
    this.#options = options
    this.#columnLimits = new ColumnLimits(counters)
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
    const { hasFile, limits, onAttachment, site, source } = this.#options
    const context = this.#context
    const users = new ImportedUsers(context, this.#options, await context.idSequence('users'))
    const terms = await ImportedTerms.open(context)
    const posts = await ImportedPosts.open(context, { users, terms, hasFile, onAttachment })
    const makeIndexes = posts.startsEmpty ? await withoutIndexes(context.tx, FILLED) : async () => {}

    const showProgress = throttled(() => this.#options.onProgress?.({ ...this.#progress }))
    for await (const record of readWxr(this.#counted(source), limits)) {
      await this.#add(record, users, terms, posts)
      showProgress()
    }
    await posts.flush()
    await makeIndexes()
    await posts.settle()
    await terms.settle()
    await addSettings(context, { head: this.#head, site, posts, terms })
    await context.tx.syncSequences()
    this.#options.onProgress?.(this.#progress)
    return { from: this.#head?.home ?? '', bytes: this.#progress.bytes }
  }

  async #add(record: WxrRecord, users: ImportedUsers, terms: ImportedTerms, posts: ImportedPosts): Promise<void> {
    const { counters, filter } = this.#context
    this.#columnLimits.apply(record)
    filter.record(record)
    if (record.kind === 'site') {
      this.#begin(record)
      for (const user of this.#options.site?.users ?? []) await users.addSiteUser(user)
      for (const term of this.#options.site?.terms ?? []) terms.addSiteTerm(term)
    } else if (record.kind === 'author') await users.addAuthor(record)
    else if (record.kind === 'term') terms.add(record)
    else if (record.kind === 'item') {
      this.#progress.items += 1
      await posts.add(record)
    } else if (record.kind === 'unknown')
      counters.skipped('elements', `<${record.name}>, which is unknown here`, record.count)
    else counters.note('control character that XML does not allow; left out', '', record.count)
  }

  #begin(head: WxrSite): void {
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
    if (now - last < PROGRESS_EVERY) return
    last = now
    act()
  }
}
