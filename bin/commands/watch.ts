import { createHash } from 'node:crypto'
import { existsSync, realpathSync, statSync, watch, type FSWatcher } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Kernel, LocalModules } from '../../kernel/host.ts'
import type { SiteConfig } from '../../kernel/index.ts'
import { failureWithPlace } from './failure.ts'

/** Milliseconds of silence after which what was written is complete: editors write a file in several steps. */
const WRITE_SILENCE_MS = 50
/** Milliseconds after which is looked again whether folders are those that are watched: builds put others in their place. */
const FOLDER_CHECK_INTERVAL_MS = 1000

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
  readonly #folders = new Map<string, { readonly watcher: FSWatcher; readonly inode: number }>()
  /** What the files had in them when they were loaded, as hashes. */
  readonly #known = new Map<string, string>()
  /** What has changed since the plugins were last loaded without a mistake. */
  readonly #changed = new Set<string>()
  /** Whether it was a file that was not there; and its path, where that is known. */
  #isMissing = false
  #missing: string | null = null
  #mustLook = false
  /** Paths that were heard of since it was looked last. */
  #heardOf = new Set<string>()
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
    setInterval(() => this.#open(), FOLDER_CHECK_INTERVAL_MS).unref()
  }

  #files(): string[] {
    const { configFile, modules } = this.#watched
    const files = [...modules.files, ...(configFile === null ? [] : [configFile])]
    // What is written behind a link is heard of where it really is.
    return [...new Set(files.flatMap((file) => [file, realPathOf(file)]))]
  }

  /** Watches the folders of all files that are known by now, and that in which a missing one will appear. */
  #open(): void {
    const missing = this.#missing === null ? [] : [nearestFolder(this.#missing)]
    for (const folder of new Set([...this.#files().map((file) => dirname(file)), ...missing])) {
      const inode = statSync(folder, { throwIfNoEntry: false })?.ino
      if (inode !== undefined && this.#folders.get(folder)?.inode === inode) continue
      this.#leave(folder)
      if (inode === undefined) continue
      try {
        const watcher = watch(folder, { persistent: false }, (_, name) => this.#heard(folder, name))
        this.#folders.set(folder, { watcher, inode })
        watcher.on('error', () => this.#leave(folder))
      } catch {
        continue
      }
      // Of what was written before, nobody has heard.
      this.#lookSoon()
    }
  }

  #leave(folder: string): void {
    this.#folders.get(folder)?.watcher.close()
    this.#folders.delete(folder)
  }

  #heard(folder: string, name: string | null): void {
    const path = join(folder, name ?? '')
    // The folder itself is gone: another one in its place may have its number.
    if (name === basename(folder)) this.#leave(folder)
    const isKnown = [...this.#files(), this.#missing].some((file) => file === path || file?.startsWith(path + sep))
    // What was missing may be a file that nobody has heard of.
    const mayBeMissing = this.#isMissing && this.#missing === null && MODULE.test(path)
    if (!isKnown && !mayBeMissing && name !== null && this.#folders.has(folder)) return
    this.#mustLook ||= mayBeMissing
    this.#heardOf.add(path)
    this.#lookSoon()
  }

  #lookSoon(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#work = this.#work.then(() => this.#look())
    }, WRITE_SILENCE_MS).unref()
  }

  async #look(): Promise<void> {
    let isNew = this.#mustLook || (this.#missing !== null && existsSync(this.#missing))
    this.#mustLook = false
    const heardOf = this.#heardOf
    this.#heardOf = new Set()
    for (const file of this.#files()) {
      const hash = await hashOf(file)
      // A file that is not there, or empty, is being written.
      if (hash === null || hash === this.#known.get(file)) continue
      const isUnknown = !this.#known.has(file)
      this.#known.set(file, hash)
      // What was imported by a request is loaded as it is.
      if (isUnknown && !heardOf.has(file)) continue
      isNew = true
      this.#changed.add(file)
    }
    if (isNew) await this.#reload()
    this.#open()
  }

  async #reload(): Promise<void> {
    const { kernel, modules, configFile, reread } = this.#watched
    const began = performance.now()
    const names = [...new Set(Array.from(this.#changed, (file) => basename(file)))].join(', ')
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
      this.#missing = null
    } catch (error) {
      const cause = (error as Error).cause as (NodeJS.ErrnoException & { url?: string }) | undefined
      this.#isMissing = MISSING.has(cause?.code)
      const url = this.#isMissing ? cause?.url : undefined
      this.#missing = url?.startsWith('file:') ? fileURLToPath(url) : null
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

/** Where a file really is; its own path where it is not there. */
function realPathOf(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

/** The folder that is there in which a path is, or will be. */
function nearestFolder(path: string): string {
  const folder = dirname(path)
  return folder === path || existsSync(folder) ? folder : nearestFolder(folder)
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
