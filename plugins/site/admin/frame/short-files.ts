import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { PluginContext, SitePage } from '../../../../kernel/index.ts'
import { variantEtag } from '../../../requests/conditional/index.ts'
import type { Encoding } from '../../../responses/compression/index.ts'
import type { SiteRequest } from '../../../requests/site-requests/index.ts'
import { isBundled } from './libraries.ts'

/** Types of files that are minified and compressed. */
const SHORTENED = /\.(?:js|css|svg)$/
/** Longer files are sent as they are: short ones are kept in memory. */
const MAX_BYTES = 1_000_000

/** The bodies of a file: minified, and compressed by encoding. */
interface ShortFile {
  readonly etag: string
  readonly minified: Promise<Buffer>
  readonly encoded: Map<Encoding, Promise<Buffer>>
}

/**
 * Scripts, styles and icons with the shortest body: minified if this is a checkout, and compressed with the highest
 * effort. `npm run build` minifies those of the package.
 */
export class ShortFiles {
  readonly #plugin: PluginContext
  /** By path. */
  readonly #files = new Map<string, ShortFile>()

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /**
   * Replaces the body of a response with a short one.
   * @param page response with the file, whose body has not been read
   * @param path of the file
   * @param isMinified whether the file is minified too
   */
  async shorten(page: SitePage, path: string, request: SiteRequest, isMinified: boolean): Promise<SitePage> {
    const { status, headers } = page
    const etag = headers.get('ETag')
    const size = Number(headers.get('Content-Length'))
    if (status !== 200 || etag === null || size > MAX_BYTES || !SHORTENED.test(path)) return page
    const file = this.#fileOf(path, etag, isMinified)
    const encoding = this.#plugin.has('compression') ? this.#encodingFor(request, size) : null
    const body = encoding === null ? await file.minified : await this.#encoded(file, encoding)
    headers.set('Content-Length', String(body.length))
    headers.delete('Accept-Ranges')
    if (encoding !== null) {
      headers.set('Content-Encoding', encoding)
      headers.set('ETag', variantEtag(etag, encoding))
    }
    return { ...page, body: request.method === 'HEAD' ? null : body }
  }

  #encodingFor({ headers }: SiteRequest, size: number): Encoding | null {
    const { compression } = this.#plugin.services
    return size < compression.minBytes ? null : compression.pickEncoding(headers.get('Accept-Encoding'))
  }

  #fileOf(path: string, etag: string, isMinified: boolean): ShortFile {
    const known = this.#files.get(path)
    if (known?.etag === etag) return known
    const file = { etag, minified: isMinified ? minified(path) : readFile(path), encoded: new Map() }
    this.#files.set(path, file)
    // The next request tries again.
    file.minified.catch(() => this.#files.delete(path))
    return file
  }

  #encoded({ minified, encoded }: ShortFile, encoding: Encoding): Promise<Buffer> {
    const known = encoded.get(encoding)
    if (known !== undefined) return known
    const { compression } = this.#plugin.services
    const body = minified.then((bytes) => compression.compress(bytes, encoding, 'best'))
    encoded.set(encoding, body)
    body.catch(() => encoded.delete(encoding))
    return body
  }
}

/** Returns a script or a style without comments and spaces, as esbuild of a checkout writes it. */
async function minified(path: string): Promise<Buffer> {
  const source = await readFile(path)
  const loader = extname(path) === '.js' ? 'js' : extname(path) === '.css' ? 'css' : null
  if (loader === null || (await isBundled())) return source
  const { transform } = await import('esbuild')
  const { code } = await transform(source, { loader, minify: true, legalComments: 'none', target: 'es2022' })
  return Buffer.from(code)
}
