import { sql } from 'kysely'
import { withoutIndexes } from '../../storage/store/indexes.ts'
import type { Store } from '../../storage/store/store.ts'
import { addressRewriter } from './url-rewriter.ts'
import type { Rewrite } from './url-rewriter.ts'
import { Filters, type WritingRules } from './text-filter.ts'
import { Job } from './context.ts'
import { shorten } from './column-limits.ts'
import type { HasFile } from './media.ts'
import { People } from './users.ts'
import type { Hashing } from './users.ts'
import { Posts } from './posts/posts.ts'
import { Counters } from './report.ts'
import type { ImportReport } from './report.ts'
import type { SiteFile } from './site-file.ts'
import { Terms } from './terms.ts'
import type { Value } from './php-values.ts'
import { readWxr } from './wxr/reader.ts'
import type { WxrLimits, WxrSite } from './wxr/reader.ts'

/** How far an import is. */
export interface ImportProgress {
  /** Bytes of the file that are read. */
  bytes: number
  items: number
}

export interface ImportOptions extends Hashing {
  /** The export file. */
  source: AsyncIterable<Uint8Array>
  /** Home address of this site. */
  home: string
  /** Address of its uploads; `{home}/uploads` by default. */
  uploads?: string
  /** Whether addresses of the old home are rewritten to this one; they are by default. */
  rewrite?: boolean
  /** What the export does not carry. */
  site?: SiteFile
  /** This site's name of a type or taxonomy that carries the product's word: `typeName('block')`. */
  typeName(name: string): string
  /** Tells whether a media file is there, for the report. */
  hasFile?: HasFile
  /** What people may write here. */
  rules: WritingRules
  /** Whether content keeps all of its HTML, whoever wrote it; off by default. Names, addresses and comments never do. */
  trustHtml?: boolean
  limits?: WxrLimits
  /** Called a few times a second at most. */
  onProgress?(progress: ImportProgress): void
  /** Called first of all in the transaction, before it is seen what the site holds. */
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
/** Settings that hold the id of an item, or of a term of the taxonomy named. */
const ITEM_SETTINGS = ['page_on_front', 'page_for_posts', 'site_icon', 'site_logo']
const TERM_SETTINGS: Readonly<Record<string, string>> = { default_category: 'category' }

/**
 * Imports an export file into the site, in one transaction: when it fails, the database is as it was. An empty site
 * gets the ids of the file; on any other, items and terms get new ones and whatever refers to them follows. What is
 * there already, as from an earlier import of the same file, stays as it is.
 *
 * Memory holds a batch of items, the slugs of terms, and 16 bytes an item.
 *
 * @throws RestError as `readWxr` does; StoreError and errors of the database
 */
export async function importSite(store: Store, options: ImportOptions): Promise<ImportReport> {
  const started = performance.now()
  const counters = new Counters()
  const done = await store.bulk(() =>
    store.inTurn(async (tx) => {
      await lock(tx)
      await options.afterBegin?.(tx, counters)
      const done = await run(tx, options, counters)
      await options.beforeCommit?.(tx, counters)
      return done
    }),
  )
  await options.afterCommit?.(counters)
  const seconds = (performance.now() - started) / 1000
  return { ...done, to: options.home, counts: counters.counts, notes: counters.notes(), seconds }
}

async function run(tx: Store, options: ImportOptions, counters: Counters): Promise<{ from: string; bytes: number }> {
  const progress = { bytes: 0, items: 0 }
  const tell = throttled(() => options.onProgress?.({ ...progress }))
  const records = readWxr(
    counted(options.source, (bytes) => (progress.bytes += bytes)),
    options.limits,
  )
  // The rewriting is known once the head of the file is read; nothing is written before.
  const head: { site?: WxrSite; rewrite: Rewrite } = { rewrite: (text) => text }
  const job = new Job(
    tx,
    counters,
    (text) => head.rewrite(text),
    options.rewrite === false ? null : options.home,
    (name) => options.typeName(name),
    new Filters(options.rules, counters, options.home),
    options.trustHtml === true,
  )
  const people = await People.open(job, options)
  const terms = await Terms.open(job)
  const posts = await Posts.open(job, people, terms, options.hasFile)
  const makeIndexes = posts.startsEmpty ? await withoutIndexes(tx, FILLED) : async () => {}

  for await (const record of records) {
    shorten(record, counters)
    job.filters.filterRecord(record)
    if (record.kind === 'site') {
      head.site = record
      head.rewrite = rewriting(record.home, options)
      for (const user of options.site?.users ?? []) await people.addSiteUser(user)
    } else if (record.kind === 'author') await people.addAuthor(record)
    else if (record.kind === 'term') terms.add(record)
    else if (record.kind === 'item') {
      progress.items += 1
      await posts.add(record)
    } else if (record.kind === 'unknown')
      counters.skipped('elements', `<${record.name}>, which is unknown here`, record.count)
    else counters.note('control character that XML does not allow; left out', '', record.count)
    tell()
  }
  await posts.flush()
  await makeIndexes()
  await posts.settle()
  await terms.settle()
  await addSettings(job, posts, terms, options.site, head.site)
  await tx.syncSequences()
  options.onProgress?.(progress)
  return { from: head.site?.home ?? '', bytes: progress.bytes }
}

/** Keeps those from writing in between, too, who take no turns: ids are given out here. On SQLite a transaction does so anyway. */
async function lock(tx: Store): Promise<void> {
  if (tx.dialect === 'postgres') {
    await tx.run(sql`lock table users, terms, posts, comments, options in share row exclusive mode`)
  }
}

function rewriting(from: string, { home, uploads = `${home}/uploads`, rewrite = true }: ImportOptions): Rewrite {
  return rewrite ? addressRewriter({ from, to: home, uploads }) : (text) => text
}

/** Settings of the site file, else title and tagline of the export. A site in use keeps those it has. */
async function addSettings(
  job: Job,
  posts: Posts,
  terms: Terms,
  site: SiteFile | undefined,
  head: WxrSite | undefined,
): Promise<void> {
  const settings = new Map<string, Value>()
  if (head !== undefined && head.title !== '') settings.set('title', head.title)
  if (head !== undefined && head.description !== '') settings.set('description', head.description)
  for (const [name, value] of Object.entries(site?.settings ?? {})) settings.set(name, here(name, value, posts, terms))
  if (site?.permalink !== undefined) settings.set('permalink', site.permalink)
  if (site?.theme !== undefined) settings.set('theme', site.theme)
  for (const [name, value] of settings) await setOption(job, name, value, posts.keepsIds && site !== undefined)
  if (posts.sticky.length > 0) await addSticky(job, posts.sticky)
}

/** The value of a setting; ids of items and terms as they are here. */
function here(name: string, value: Value, posts: Posts, terms: Terms): Value {
  if (typeof value !== 'number' || value === 0) return value
  if (ITEM_SETTINGS.includes(name)) return posts.idOfFileId(value)
  const taxonomy = TERM_SETTINGS[name]
  return taxonomy === undefined ? value : terms.idOfFileId(taxonomy, value) || value
}

async function setOption({ tx, counters }: Job, name: string, value: Value, replace: boolean): Promise<void> {
  const text = JSON.stringify(value)
  const insert = tx.db.insertInto('options').values({ name, value: text })
  const { changes } = await tx.run(
    insert.onConflict((conflict) =>
      replace ? conflict.column('name').doUpdateSet({ value: text }) : conflict.column('name').doNothing(),
    ),
  )
  if (changes > 0) counters.imported('settings')
  else counters.alreadyHere('settings')
}

async function addSticky({ tx }: Job, ids: readonly number[]): Promise<void> {
  const name = 'sticky_posts'
  const row = await tx.first(tx.db.selectFrom('options').select('value').where('name', '=', name))
  const before = row === undefined ? [] : (JSON.parse(row.value) as number[])
  const value = JSON.stringify([...new Set([...before, ...ids])])
  const insert = tx.db.insertInto('options').values({ name, value })
  await tx.run(insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ value })))
}

async function* counted(source: AsyncIterable<Uint8Array>, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const bytes of source) {
    count(bytes.length)
    yield bytes
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
