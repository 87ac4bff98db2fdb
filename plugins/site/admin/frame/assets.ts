import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RestError, type PluginContext, type SitePage } from '../../../../kernel/index.ts'
import type { SiteRequest } from '../../../requests/site-requests/index.ts'
import { FileServer } from '../../../content/media/index.ts'
import { PageHtml } from '../../../library/markup/index.ts'
import { errors } from '../errors.ts'
import { ASSETS, type Admin } from '../admin.ts'
import { libraryFiles } from './libraries.ts'
import { ShortFiles } from './short-files.ts'

/** Cache lifetime of a file in seconds: its URL changes with its content. */
const YEAR_SECONDS = 31_536_000
const SERVED_FILE = /^[\w-]+(?:\/[\w-]+)*(?:\.[\w-]+)*\.(?:js|css|svg|png|jpe?g|gif|webp|avif|ico|woff2?|json|wasm)$/
/** Characters of the version in a URL. */
const VERSION_LENGTH = 12

/**
 * The scripts, styles and images of the admin and of plugins. Their URLs contain a hash of all files of their folder,
 * which is computed once per process.
 */
export class AdminAssets {
  readonly #plugin: PluginContext
  readonly #admin: Admin
  /** Versions by folder. */
  readonly #versions = new Map<string, Promise<string>>()
  /** Folders of libraries by the name in their URL. */
  readonly #libraryFolders = new Map<string, string>()
  readonly #shortFiles: ShortFiles
  #libraries: Promise<ReadonlyMap<string, string>> | null = null

  constructor(plugin: PluginContext, admin: Admin) {
    this.#plugin = plugin
    this.#admin = admin
    this.#shortFiles = new ShortFiles(plugin)
  }

  /**
   * Returns the URL of a file.
   * @param file the name that the folder was registered under, and a path in the folder: `guestbook/list.js`
   * @throws ADMIN_ASSETS_INVALID
   */
  async urlOf(file: string): Promise<string> {
    const [name = '', ...rest] = file.split('/')
    const folder = this.#folderOf(name)
    if (folder === undefined) throw errors.ADMIN_ASSETS_INVALID(name, `no plugin has added the folder of "${file}"`)
    const { urls, branding } = this.#plugin
    return urls.site(`${branding.adminPath}${ASSETS}/${name}/${await this.#versionOf(name, folder)}/${rest.join('/')}`)
  }

  /**
   * Responds to a request for a file. A URL with an outdated hash gets the current file, which browsers must
   * revalidate.
   * @param path below `assets/`: `core/0123456789ab/admin.js`
   * @throws admin_page_not_found
   */
  async respond(path: string, request: SiteRequest): Promise<SitePage> {
    const [name = '', version = '', ...rest] = path.split('/')
    // The map of a page that another process has rendered can refer to a library.
    if (name.startsWith(LIBRARY)) await this.#libraryModules()
    const folder = this.#folderOf(name)
    const file = rest.join('/')
    if (folder === undefined || !SERVED_FILE.test(file)) throw errors.admin_page_not_found()
    const isOwn = name === 'core' || name.startsWith(LIBRARY)
    // Ranges would refer to the bytes on the disk, which are minified.
    if (isOwn) request.headers.delete('Range')
    const isCurrent = version === (await this.#versionOf(name, folder))
    const found = await new FileServer(folder, isCurrent ? YEAR_SECONDS : 0, NO_PENDING_WRITES).respond(file, request)
    if (found === null) throw errors.admin_page_not_found()
    return this.#shortFiles.shorten(found, join(folder, file), request, isOwn)
  }

  /**
   * Renders the import map: libraries, and the modules that plugins have added with `addModule`.
   * @param nonce of the Content-Security-Policy
   */
  async importMap(nonce: string): Promise<PageHtml> {
    const imports: Record<string, string> = Object.fromEntries(await this.#libraryModules())
    for (const { name, file } of this.#admin.modules()) imports[name] = await this.urlOf(file)
    const json = JSON.stringify({ imports }).replaceAll('<', String.raw`\u003c`)
    return new PageHtml(`<script type="importmap" nonce="${nonce}">${json}</script>`)
  }

  /** Returns the URLs of the libraries by name. */
  #libraryModules(): Promise<ReadonlyMap<string, string>> {
    const read = async () => {
      const urls = new Map<string, string>()
      for (const [name, { folder, file }] of await libraryFiles()) {
        const known = [...this.#libraryFolders].find(([, one]) => one === folder)?.[0]
        const served = known ?? `${LIBRARY}${this.#libraryFolders.size}`
        this.#libraryFolders.set(served, folder)
        urls.set(name, await this.urlOf(`${served}/${file}`))
      }
      return urls
    }
    return (this.#libraries ??= read())
  }

  #folderOf(name: string): string | undefined {
    return this.#libraryFolders.get(name) ?? this.#admin.folderOf(name)
  }

  #versionOf(name: string, folder: string): Promise<string> {
    const cached = this.#versions.get(folder)
    if (cached !== undefined) return cached
    const version = versionOf(folder).catch((cause: unknown) => {
      this.#versions.delete(folder)
      if (cause instanceof RestError) throw cause
      throw errors.ADMIN_ASSETS_INVALID(name, `the folder ${folder} cannot be read`)
    })
    this.#versions.set(folder, version)
    return version
  }
}

/** Start of the names of library folders; names of `addAssets` contain no dot. */
const LIBRARY = 'library.'

const NO_PENDING_WRITES = { pending: async () => [] }

async function versionOf(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const hash = createHash('sha256')
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
  for (const path of paths.sort()) hash.update(path.slice(folder.length)).update(await readFile(path))
  return hash.digest('hex').slice(0, VERSION_LENGTH)
}
