import { createRequire, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { moduleUrl } from './module-url.ts'

/** The module that imports the modules of a site. */
const LOADER = moduleUrl('./deadline', import.meta.url).href
/** Folders of this package. */
const OURS = ['./', '../plugins/', '../bin/'].map((folder) => new URL(folder, import.meta.url).href)
/** The query that makes the URL of a new version of a file differ from the loaded one. */
const QUERY = 'version'

/**
 * The files of a site's own plugins: the entry files and every file that they import by a path. The next import of an entry
 * loads each changed file again, and the files that import it; unchanged files keep their state in memory. Node keeps
 * each loaded version until the process ends.
 */
export class LocalModules implements Disposable {
  readonly #importers = new Map<string, Set<string>>()
  readonly #versions = new Map<string, number>()
  readonly #hooks: { deregister(): void }

  /** Follows the imports from now on. */
  constructor() {
    this.#hooks = registerHooks({
      resolve: (specifier, context, next) => {
        const found = next(specifier, context)
        const parent = withoutQuery(context.parentURL ?? '')
        if (!isLocal(found.url) || (parent !== LOADER && !this.#importers.has(parent))) return found
        const file = withoutQuery(found.url)
        const importers = this.#importers.get(file) ?? new Set()
        if (parent !== LOADER) importers.add(parent)
        this.#importers.set(file, importers)
        const version = this.#versions.get(file)
        if (version === undefined) return found
        const url = new URL(found.url)
        url.searchParams.set(QUERY, String(version))
        return { ...found, url: url.href }
      },
    })
  }

  /** Paths of the files that have been imported. */
  get files(): string[] {
    return [...this.#importers.keys()].map((file) => fileURLToPath(file))
  }

  /** Has files, and all that import them, loaded anew when they are imported next. */
  renew(paths: ReadonlySet<string>): void {
    const changed = new Set([...this.#importers.keys()].filter((file) => paths.has(fileURLToPath(file))))
    // What is added meanwhile is looked at, too.
    for (const file of changed) for (const importer of this.#importers.get(file)!) changed.add(importer)
    const { cache } = createRequire(import.meta.url)
    for (const file of changed) {
      this.#versions.set(file, (this.#versions.get(file) ?? 0) + 1)
      // CommonJS goes by the path alone.
      Reflect.deleteProperty(cache, fileURLToPath(file))
    }
  }

  [Symbol.dispose](): void {
    this.#hooks.deregister()
  }
}

function isLocal(url: string): boolean {
  return url.startsWith('file:') && !url.includes('/node_modules/') && !OURS.some((folder) => url.startsWith(folder))
}

/** The URL of a file, whichever version of it. */
const withoutQuery = (url: string) => url.replace(/[?#].*$/, '')
