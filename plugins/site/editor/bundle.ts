import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readManifest, type Manifest } from './manifest.ts'

/** The bundle of the block editor in a folder of the site, if it is installed. */
export class Bundle {
  /** Path of the folder. */
  readonly folder: string
  readonly #file: string
  #read: { readonly state: string; readonly manifest: Manifest | null } | null = null

  constructor(folder: string) {
    this.folder = folder
    this.#file = join(folder, 'manifest.json')
  }

  /** Path of the manifest. */
  get manifestFile(): string {
    return this.#file
  }

  /** Whether a manifest exists, valid or not. */
  get isThere(): boolean {
    return this.#state() !== null
  }

  /**
   * The manifest; null if it is missing or invalid. Checks on each access whether the file has changed, so that a
   * running server notices an installation.
   */
  get manifest(): Manifest | null {
    const state = this.#state()
    if (state === null) return null
    if (this.#read?.state !== state) this.#read = { state, manifest: this.#load() }
    return this.#read.manifest
  }

  #state(): string | null {
    const found = statSync(this.#file, { throwIfNoEntry: false })
    return found === undefined ? null : `${found.ino} ${found.size} ${found.mtimeMs}`
  }

  #load(): Manifest | null {
    try {
      return readManifest(readFileSync(this.#file, 'utf8'))
    } catch {
      return null
    }
  }
}
