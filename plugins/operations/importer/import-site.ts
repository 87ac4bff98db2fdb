import { Readable } from 'node:stream'
import { RestError } from '../../../kernel/index.ts'
import { sql, type Store } from '../../storage/store/index.ts'
import { typeNameOf } from './context.ts'
import { errors } from './errors.ts'
import { Findings } from './findings.ts'
import { normalizeHome } from './old-sites/fingerprint.ts'
import { ownPhrase, phrase, type ReportReason } from './phrases.ts'
import { RecordValues } from './record-values.ts'
import { Counters, type ImportReport } from './report.ts'
import { SitePart, type SiteImport } from './site-part.ts'
import type { ImportProgress } from './types.ts'
import { readWxr } from './wxr/reader.ts'
import type { WxrRecord, WxrSite } from './wxr/types.ts'

export type { SiteImport } from './site-part.ts'

/** The source of an import without a file. */
const NO_BYTES: AsyncIterable<Uint8Array> = Readable.from([])
/** Milliseconds between two progress reports. */
const PROGRESS_INTERVAL_MS = 100
/** Records between two updates of the statistics of the database, which take a statement if no table has grown. */
const RECORDS_PER_UPDATE = 500

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
  const findings = new Findings()
  const done = await store.bulk(() =>
    store.inTurn(async (tx) => {
      await lock(tx)
      await options.afterBegin?.(tx, counters)
      const imported = await new SiteImporter(tx, { ...options, counters, findings }).run()
      await options.beforeCommit?.(tx, counters)
      return imported
    }),
  )
  await options.afterCommit?.(counters)
  const seconds = (performance.now() - started) / 1000
  const report = { ...done, to: options.home, ...counters.results(), seconds }
  await options.onFinished?.(report, findings.result())
  return report
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

/** One import: the records of one old site after the other. */
class SiteImporter {
  readonly #tx: Store
  readonly #counters: Counters
  readonly #findings: Findings
  readonly #options: SiteImport
  readonly #progress: ImportProgress = { bytes: 0, items: 0 }
  /** The old site whose records are read. */
  #part: SitePart | undefined

  constructor(tx: Store, { counters, findings, ...options }: SiteImport & { counters: Counters; findings: Findings }) {
    this.#tx = tx
    this.#counters = counters
    this.#findings = findings
    this.#options = options
  }

  async run(): Promise<{ from: string; bytes: number }> {
    const { rules, records = this.#recordsOfFiles() } = this.#options
    const typeName = (name: string) => typeNameOf(name, (bare) => this.#options.typeName(bare))
    const values = await RecordValues.open(this.#counters, rules, typeName)
    const showProgress = throttled(() => this.#options.onProgress?.({ ...this.#progress }))
    let count = 0
    for await (const record of records) {
      if (record.kind === 'item') this.#progress.items += 1
      if (values.apply(record)) await this.#add(record)
      if ((count += 1) % RECORDS_PER_UPDATE === 0) await this.#tx.updateStatistics()
      showProgress()
    }
    await this.#part?.finish()
    await this.#tx.syncSequences()
    this.#options.onProgress?.(this.#progress)
    return { from: this.#part?.head.home ?? '', bytes: this.#progress.bytes }
  }

  async #add(record: WxrRecord): Promise<void> {
    const counters = this.#counters
    if (record.kind === 'unknown')
      counters.skipped('elements', phrase('unknown element <{name}>', { name: record.name }), record.count)
    else if (record.kind === 'lost') counters.skipped(record.objects, record.reason, record.count)
    else if (record.kind === 'repair') counters.repaired(record.code, record)
    else {
      if (record.kind === 'site') await this.#begin(record)
      await this.#part!.add(record)
    }
  }

  /** Begins the records of an old site. Several files of one site are one part. */
  async #begin(head: WxrSite): Promise<void> {
    if (this.#part !== undefined && normalizeHome(this.#part.head.home) === normalizeHome(head.home)) return
    await this.#part?.finish()
    const options = { ...this.#options, counters: this.#counters, findings: this.#findings }
    this.#part = await SitePart.open(this.#tx, head, options)
  }

  /** Reads the export files. If there are several, records and errors name their file. */
  async *#recordsOfFiles(): AsyncGenerator<WxrRecord> {
    const { acceptTruncated, limits, source = NO_BYTES, sources } = this.#options
    const options = { ...limits, acceptTruncated }
    if (sources === undefined) return yield* readWxr(this.#counted(source), options)
    for (const { name, source: bytes } of sources) {
      const file = sources.length > 1 ? { file: name } : {}
      try {
        for await (const record of readWxr(this.#counted(bytes), options)) yield Object.assign(record, file)
      } catch (cause) {
        if (sources.length === 1 || !(cause instanceof RestError)) throw cause
        throw errors.IMPORT_IN_FILE(
          { name, reason: ownPhrase(cause) ?? { text: cause.message as ReportReason } },
          { cause },
        )
      }
    }
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
