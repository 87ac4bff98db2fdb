import { existsSync, realpathSync, statSync, watch, type FSWatcher } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { hashOf } from './loaded-files.ts'
import type { StartFailure } from './worker.ts'

/** Time without further events after which a change is complete: editors write a file in several steps. */
const QUIET_MS = 50
/** Interval of checks whether watched folders were replaced, as builds do. */
const FOLDER_CHECK_MS = 1000

/** File names that can be imported. */
const MODULE = /\.(?:[cm]?[jt]s|json)$/

/** Restarts a site when its config file or a file of its own plugins changes. */
export class SiteWatcher {
  readonly #restart: () => Promise<StartFailure | null>
  /** Hash of the content with which each file was loaded, by path. */
  readonly #loaded = new Map<string, string | null>()
  /** Watchers by folder: an editor can replace a file with another one, which a watcher of the file would not notice. */
  readonly #folders = new Map<string, { readonly watcher: FSWatcher; readonly inode: number }>()
  /** Names of the files that have changed since the last successful start of the site. */
  readonly #changed = new Set<string>()
  /** Path of the file that was missing at the last start; '' if its path is unknown, null if no file was missing. */
  #missing: string | null = null
  #mustRestart = false
  #isWatching = false
  #timer: NodeJS.Timeout | undefined
  #pending: Promise<void> = Promise.resolve()

  /**
   * @param configFile path of the config file; null for a site without one
   * @param restart starts the site again and resolves with the failure, or null once it serves
   */
  constructor(configFile: string | null, restart: () => Promise<StartFailure | null>) {
    this.#restart = restart
    if (configFile === null) return
    for (const file of [configFile, realPathOf(configFile)]) this.#loaded.set(file, hashOf(file))
  }

  /** Starts watching. */
  start(): void {
    this.#isWatching = true
    this.#open()
    setInterval(() => this.#open(), FOLDER_CHECK_MS).unref()
  }

  /** Records that a worker has loaded a file with this content. */
  noteLoaded(file: string, hash: string | null): void {
    this.#loaded.set(file, hash)
    if (this.#isWatching) this.#checkSoon()
  }

  /** Watches the folders of all loaded files, and the folder in which a missing file will appear. */
  #open(): void {
    const missing = this.#missing ? [nearestFolder(this.#missing)] : []
    for (const folder of new Set([...[...this.#loaded.keys()].map((file) => dirname(file)), ...missing])) {
      const inode = statSync(folder, { throwIfNoEntry: false })?.ino
      if (inode !== undefined && this.#folders.get(folder)?.inode === inode) continue
      this.#unwatch(folder)
      if (inode === undefined) continue
      try {
        const watcher = watch(folder, { persistent: false }, (_, name) => this.#onEvent(folder, name))
        this.#folders.set(folder, { watcher, inode })
        watcher.on('error', () => this.#unwatch(folder))
      } catch {
        continue
      }
      // Finds changes that were made before the watcher existed.
      this.#checkSoon()
    }
  }

  #unwatch(folder: string): void {
    this.#folders.get(folder)?.watcher.close()
    this.#folders.delete(folder)
  }

  #onEvent(folder: string, name: string | null): void {
    const path = join(folder, name ?? '')
    // The folder itself was removed. A new folder in its place can have the same inode.
    if (name === basename(folder)) this.#unwatch(folder)
    const isLoaded = [...this.#loaded.keys(), this.#missing].some(
      (file) => file === path || file?.startsWith(path + sep),
    )
    const mayBeMissing = this.#missing === '' && MODULE.test(path)
    if (!isLoaded && !mayBeMissing && name !== null && this.#folders.has(folder)) return
    this.#mustRestart ||= mayBeMissing
    this.#checkSoon()
  }

  #checkSoon(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#pending = this.#pending.then(() => this.#check())
    }, QUIET_MS).unref()
  }

  async #check(): Promise<void> {
    let isNew = this.#mustRestart || (this.#missing !== null && existsSync(this.#missing))
    this.#mustRestart = false
    for (const [file, loadedHash] of this.#loaded) {
      const hash = hashOf(file)
      // A missing or empty file is still being written: its next event starts another check.
      if (hash === null || hash === loadedHash) continue
      this.#loaded.set(file, hash)
      this.#changed.add(basename(file))
      isNew = true
    }
    if (isNew) await this.#restartSite()
    this.#open()
  }

  async #restartSite(): Promise<void> {
    const began = performance.now()
    const names = [...this.#changed].join(', ')
    const failure = await this.#restart()
    this.#missing = failure?.missing ?? null
    if (failure !== null) {
      console.error(
        `${failure.text}\n${names} changed, but cannot be loaded: the site keeps running the previous version.`,
      )
      return
    }
    this.#changed.clear()
    console.log(`${names} changed: restarted in ${Math.round(performance.now() - began)} ms.`)
  }
}

/** Resolves symbolic links; returns the path itself if the file does not exist. */
function realPathOf(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

/** Returns the nearest existing folder above a path. */
function nearestFolder(path: string): string {
  const folder = dirname(path)
  return folder === path || existsSync(folder) ? folder : nearestFolder(folder)
}
