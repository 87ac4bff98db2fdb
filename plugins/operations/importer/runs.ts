import { AsyncLocalStorage } from 'node:async_hooks'
import { access, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { RestError, type PluginContext } from '../../../kernel/index.ts'
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../storage/store/index.ts'
import { processId } from '../../content/media/index.ts'
import { errors } from './errors.ts'
import type { LiveImporter, LiveReport } from './live/types.ts'
import { ownPhrase } from './phrases.ts'
import type { ImportReport } from './report.ts'
import { stageFiles, withoutFolder } from './run-files.ts'
import { hasOwnerEnded, readState, STATE_FILE, writeState, type StoredState } from './run-state.ts'
import type { ImportRuns, ImportState, LiveRunOptions, NewImportRun, NewLiveRun } from './run-types.ts'
import type { Importer } from './types.ts'

/** Name of the job that imports a running site. */
const LIVE_JOB = 'import-live'
/** Seconds that an import from a running site can take: 14 days. */
const LIVE_TIMEOUT_S = 1_209_600
/** Times that an import continues whose process was killed. */
const LIVE_RETRIES = 100
/** Milliseconds between two heartbeats. */
const HEARTBEAT_INTERVAL_MS = 2000
/** Milliseconds that an import has to end when the site stops. */
const STOP_GRACE_MS = 10_000
/** File in the folder of the current import that cancels it. */
const CANCEL_FILE = 'cancel'

type Update = (change: Partial<StoredState>) => Promise<void>
type Work = (signal: AbortSignal, update: Update) => Promise<ImportReport | LiveReport>

/** A job with an import from a running site. It lacks the password. */
interface LiveJob extends LiveRunOptions {
  readonly started: number
}

/** Runs imports in this process. A hidden folder among the uploads shares the state with other processes. */
export class OwnImportRuns implements ImportRuns {
  readonly #plugin: PluginContext
  readonly #importer: Importer & LiveImporter
  readonly #folder: string
  /** Detaches imports from the request that starts them. */
  readonly #detached = AsyncLocalStorage.snapshot()
  #stop = new AbortController()
  #run: Promise<void> = Promise.resolve()
  /** Whether the current import runs as a job. */
  #isJob = false
  /** The import from a running site that this process has started, with its password. */
  #live: { stored: StoredState; password: string | undefined } | null = null

  /** Create it while the plugin is applied. */
  constructor(plugin: PluginContext, importer: Importer & LiveImporter) {
    this.#plugin = plugin
    this.#importer = importer
    // Hidden files are never served.
    this.#folder = join(plugin.config.uploads, '.imports')
    if (!plugin.has('jobs')) return
    plugin.services.jobs.handle(LIVE_JOB, {
      timeout: LIVE_TIMEOUT_S,
      retries: LIVE_RETRIES,
      concurrency: 1,
      run: (payload, { signal }) => this.#runLiveJob(payload as LiveJob, signal),
    })
  }

  async start(run: NewImportRun): Promise<void> {
    // An import creates users.
    await this.#plugin.services.accountChanges.check('user')
    await this.#take()
    try {
      const folder = join(this.#running, 'sources')
      const stored = newState({ name: run.name, bytes: 0 })
      await writeState(this.#running, stored)
      const { exports, bytes, ...staged } = await stageFiles(run, folder)
      const { rewrite, trustHtml } = run
      const work: Work = async (signal, update) => {
        const sources = exports.map(({ name, source }) => ({ name, source: untilAborted(source, signal) }))
        const options = { ...(rewrite !== undefined && { rewrite }), ...(trustHtml !== undefined && { trustHtml }) }
        try {
          return await this.#importer.run({
            ...options,
            ...staged,
            sources,
            ...(run.download === true && { download: { signal } }),
            onProgress: (progress) => void update({ progress: { ...progress } }),
          })
        } catch (error) {
          throw withoutFolder(error, folder)
        }
      }
      this.#isJob = false
      this.#stop = new AbortController()
      const { signal } = this.#stop
      this.#run = this.#detached(() => this.#runImport({ ...stored, bytes }, work, signal))
    } catch (error) {
      await rm(this.#running, { recursive: true, force: true })
      throw error
    }
  }

  async startLive({ password, ...options }: NewLiveRun): Promise<void> {
    await this.#plugin.services.accountChanges.check('user')
    if (!this.#plugin.has('outgoing')) throw errors.IMPORT_LIVE_OFF()
    if (!/^https?:$/.test(URL.parse(options.url)?.protocol ?? '')) throw errors.IMPORT_LIVE_URL({ url: options.url })
    const { user } = options
    if (user !== null && (password ?? '') === '') throw errors.IMPORT_LIVE_PASSWORD({ user })
    await this.#take()
    const stored = newState({ name: options.url, bytes: 0, live: options })
    await writeState(this.#running, stored)
    this.#live = { stored, password }
    this.#isJob = this.#plugin.has('jobs')
    this.#stop = new AbortController()
    const job: LiveJob = { ...options, started: stored.started }
    const { jobs } = this.#plugin.services
    const run = () => (this.#isJob ? jobs.runNow(LIVE_JOB, job) : this.#runLiveJob(job, new AbortController().signal))
    this.#run = this.#detached(async () => {
      const err = await run().catch((error: unknown) => error as Error)
      // The plugin jobs logs the errors of a job that has begun.
      if (!(err instanceof Error) || this.#live?.stored !== stored) return
      this.#live = null
      this.#plugin.log.error({ err }, 'the import of a running site could not start as a job')
      await this.#leave()
    })
  }

  async cancel(): Promise<boolean> {
    const state = await readState(this.#running)
    if (state === null) return false
    // Other processes look for the file at each heartbeat.
    await writeFile(join(this.#running, CANCEL_FILE), '', { mode: PRIVATE_FILE })
    if (state.owner === processId) this.#stop.abort(errors.IMPORT_CANCELLED())
    return true
  }

  async state(): Promise<ImportState | null> {
    const running = await readState(this.#running)
    const stored = running ?? (await readState(this.#folder))
    if (stored === null) return null
    const { owner, beat, ...state } = stored
    const isOver = state.status === 'running' && (running === null || hasOwnerEnded(owner, beat))
    return isOver ? { ...state, status: 'unfinished' } : state
  }

  /** Waits until the current import ends. */
  ended(): Promise<void> {
    return this.#run
  }

  /** Stops the current import, which rolls its writes back. The plugin jobs stops its jobs itself. */
  async stop(): Promise<void> {
    if (this.#isJob) return
    this.#stop.abort(errors.IMPORT_STOPPED())
    await Promise.race([this.#run, delay(STOP_GRACE_MS, undefined, { ref: false })])
  }

  get #running(): string {
    return join(this.#folder, 'running')
  }

  /** Runs a job that this process has started, or continues one whose process has ended. */
  async #runLiveJob(job: LiveJob, signal: AbortSignal): Promise<void> {
    let live = this.#live
    if (live?.stored.started !== job.started) {
      const stored = (await readState(this.#running)) ?? (await readState(this.#folder))
      if (stored?.live === undefined || stored.started !== job.started) return
      const isCut = stored.status === 'unfinished' || (stored.status === 'running' && isOwnerGone(stored))
      // The password was only in the memory of the process. The page asks for it again.
      if (!isCut || job.user !== null) return
      await this.#take()
      live = { stored: { ...stored, status: 'running', owner: processId, beat: Date.now() }, password: undefined }
      await writeState(this.#running, live.stored)
      this.#isJob = true
      this.#stop = new AbortController()
    }
    this.#live = null
    const { password, stored } = live
    const { user, download, started: _started, ...options } = job
    const work: Work = (stopped, update) =>
      this.#importer.runLive({
        ...options,
        ...(user !== null && password !== undefined && { user, password }),
        ...(!download && { download: false as const }),
        signal: stopped,
        onProgress: (liveProgress) => void update({ liveProgress }),
      })
    await this.#runImport(stored, work, AbortSignal.any([signal, this.#stop.signal]))
    // The job stays, so that the import continues after the restart.
    signal.throwIfAborted()
  }

  async #runImport(stored: StoredState, work: Work, signal: AbortSignal): Promise<void> {
    let state = stored
    let writing = Promise.resolve()
    // Writes the state sequentially, so that an older state never replaces a newer one.
    const update: Update = (change) => {
      state = { ...state, ...change, beat: Date.now() }
      const now = state
      writing = writing
        .then(() => writeState(this.#running, now))
        .catch((err: Error) => this.#plugin.log.warn({ err }, err.message))
      return writing
    }
    const timer = setInterval(() => {
      void update({})
      void access(join(this.#running, CANCEL_FILE)).then(
        () => this.#stop.abort(errors.IMPORT_CANCELLED()),
        () => {},
      )
    }, HEARTBEAT_INTERVAL_MS)
    let end: Partial<StoredState>
    try {
      end = { status: 'done', report: await work(signal, update) }
    } catch (error) {
      if (signal.aborted) end = { status: isCancelled(signal) ? 'cancelled' : 'unfinished' }
      else {
        const isRefused = error instanceof RestError
        if (!isRefused) this.#plugin.log.error({ err: error as Error }, 'the import failed')
        const shown = isRefused ? error : errors.IMPORT_FAILED()
        const errorPhrase = ownPhrase(shown)
        end = { status: 'failed', error: shown.message, ...(errorPhrase !== undefined && { errorPhrase }) }
      }
    }
    clearInterval(timer)
    await writing
    // The import counts as running until its files are removed, and then ends at once, so that the next one can start.
    await rm(join(this.#running, 'sources'), { recursive: true, force: true })
    await writeState(this.#folder, { ...state, ...end }).catch((err: Error) =>
      this.#plugin.log.error({ err }, 'the result of an import cannot be stored'),
    )
    const away = join(this.#folder, `.ended-${processId}`)
    await rename(this.#running, away).catch(() => {})
    await rm(away, { recursive: true, force: true })
  }

  /** Creates the folder of the current import. @throws import_runs_already */
  async #take(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: PRIVATE_FOLDER })
    await this.#removeAbandoned()
    // Of two concurrent starts, one finds an existing folder.
    await mkdir(this.#running, { mode: PRIVATE_FOLDER }).catch((cause: NodeJS.ErrnoException) => {
      throw cause.code === 'EEXIST' ? errors.import_runs_already({}, { cause }) : cause
    })
  }

  /** Removes the folder of the current import, but keeps its state. */
  async #leave(): Promise<void> {
    await rename(join(this.#running, STATE_FILE), join(this.#folder, STATE_FILE)).catch(() => {})
    await rm(this.#running, { recursive: true, force: true })
  }

  /** Removes the folder of an import whose process has ended, but keeps its state. */
  async #removeAbandoned(): Promise<void> {
    const stored = await readState(this.#running)
    const since =
      stored?.beat ??
      (await stat(this.#running).then(
        (found) => found.mtimeMs,
        () => Infinity,
      ))
    if (!hasOwnerEnded(stored?.owner ?? '', since)) return
    const away = join(this.#folder, `.abandoned-${processId}`)
    // Of two concurrent calls, one finds no folder.
    const isMine = await rename(this.#running, away).then(
      () => true,
      () => false,
    )
    if (!isMine) return
    await rename(join(away, STATE_FILE), join(this.#folder, STATE_FILE)).catch(() => {})
    await rm(away, { recursive: true, force: true })
  }
}

function newState(state: Pick<StoredState, 'name' | 'bytes' | 'live'>): StoredState {
  const now = Date.now()
  return { ...state, status: 'running', started: now, progress: { bytes: 0, items: 0 }, owner: processId, beat: now }
}

const isOwnerGone = ({ owner, beat }: StoredState) => hasOwnerEnded(owner, beat)

function isCancelled({ aborted, reason }: AbortSignal): boolean {
  return aborted && ((reason as { code?: string } | undefined)?.code ?? '').endsWith('_CANCELLED')
}

async function* untilAborted(source: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    signal.throwIfAborted()
    yield piece
  }
}
