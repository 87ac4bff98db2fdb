import { randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HeaderMap, RestError, trimEndSlashes, type PluginContext, type SitePage } from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import { errors } from './errors.ts'
import { profileOf, type Profile } from './profile.ts'
import type { TracedRequest } from './record.ts'
import { LOG_LIMITS, type RequestLog } from './request-log.ts'

/** Media types of the files of the page, by name. */
const ASSETS: Readonly<Record<string, string>> = {
  'trace.css': 'text/css; charset=UTF-8',
  'trace.js': 'text/javascript; charset=UTF-8',
  'elements.js': 'text/javascript; charset=UTF-8',
  'requests.js': 'text/javascript; charset=UTF-8',
  'steps.js': 'text/javascript; charset=UTF-8',
  'flame.js': 'text/javascript; charset=UTF-8',
}

const PRIVATE = {
  'Cache-Control': 'no-cache, must-revalidate, max-age=0, no-store, private',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}

/** The trace page for administrators, and the data its script fetches. */
export class TracePage {
  /** Path below the home URL. */
  readonly path: string
  readonly #plugin: PluginContext
  readonly #log: RequestLog
  readonly #assets: ReadonlyMap<string, string>
  /** Distinguishes this process from others, and from a previous one on the same port. */
  readonly #process = randomUUID()

  private constructor(plugin: PluginContext, log: RequestLog, assets: ReadonlyMap<string, string>) {
    this.path = `${trimEndSlashes(plugin.branding.adminPath)}/trace`
    this.#plugin = plugin
    this.#log = log
    this.#assets = assets
  }

  /** Loads the files of the page. */
  static async load(plugin: PluginContext, log: RequestLog): Promise<TracePage> {
    const folder = join(import.meta.dirname, 'assets')
    const read = async (name: string) => [name, await readFile(join(folder, name), 'utf8')] as const
    return new TracePage(plugin, log, new Map(await Promise.all(Object.keys(ASSETS).map(read))))
  }

  /** Whether a request is for the page or one of its files. */
  has({ path }: SiteRequest): boolean {
    return path === this.path || path.startsWith(`${this.path}/`)
  }

  /** Responds with the page, one of its files, or data. */
  respond(request: SiteRequest): SitePage {
    const name = request.path.slice(this.path.length + 1)
    try {
      const refusal = this.#refusalOf(request)
      if (name === '') return this.#shell(request, refusal)
      if (refusal !== null) throw refusal
      return this.#part(name, request)
    } catch (error) {
      if (!(error instanceof RestError)) throw error
      const page = json({ code: error.code, message: error.message }, error.status)
      if (error.code === 'trace_method') page.headers.set('Allow', name === 'clear' ? 'POST' : 'GET, HEAD')
      return page
    }
  }

  #refusalOf({ user }: SiteRequest): RestError | null {
    if (user.id === 0) return errors.trace_not_logged_in()
    return this.#plugin.services.capabilities.can(user, 'manage_options') ? null : errors.trace_forbidden()
  }

  #part(name: string, request: SiteRequest): SitePage {
    if (name === 'clear') return this.#clear(request)
    checkRead(request)
    const asset = this.#assets.get(name)
    if (asset !== undefined) return { status: 200, headers: headersOf(ASSETS[name]!), body: asset }
    if (name === 'requests') return json(this.#since(Number(request.query.get('after') ?? 0)))
    if (name === 'flame') return json(this.#flame(request.query.get('route')))
    const [, number] = /^requests\/(\d{1,15})$/.exec(name) ?? []
    if (number === undefined) throw errors.trace_no_such_page()
    const found = this.#log.find(Number(number))
    if (found === undefined) throw errors.trace_not_kept()
    return json({ request: found })
  }

  /** Requests with a number greater than `after`, oldest first. */
  #since(after: number): Record<string, unknown> {
    const { all, size } = this.#log
    const { number: worker, count: workers } = this.#plugin.worker
    return {
      process: { id: this.#process, pid: process.pid, worker, workers },
      kept: size,
      most: LOG_LIMITS,
      /** Earlier requests have been deleted. */
      first: all[0]?.number ?? null,
      requests: all.filter(({ number }) => number > after).map(summaryOf),
    }
  }

  #flame(route: string | null): Profile {
    const { all } = this.#log
    return profileOf(route === null ? all : all.filter((request) => placeOf(request) === route))
  }

  #clear(request: SiteRequest): SitePage {
    if (request.method !== 'POST') throw errors.trace_method('POST')
    if (this.#plugin.services.plainPages.isForeign(request)) throw errors.trace_foreign()
    this.#log.clear()
    return json({ cleared: true })
  }

  #shell(request: SiteRequest, refusal: RestError | null): SitePage {
    checkRead(request)
    const { services, urls } = this.#plugin
    const { html, page, toLogin } = bound(services.plainPages)
    if (refusal?.status === 401) return toLogin(request)
    if (refusal !== null) return page('Trace', html`<p role="alert">${refusal.message}</p>`, refusal.status)
    const base = urls.site(this.path)
    const nonce = randomBytes(16).toString('base64')
    const headers = headersOf('text/html; charset=UTF-8')
    headers.set(
      'Content-Security-Policy',
      [
        "default-src 'none'",
        `script-src 'nonce-${nonce}'`,
        `style-src 'nonce-${nonce}'`,
        "connect-src 'self'",
        // An empty icon, which stops browsers from requesting one.
        'img-src data:',
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ].join('; '),
    )
    const body = html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="robots" content="noindex" />
          <meta name="color-scheme" content="light dark" />
          <title>Trace</title>
          <link rel="icon" href="data:," />
          <link rel="stylesheet" href="${base}/trace.css" nonce="${nonce}" />
          <script type="module" src="${base}/trace.js" nonce="${nonce}"></script>
        </head>
        <body data-base="${base}" data-home="${urls.site('/')}">
          <noscript><p>This page needs JavaScript to show requests live.</p></noscript>
        </body>
      </html> `
    return { status: 200, headers, body: body.text }
  }
}

/** The methods of the service, bound to it. */
function bound(pages: PluginContext['services']['plainPages']) {
  return { html: pages.html, page: pages.page.bind(pages), toLogin: pages.toLogin.bind(pages) }
}

/** The summary of a request for the list. */
function summaryOf(request: TracedRequest): Record<string, unknown> {
  const { steps, number, id, at, method, url, fromCache, route, path, status, user, ms, error } = request
  const plugins = [...new Set(steps.flatMap(({ plugin }) => plugin ?? []))]
  const summary = { number, id, at, method, url, fromCache, route, path, status, user, ms, error }
  return { ...summary, place: placeOf(request), plugins, statements: count(steps) }
}

const count = (steps: TracedRequest['steps']) => steps.filter(({ kind }) => kind === 'sql').length

/** The group by which requests are filtered: method and route, or "pages and files". */
function placeOf({ method, route, path }: Pick<TracedRequest, 'method' | 'route' | 'path'>): string {
  if (path !== null) return 'pages and files'
  return route === null ? 'no route' : `${method} ${route}`
}

function checkRead({ method }: SiteRequest): void {
  if (method !== 'GET' && method !== 'HEAD') throw errors.trace_method('GET, HEAD')
}

function json(value: unknown, status = 200): SitePage {
  return { status, headers: headersOf('application/json; charset=UTF-8'), body: JSON.stringify(value) }
}

const headersOf = (type: string) => new HeaderMap({ ...PRIVATE, 'Content-Type': type })
