import { createHash } from 'node:crypto'
import { watch, type FSWatcher } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Kernel, LocalModules } from '../../kernel/host.ts'
import type { SiteConfig } from '../../kernel/index.ts'
import { failureWithPlace } from './failure.ts'

/** Milliseconds of silence after which what was written is complete: editors write a file in several steps. */
const QUIET = 50
/** Milliseconds after which a folder that could not be watched is tried again. */
const AGAIN = 1000

/** Names of files that are imported. */
const MODULE = /\.(?:[cm]?[jt]s|json)$/
/** What Node says of a file that is not there. */
const MISSING: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ENOENT'])

/** What is watched, and what for. */
export interface Watched {
  readonly kernel: Kernel
  readonly modules: LocalModules
  /** Path of the config file; null where the site has none. */
  readonly configFile: string | null
  readonly config: SiteConfig
  /** Reads the config anew. */
  readonly reread: () => Promise<SiteConfig>
}

/**
 * Reloads the plugins of a running site whose files, or whose options in the config file, have changed. Where the new
 * version fails it says so, and the old one goes on.
 */
export class SiteWatcher {
  readonly #watched: Watched
  #config: SiteConfig
  /** By folder: editors put another file in the place of one, which nobody who watches that one would hear of. */
  readonly #folders = new Map<string, FSWatcher>()
  /** What the files had in them when they were loaded, as hashes. */
  readonly #known = new Map<string, string>()
  /** What has changed since the plugins were last loaded without a mistake. */
  readonly #changed = new Set<string>()
  /** Whether it was a file that was not there. */
  #isMissing = false
  #mustLook = false
  #timer: NodeJS.Timeout | undefined
  #work: Promise<void> = Promise.resolve()

  constructor(watched: Watched) {
    this.#watched = watched
    this.#config = watched.config
  }

  /** Begins to watch. */
  async start(): Promise<void> {
    for (const file of this.#files()) this.#known.set(file, (await hashOf(file)) ?? '')
    this.#open()
  }

  #files(): string[] {
    const { configFile, modules } = this.#watched
    return [...new Set([...modules.files, ...(configFile === null ? [] : [configFile])])]
  }

  /** Watches the folders of all files that are known by now. */
  #open(): void {
    for (const folder of new Set(this.#files().map((file) => dirname(file)))) {
      if (this.#folders.has(folder)) continue
      const retry = () => {
        this.#folders.get(folder)?.close()
        this.#folders.delete(folder)
        setTimeout(() => this.#open(), AGAIN).unref()
      }
      try {
        const watcher = watch(folder, { persistent: false }, (_, name) => this.#heard(name))
        this.#folders.set(folder, watcher)
        watcher.on('error', retry)
      } catch {
        retry()
      }
    }
  }

  #heard(name: string | null): void {
    const isKnown = name === null || this.#files().some((file) => basename(file) === name)
    // What was missing may be a file that nobody has heard of.
    const mayBeMissing = this.#isMissing && MODULE.test(name ?? '')
    if (!isKnown && !mayBeMissing) return
    this.#mustLook ||= mayBeMissing
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#work = this.#work.then(() => this.#look())
    }, QUIET).unref()
  }

  async #look(): Promise<void> {
    let isNew = this.#mustLook
    this.#mustLook = false
    for (const file of this.#files()) {
      const hash = await hashOf(file)
      // A file that is not there, or empty, is being written.
      if (hash === null || hash === this.#known.get(file)) continue
      isNew = true
      this.#changed.add(file)
      this.#known.set(file, hash)
    }
    if (isNew) await this.#reload()
    this.#open()
  }

  async #reload(): Promise<void> {
    const { kernel, modules, configFile, reread } = this.#watched
    const began = performance.now()
    const names = [...this.#changed].map((file) => basename(file)).join(', ')
    try {
      modules.renew(this.#changed)
      const config = await reread()
      const { started } = await kernel.follow(config.plugins)
      const ms = Math.round(performance.now() - began)
      const what = started.length === 0 ? 'nothing to reload' : `reloaded ${started.join(', ')} in ${ms} ms`
      console.log(`${names} changed: ${what}.`)
      this.#tellOfOthers(config, configFile)
      this.#config = config
      this.#changed.clear()
      this.#isMissing = false
    } catch (error) {
      this.#isMissing = MISSING.has(((error as Error).cause as NodeJS.ErrnoException | undefined)?.code)
      console.error(
        `${failureWithPlace(error)}\n${names} changed, but cannot be loaded: the site goes on with what it had.`,
      )
    }
    for (const file of this.#files()) if (!this.#known.has(file)) this.#known.set(file, (await hashOf(file)) ?? '')
  }

  /** Says which keys of the config have another value, which a running site cannot take. */
  #tellOfOthers(config: SiteConfig, file: string | null): void {
    const keys = (Object.keys(config) as (keyof SiteConfig)[]).filter(
      (key) => key !== 'plugins' && JSON.stringify(config[key]) !== JSON.stringify(this.#config[key]),
    )
    if (keys.length > 0 && file !== null)
      console.log(`Start the site anew to have ${keys.join(', ')} of ${basename(file)}.`)
  }
}

/** What tells the content of a file from another one; null for a file that is empty or not there. */
async function hashOf(file: string): Promise<string | null> {
  try {
    const content = await readFile(file)
    return content.length === 0 ? null : createHash('sha1').update(content).digest('base64')
  } catch {
    return null
  }
}
