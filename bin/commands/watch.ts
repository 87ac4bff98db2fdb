import { existsSync, realpathSync, statSync, watch, type FSWatcher } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { hashOf } from './loaded-files.ts'
import type { StartFailure } from './worker.ts'

/** Milliseconds of silence after which a change is complete: editors write a file in several steps. */
const QUIET_MS = 50
/** Milliseconds between two checks whether the watched folders are still the same: builds replace folders. */
const FOLDERS_MS = 1000

/** Names of files that are imported. */
const MODULE = /\.(?:[cm]?[jt]s|json)$/

/** Restarts a site when its config file or a file of its own plugins changes. */
export class SiteWatcher {
  readonly #restart: () => Promise<StartFailure | null>
  /** Hashes of the contents with which the files were loaded, by path. */
  readonly #known = new Map<string, string | null>()
  /** By folder: an editor may replace a file by another one, which a watcher of the first one would not notice. */
  readonly #folders = new Map<string, { readonly watcher: FSWatcher; readonly inode: number }>()
  /** Names of the files that have changed since the site was last started without a failure. */
  readonly #changed = new Set<string>()
  /** Path of the file that the last start did not find, '' if it is not known; null if none was missing. */
  #missing: string | null = null
  #mustRestart = false
  #isWatching = false
  #timer: NodeJS.Timeout | undefined
  #work: Promise<void> = Promise.resolve()

  /**
   * @param configFile path of the config file; null for a site without one
   * @param restart starts the site again and resolves with the failure, or null once it serves
   */
  constructor(configFile: string | null, restart: () => Promise<StartFailure | null>) {
    this.#restart = restart
    if (configFile === null) return
    for (const file of [configFile, realPathOf(configFile)]) this.#known.set(file, hashOf(file))
  }

  /** Begins to watch. */
  start(): void {
    this.#isWatching = true
    this.#open()
    setInterval(() => this.#open(), FOLDERS_MS).unref()
  }

  /** Notes that a worker has loaded a file with this content. */
  noteLoaded(file: string, hash: string | null): void {
    this.#known.set(file, hash)
    if (this.#isWatching) this.#lookSoon()
  }

  /** Watches the folders of all known files, and the one in which a missing file will appear. */
  #open(): void {
    const missing = this.#missing ? [nearestFolder(this.#missing)] : []
    for (const folder of new Set([...[...this.#known.keys()].map((file) => dirname(file)), ...missing])) {
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
      // Changes from before were not noticed.
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
    const isKnown = [...this.#known.keys(), this.#missing].some((file) => file === path || file?.startsWith(path + sep))
    const mayBeMissing = this.#missing === '' && MODULE.test(path)
    if (!isKnown && !mayBeMissing && name !== null && this.#folders.has(folder)) return
    this.#mustRestart ||= mayBeMissing
    this.#lookSoon()
  }

  #lookSoon(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#work = this.#work.then(() => this.#look())
    }, QUIET_MS).unref()
  }

  async #look(): Promise<void> {
    let isNew = this.#mustRestart || (this.#missing !== null && existsSync(this.#missing))
    this.#mustRestart = false
    for (const [file, known] of this.#known) {
      const hash = hashOf(file)
      // A file that is not there, or empty, is being written.
      if (hash === null || hash === known) continue
      this.#known.set(file, hash)
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
      console.error(`${failure.text}\n${names} changed, but cannot be loaded: the site goes on with what it had.`)
      return
    }
    this.#changed.clear()
    console.log(`${names} changed: restarted in ${Math.round(performance.now() - began)} ms.`)
  }
}

/** The path behind the links of a path; the path itself if there is no such file. */
function realPathOf(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

/** The nearest existing folder of a path. */
function nearestFolder(path: string): string {
  const folder = dirname(path)
  return folder === path || existsSync(folder) ? folder : nearestFolder(folder)
}
