import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { isObject, type Awaitable, type PluginContext } from '../../../kernel/index.ts'
import { dependsOn, doNotCache, withoutDependencies } from '../../library/caching/index.ts'
import { LRUCache } from 'lru-cache'
import { folderState, isThemeName, readFolder } from './folder.ts'
import { NO_FILES, type ThemeFiles, type ThemePattern } from './theme-files.ts'

/** Name of the theme of new sites, which built-in themes extend. */
export const DEFAULT_THEME = 'default'
/** Names of the built-in themes, which are also the names of their folders here. */
export const BUILT_IN_THEMES: readonly string[] = [DEFAULT_THEME, 'magazine', 'minimal']
/** Maximum depth of theme inheritance: a theme, its parent, and the theme that a built-in parent extends. */
const MAX_THEME_LEVELS = 3
/** Maximum missing themes that are checked again. */
const MAX_MISSING_THEMES = 100
/** Tag of the list of all themes; not a valid theme name. */
const ALL = 'theme:*'

/** Contents of a theme folder, and the time they were last checked. */
interface CachedTheme {
  readonly mark: string
  readonly files: ThemeFiles
  checked: number
}

/** Reads theme folders, and rereads them when their files have changed. */
export class ThemeLibrary {
  /** Path of the themes folder, which might not exist. */
  readonly folder: string
  readonly #log: PluginContext['log']
  readonly #urlOf: (name: string) => string
  readonly #recheck: number
  readonly #cache = new Map<string, CachedTheme>()
  /** Time at which requested themes were last found missing, in Unix milliseconds. */
  readonly #missing = new LRUCache<string, number>({
    max: MAX_MISSING_THEMES,
    // `refresh` no longer checks an evicted theme, so cached responses that depend on it are invalidated.
    dispose: (_, name, reason) => {
      if (reason === 'evict') void withoutDependencies(() => this.onChange(name))
    },
  })
  /** Folder names from the last listing; null before the first. */
  #names: readonly string[] | null = null
  /** Called with the name of a theme whose files changed, or null if theme folders were added or removed. */
  onChange: (name: string | null) => Awaitable<void> = () => {}
  readonly #reading = new Map<string, Promise<CachedTheme | null>>()
  #builtInPatterns: Promise<readonly ThemePattern[]> | null = null

  /**
   * Creates a library.
   * @param folder path of the themes folder; it can be created later
   * @param urlOf returns the URL of a theme's folder by theme name
   * @param recheck milliseconds for which files are assumed to be unchanged
   */
  constructor(folder: string, log: PluginContext['log'], urlOf: (name: string) => string, recheck: number) {
    this.folder = folder
    this.#log = log
    this.#urlOf = urlOf
    this.#recheck = recheck
  }

  /** Returns possible folders of a theme, in order of priority. */
  folders(name: string): string[] {
    if (!isThemeName(name)) return []
    const siteFolder = path.join(this.folder, name)
    return BUILT_IN_THEMES.includes(name) ? [siteFolder, builtInFolder(name)] : [siteFolder]
  }

  /** Returns the folder of a theme; null if the theme does not exist. */
  async folderOf(name: string): Promise<string | null> {
    for (const folder of this.folders(name)) {
      if ((await folderState(folder)) !== null) return folder
    }
    return null
  }

  /** Returns the files of a theme; null if the theme does not exist. */
  async files(name: string): Promise<ThemeFiles | null> {
    dependsOn(`theme:${name}`)
    if (this.#recheck === 0) doNotCache('theme files are checked on each request')
    const cached = this.#cache.get(name)
    if (cached !== undefined && Date.now() - cached.checked < this.#recheck) return cached.files
    if (Date.now() - (this.#missing.get(name) ?? 0) < this.#recheck) return null
    const reading = this.#reading.get(name) ?? withoutDependencies(() => this.#read(name, cached))
    this.#reading.set(name, reading)
    try {
      return (await reading)?.files ?? null
    } finally {
      this.#reading.delete(name)
    }
  }

  async #read(name: string, cached: CachedTheme | undefined): Promise<CachedTheme | null> {
    for (const folder of this.folders(name)) {
      const state = await folderState(folder)
      if (state === null) continue
      const url = this.#urlOf(name)
      const mark = `${folder}\n${url}\n${state.mark}`
      if (cached?.mark === mark) {
        cached.checked = Date.now()
        return cached
      }
      const files = await readFolder(folder, state, url, (file, message) =>
        this.#log.error(
          { theme: name, file: path.join(folder, file) },
          `The file ${file} of the theme ${name} is ignored: ${message}.`,
        ),
      )
      const read = { mark, files, checked: Date.now() }
      this.#cache.set(name, read)
      const wasMissing = this.#missing.delete(name)
      if (cached !== undefined || wasMissing) await this.onChange(name)
      return read
    }
    this.#missing.set(name, Date.now())
    if (this.#cache.delete(name)) await this.onChange(name)
    return null
  }

  /** Forgets that a theme was missing, after its folder has been added. */
  async added(name: string): Promise<void> {
    if (this.#missing.delete(name)) await this.onChange(name)
    if (this.#names !== null) await this.names()
  }

  /** Checks the files of all themes that were requested. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#cache.keys(), ...this.#missing.keys()].map((name) => this.files(name)))
    if (this.#names !== null) await this.names()
  }

  /** Returns the names of all theme folders. */
  async names(): Promise<readonly string[]> {
    dependsOn(ALL)
    if (this.#recheck === 0) doNotCache('theme folders are checked on each request')
    const before = this.#names
    const names = (await readdir(this.folder).catch(() => [])).filter(isThemeName).sort()
    this.#names = names
    if (before !== null && names.join() !== before.join()) await withoutDependencies(() => this.onChange(null))
    return names
  }

  /** Returns the names of a theme and of the themes that it extends, itself last. */
  async lineage(name: string, level = 1): Promise<readonly string[]> {
    const parent = (await this.files(name))?.header['template']
    if (parent === undefined || parent === name || level >= MAX_THEME_LEVELS) return [name]
    return [...(await this.lineage(parent, level + 1)), name]
  }

  /**
   * Returns the patterns of the built-in default theme that editors offer, also if the site replaces the theme. They
   * are read once per process.
   */
  builtInPatterns(): Promise<readonly ThemePattern[]> {
    return (this.#builtInPatterns ??= this.#readBuiltInPatterns())
  }

  async #readBuiltInPatterns(): Promise<readonly ThemePattern[]> {
    const folder = builtInFolder(DEFAULT_THEME)
    const state = await folderState(folder)
    if (state === null) return []
    const { patterns } = await readFolder(folder, state, this.#urlOf(DEFAULT_THEME), () => {})
    return patterns.filter(({ inserter }) => inserter !== false)
  }

  /** Returns a theme merged with its parent; empty if it does not exist. */
  async whole(name: string, level = 1): Promise<ThemeFiles> {
    const files = (await this.files(name)) ?? NO_FILES
    const parent = files.header['template']
    if (parent === undefined || parent === name || level >= MAX_THEME_LEVELS) return files
    const parentFiles = await this.whole(parent, level + 1)
    const slugs = new Set(files.patterns.map(({ slug }) => slug))
    return {
      ...files,
      json: merged(parentFiles.json, files.json) as ThemeFiles['json'],
      variations: [
        ...files.variations,
        ...parentFiles.variations.filter((one) => !files.variations.some(({ title }) => title === one.title)),
      ],
      templates: new Map([...parentFiles.templates, ...files.templates]),
      parts: new Map([...parentFiles.parts, ...files.parts]),
      patterns: [...files.patterns, ...parentFiles.patterns.filter(({ slug }) => !slugs.has(slug))],
      css: [parentFiles.css, files.css].filter(Boolean).join('\n'),
    }
  }
}

function builtInFolder(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}

/** Merges two values: nested objects are merged, other values replaced. */
function merged(under: unknown, over: unknown): unknown {
  if (!isObject(under) || !isObject(over)) return over
  const all = new Map<string, unknown>(Object.entries(under))
  for (const [key, value] of Object.entries(over)) all.set(key, all.has(key) ? merged(all.get(key), value) : value)
  return Object.fromEntries(all)
}
