import { AsyncLocalStorage } from 'node:async_hooks'
import { createReadStream } from 'node:fs'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { RestError, type PluginContext } from '../../../kernel/index.ts'
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../storage/store/index.ts'
import { hasEnded, processId } from '../../content/media/index.ts'
import { errors } from './errors.ts'
import type { ImportReport } from './report.ts'
import type { Importer, ImportOptions, ImportProgress } from './types.ts'

/** An import to run in the background. */
export interface NewImportRun extends Pick<ImportOptions, 'rewrite' | 'trustHtml'> {
  /** Name of the export file, shown with the progress. */
  readonly name: string
  readonly wxr: Uint8Array
  /** A `.tar` or `.tar.gz` archive of the media files. */
  readonly uploads?: Uint8Array
  /** JSON files with data that the export lacks. */
  readonly siteFiles?: readonly Uint8Array[]
  /** Whether missing media files are downloaded from the old site. */
  readonly download?: boolean
}

/** State of the current import, or of the last one. */
export interface ImportState {
  /** `unfinished`: its process ended early; the site is unchanged. */
  readonly status: 'running' | 'done' | 'failed' | 'unfinished'
  /** Name of the export file. */
  readonly name: string
  /** Bytes of the export file. */
  readonly bytes: number
  /** Start time in Unix milliseconds. */
  readonly started: number
  readonly progress: ImportProgress
  readonly report?: ImportReport
  /** Why the import failed. */
  readonly error?: string
}

/** Runs imports in the background, one at a time across all processes of the site. */
export interface ImportRuns {
  /** Starts an import. @throws import_runs_already */
  start(run: NewImportRun): Promise<void>
  /** State of the current import, or of the last one; null if there was no import. */
  state(): Promise<ImportState | null>
}

/** The stored state, with the process that runs the import and its last heartbeat. */
interface StoredState extends ImportState {
  readonly owner: string
  readonly beat: number
}

/** Milliseconds between two heartbeats. */
const HEARTBEAT_INTERVAL_MS = 2000
/** Milliseconds without a heartbeat after which an import is abandoned, if it is unknown whether its process runs. */
const MAX_SILENCE_MS = 120_000
/** Milliseconds that an import has to end when the site stops. */
const STOP_GRACE_MS = 10_000

/** Runs imports in this process. A hidden folder among the uploads shares the state with other processes. */
export class OwnImportRuns implements ImportRuns {
  readonly #plugin: PluginContext
  readonly #importer: Importer
  readonly #folder: string
  /** Detaches imports from the request that starts them. */
  readonly #detached = AsyncLocalStorage.snapshot()
  #stop: AbortController | null = null
  #run: Promise<void> = Promise.resolve()

  /** Create it while the plugin is applied. */
  constructor(plugin: PluginContext, importer: Importer) {
    this.#plugin = plugin
    this.#importer = importer
    // Hidden files are never served.
    this.#folder = join(plugin.config.uploads, '.imports')
  }

  async start(run: NewImportRun): Promise<void> {
    // An import creates users.
    await this.#plugin.services.accountChanges.check('user')
    await mkdir(this.#folder, { recursive: true, mode: PRIVATE_FOLDER })
    await this.#removeAbandoned()
    // Of two concurrent starts, one finds an existing folder.
    await mkdir(this.#running, { mode: PRIVATE_FOLDER }).catch((cause: NodeJS.ErrnoException) => {
      throw cause.code === 'EEXIST' ? errors.import_runs_already({ cause }) : cause
    })
    try {
      const stored: StoredState = {
        status: 'running',
        name: run.name,
        bytes: run.wxr.byteLength,
        started: Date.now(),
        progress: { bytes: 0, items: 0 },
        owner: processId,
        beat: Date.now(),
      }
      await this.#writeState(stored)
      const options = await this.#stageFiles(run)
      this.#stop = new AbortController()
      this.#run = this.#detached(() => this.#runImport(stored, options, this.#stop!.signal))
    } catch (error) {
      await rm(this.#running, { recursive: true, force: true })
      throw error
    }
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

  /** Stops the current import, which rolls its writes back. */
  async stop(): Promise<void> {
    this.#stop?.abort(errors.IMPORT_STOPPED())
    await Promise.race([this.#run, delay(STOP_GRACE_MS, undefined, { ref: false })])
  }

  get #running(): string {
    return join(this.#folder, 'running')
  }

  async #stageFiles({ wxr, uploads, siteFiles = [], download, rewrite, trustHtml }: NewImportRun) {
    const stage = async (name: string, bytes: Uint8Array) => {
      const path = join(this.#running, name)
      await writeFile(path, bytes, { mode: PRIVATE_FILE })
      return path
    }
    return {
      ...(rewrite !== undefined && { rewrite }),
      ...(trustHtml !== undefined && { trustHtml }),
      file: await stage('export.xml', wxr),
      siteFiles: await Promise.all(siteFiles.map((bytes, index) => stage(`site-${index}.json`, bytes))),
      ...(uploads !== undefined && { uploads: await stage('uploads.tar', uploads) }),
      ...(download === true && { download: {} }),
    }
  }

  async #runImport(
    stored: StoredState,
    { file, ...options }: Omit<ImportOptions, 'source'> & { file: string },
    signal: AbortSignal,
  ): Promise<void> {
    let state = stored
    let writing = Promise.resolve()
    // Writes the state sequentially, so that an older state never replaces a newer one.
    const update = (change: Partial<StoredState>) => {
      state = { ...state, ...change, beat: Date.now() }
      const now = state
      writing = writing
        .then(() => this.#writeState(now))
        .catch((err: Error) => this.#plugin.log.warn({ err }, err.message))
      return writing
    }
    const timer = setInterval(() => void update({}), HEARTBEAT_INTERVAL_MS)
    try {
      const report = await this.#importer.run({
        ...options,
        source: untilAborted(createReadStream(file), signal),
        onProgress: (progress) => void update({ progress: { ...progress } }),
      })
      await update({ status: 'done', report })
    } catch (error) {
      if (!(error instanceof RestError)) this.#plugin.log.error({ err: error as Error }, 'the import failed')
      const status = signal.aborted ? 'unfinished' : 'failed'
      await update({ status, error: error instanceof RestError ? error.message : errors.IMPORT_FAILED().message })
    } finally {
      clearInterval(timer)
      await writing
      await rename(join(this.#running, STATE_FILE), join(this.#folder, STATE_FILE)).catch(() => {})
      await rm(this.#running, { recursive: true, force: true })
    }
  }

  async #writeState(stored: StoredState): Promise<void> {
    const path = join(this.#running, STATE_FILE)
    await writeFile(`${path}.new`, JSON.stringify(stored), { mode: PRIVATE_FILE })
    await rename(`${path}.new`, path)
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

const STATE_FILE = 'state.json'

async function readState(folder: string): Promise<StoredState | null> {
  const text = await readFile(join(folder, STATE_FILE), 'utf8').catch(() => null)
  try {
    if (text === null) return null
    const { report, ...state } = JSON.parse(text) as StoredState
    // Reports of earlier versions have another form.
    return report?.plugins === undefined ? state : { ...state, report }
  } catch {
    // The machine crashed before the file was completely written.
    return null
  }
}

function hasOwnerEnded(owner: string, beat: number): boolean {
  return owner === processId ? false : hasEnded(owner) || Date.now() - beat > MAX_SILENCE_MS
}

async function* untilAborted(source: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    signal.throwIfAborted()
    yield piece
  }
}
