import { hash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { PluginContext } from '../../../../kernel/index.ts'
import { hasEnded, processId } from '../../../content/media/index.ts'
import { AllowList } from '../../../foundation/outgoing/index.ts'
import { PRIVATE_FILE, PRIVATE_FOLDER, type Store } from '../../../storage/store/index.ts'
import { runImport } from '../importer.ts'
import { normalizeHome } from '../old-sites/fingerprint.ts'
import { Counters, type ImportReport } from '../report.ts'
import { SiteComparison } from './compare/comparison.ts'
import type { Note } from './convert/conversion.ts'
import { prepareConversion } from './conversion-of.ts'
import { followDeletions } from './deletions.ts'
import { discover, type FoundSite } from './discovery.ts'
import { errors } from '../errors.ts'
import { pluginsOf } from './old-plugins.ts'
import { fieldGaps, generalGaps, pluginGaps } from './gaps.ts'
import { ProgressMeter } from './progress.ts'
import { SpooledRecords } from './records.ts'
import { RESULT, ReadingRun, type ReadResult } from './reading-run.ts'
import type { RequestOptions } from './remote-site.ts'
import { siteData } from './site-data.ts'
import { Spool } from './spool.ts'
import { readState, writeVersions, type HighestIds, type LiveState, type RunState } from './state.ts'
import { survey, type Survey } from './survey.ts'
import type { LiveComparison, LiveImportOptions, LiveReport } from './types.ts'

const DEFAULT_CONCURRENCY = 4
const DEFAULT_TIMEOUT_MS = 60_000
const DEFAULT_RETRY_DELAY_MS = 1000
/** File of the survey in the spool. */
const SURVEY = 'objects/survey'

/** One import from a running site. See `Importer.runLive`. */
export class LiveImport {
  readonly #plugin: PluginContext
  readonly #options: LiveImportOptions
  readonly #meter: ProgressMeter
  /** Notes of the conversion. */
  readonly #notes = new Counters()

  /** @throws IMPORT_LIVE_OFF, OUTGOING_ALLOW_INVALID */
  constructor(plugin: PluginContext, options: LiveImportOptions) {
    if (!plugin.has('outgoing')) throw errors.IMPORT_LIVE_OFF()
    // Validates the option before the import starts.
    void new AllowList(options.allow ?? [], [])
    this.#plugin = plugin
    this.#options = options
    this.#meter = new ProgressMeter((progress) => options.onProgress?.(progress))
  }

  async run(): Promise<LiveReport> {
    using _meter = this.#meter
    const started = performance.now()
    const found = await discover(this.#options.url, requestOptions(this.#plugin, this.#options))
    const folder = spoolFolder(this.#plugin, found.index.home)
    await using _lock = await lockFolder(folder)
    const spool = new Spool(folder)
    await spool.open()
    const { state, run } = await this.#begin(spool, found)
    const surveyed = await this.#survey(spool, found)
    const read = await this.#read(spool, found, surveyed, run.since !== null)
    const report = await this.#store(spool, found, surveyed, read)
    for (const [key, versions] of Object.entries(read.versions)) await writeVersions(spool, key, versions)
    await spool.write('state', { run: null, last: run.started } satisfies LiveState)
    const deleted = await followDeletions({
      services: this.#plugin.services,
      home: found.index.home,
      survey: surveyed,
      deleted: read.deleted,
      isFollowed: this.#options.followDeletions === true,
    })
    const comparison = await this.#compare(spool, found, surveyed, read, run.before)
    await spool.clear()
    return {
      ...report,
      notes: [...report.notes, ...this.#notes.results().notes],
      seconds: (performance.now() - started) / 1000,
      since: run.since === null ? null : state.last,
      gaps: [
        ...surveyed.gaps,
        ...read.gaps,
        ...fieldGaps(surveyed),
        ...pluginGaps(surveyed, pluginsOf(found.index.namespaces, found.site.root.word)),
        ...generalGaps(found.site.isLoggedIn),
      ],
      deleted,
      comparison,
      requests: found.site.requests,
    }
  }

  /** Continues the interrupted run, or begins a new one. */
  async #begin(spool: Spool, { site }: FoundSite): Promise<{ state: LiveState; run: RunState }> {
    const { full = false, user = '', revisions = true } = this.#options
    const state = await readState(spool)
    const source = `${site.root.url} ${user} ${revisions}`
    const { run } = state
    if (run !== null && run.source === source && (!full || run.since === null)) return { state, run }
    await spool.clear()
    const since = full ? null : state.last
    const before = await highestIds(this.#plugin.services.store)
    const next: RunState = { started: new Date().toISOString(), since, source, before }
    await spool.write('state', { ...state, run: next } satisfies LiveState)
    return { state, run: next }
  }

  async #survey(spool: Spool, found: FoundSite): Promise<Survey> {
    // A continued run must request the same fields.
    const stored = await spool.read<Survey>(SURVEY)
    if (stored !== null) return stored
    const surveyed = await survey(found, this.#options.user ?? null)
    await spool.write(SURVEY, surveyed)
    return surveyed
  }

  async #read(spool: Spool, found: FoundSite, surveyed: Survey, isIncremental: boolean): Promise<ReadResult> {
    const stored = await spool.read<ReadResult>(RESULT)
    if (stored !== null) return stored
    const { revisions = true } = this.#options
    const options = { found, survey: surveyed, spool, isIncremental, withRevisions: revisions, meter: this.#meter }
    return await new ReadingRun(options).run()
  }

  async #store(spool: Spool, found: FoundSite, surveyed: Survey, read: ReadResult): Promise<ImportReport> {
    const { branding, services } = this.#plugin
    const { download = {}, rewrite, signal, trustHtml, allow } = this.#options
    const note: Note = (difference, example) => this.#notes.note(difference, example)
    const { home } = found.index
    const prepared = await prepareConversion({ spool, site: found.site, home, survey: surveyed, services, note })
    const { conversion, menus, permalink, users } = prepared
    const records = new SpooledRecords({
      spool,
      index: found.index,
      collections: surveyed.collections,
      extras: read.extras,
      conversion,
      suggestedKey: `is_${branding.word}_suggestion`,
      note,
    }).records()
    this.#meter.begin('storing', 0)
    let isDownloading = false
    return await runImport(this.#plugin, {
      records: untilAborted(records, signal),
      site: siteData({ extras: read.extras, users, menus, permalink, registered: services, note }),
      ...(rewrite !== undefined && { rewrite }),
      ...(trustHtml !== undefined && { trustHtml }),
      ...(download !== false && {
        download: { ...(allow !== undefined && { allow }), ...(signal !== undefined && { signal }), ...download },
      }),
      onProgress: ({ items, files, isStored }) => {
        if (isStored === true) this.#meter.markStored()
        if (files === undefined) return this.#meter.set(items)
        if (!isDownloading) this.#meter.begin('downloading', files.missing)
        isDownloading = true
        this.#meter.set(files.done, files.missing)
      },
    })
  }

  async #compare(
    spool: Spool,
    found: FoundSite,
    surveyed: Survey,
    read: ReadResult,
    before: HighestIds,
  ): Promise<LiveComparison | null> {
    const { compare = 'sample', rewrite = true } = this.#options
    if (compare === 'none') return null
    return await SiteComparison.run({
      plugin: this.#plugin,
      found,
      survey: surveyed,
      spool,
      read,
      before,
      which: compare,
      isRewritten: rewrite,
      meter: this.#meter,
      signal: this.#options.signal,
    })
  }
}

/** How requests are sent to the old site. */
export function requestOptions({ services }: PluginContext, options: LiveImportOptions): RequestOptions {
  const { allow = [], concurrency = DEFAULT_CONCURRENCY, password, signal, timeout, retryDelay, user } = options
  // Spaces are only for reading.
  const credentials = user === undefined || password === undefined ? null : `${user}:${password.replaceAll(' ', '')}`
  return {
    outgoing: services.outgoing,
    allow,
    concurrency,
    timeout: timeout ?? DEFAULT_TIMEOUT_MS,
    retryDelay: retryDelay ?? DEFAULT_RETRY_DELAY_MS,
    authorization: credentials === null ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
    signal,
  }
}

/** The highest IDs before the import; 0 for an empty table. */
async function highestIds(store: Store): Promise<HighestIds> {
  const highest = async (table: keyof HighestIds) => {
    const query = store.db.selectFrom(table).select((of) => of.fn.max<number | null>('id').as('id'))
    return (await store.first(query))?.id ?? 0
  }
  return {
    posts: await highest('posts'),
    terms: await highest('terms'),
    users: await highest('users'),
    comments: await highest('comments'),
  }
}

/** The folder for everything that is read from an old site. Hidden files are never served. */
function spoolFolder({ config }: PluginContext, home: string): string {
  const name = normalizeHome(home)
  const readable = name.replaceAll(/[^\w.-]/g, '_').slice(0, 60)
  return path.join(config.uploads, '.imports', `live-${readable}-${hash('sha1', name).slice(0, 8)}`)
}

/** Prevents two imports from the same old site at the same time. @throws import_runs_already */
async function lockFolder(folder: string): Promise<AsyncDisposable> {
  const file = path.join(folder, 'lock')
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER })
  for (let attempt = 0; ; attempt += 1) {
    try {
      await writeFile(file, processId, { mode: PRIVATE_FILE, flag: 'wx' })
      return { [Symbol.asyncDispose]: () => rm(file, { force: true }) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const owner = await readFile(file, 'utf8').catch(() => '')
      // A process that was killed within the call has written no owner.
      if (attempt > 0 || !(owner === '' || hasEnded(owner))) throw errors.import_runs_already()
      await rm(file, { force: true })
    }
  }
}

async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  for await (const one of source) {
    signal?.throwIfAborted()
    yield one
  }
}
