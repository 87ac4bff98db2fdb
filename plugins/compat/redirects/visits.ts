import { randomInt } from 'node:crypto'
import {
  applyFilter,
  doNotCache,
  HeaderMap,
  RestRequest,
  trimEndSlashes,
  type PluginContext,
  type SitePage,
  type SiteRequest,
} from '../../public.ts'
import { compile, Matcher, type MatchedRedirect } from './matcher.ts'
import type { Repository, Rules } from './repository.ts'
import { readSettings } from './settings.ts'
import type { Redirect } from './types.ts'
import type { VisitLog } from './visit-log.ts'

const NO_CACHE = 'no-cache, must-revalidate, max-age=0, no-store, private'
const EXPIRED = 'Wed, 11 Jan 1984 05:00:00 GMT'
const HOUR_S = 3600
/** Path of no page. */
const NOWHERE = '/redirects/not-found'

/** Redirects visitors. */
export class Visits {
  readonly #plugin: PluginContext
  readonly #repository: Repository
  readonly #log: VisitLog
  /** Requests for other paths that a redirect has started. */
  readonly #inner = new WeakSet<SiteRequest>()
  #compiled: { readonly rules: Rules; readonly matcher: Matcher } | null = null

  constructor(plugin: PluginContext, repository: Repository, log: VisitLog) {
    this.#plugin = plugin
    this.#repository = repository
    this.#log = log
  }

  /** Returns the response of the first redirect that applies to a request; null if none does. */
  async respond(request: SiteRequest): Promise<SitePage | null> {
    const { branding } = this.#plugin
    const { path } = request
    // A redirect must not lock users out.
    const own = [branding.adminPath, branding.loginPath].map(trimEndSlashes)
    if (this.#inner.has(request) || own.some((one) => path === one || path.startsWith(`${one}/`))) return null
    const matcher = await this.#matcher()
    const at = request.url.indexOf('?')
    const requested = { path, query: at === -1 ? '' : request.url.slice(at + 1) }
    for (const match of matcher.find(requested)) {
      const page = await this.#apply(match, request)
      if (page === null) continue
      doNotCache('it is a redirect, whose hits are counted')
      this.#log.hit(match.redirect.id)
      return page
    }
    return null
  }

  /** Records a page that was not found. */
  noteMissing(request: SiteRequest): void {
    if (this.#inner.has(request) || request.method !== 'GET') return
    this.#log.miss(request)
  }

  async #matcher(): Promise<Matcher> {
    const rules = await this.#repository.rules()
    if (this.#compiled?.rules !== rules) {
      const groups = new Set(rules.groups.filter(({ enabled }) => enabled).map(({ id }) => id))
      const matcher = new Matcher(rules.items.filter(({ enabled, group_id: group }) => enabled && groups.has(group)))
      for (const { id, url } of matcher.unsupported)
        this.#plugin.log.warn(
          { redirect: id, pattern: url },
          'the pattern of a redirect cannot be matched in linear time',
        )
      this.#compiled = { rules, matcher }
    }
    return this.#compiled.matcher
  }

  async #apply({ redirect, target }: MatchedRedirect, request: SiteRequest): Promise<SitePage | null> {
    const { action_type: type, action_code: code } = redirect
    const template = await this.#targetOf(redirect, request)
    if (template === null || type === 'nothing') return null
    if (type === 'error') return this.#errorPage(code, request)
    const location = type === 'random' ? await this.#randomPost(request) : target(template)
    if (location === null || location === '') return null
    if (type === 'pass') return location.startsWith('/') ? this.#inside(request, location) : null
    if (this.#isSame(location, request)) return null
    return this.#redirection(code, location)
  }

  /** Returns the target of a redirect for a request; null if its condition does not hold. */
  async #targetOf({ match_type: type, action_data: data }: Redirect, request: SiteRequest): Promise<string | null> {
    const text = (name: string) => (typeof data?.[name] === 'string' ? data[name] : '')
    if (data === null) return ''
    if (type === 'url') return text('url')
    // `page` redirects pages that were not found; the request is not known to be one yet.
    if (type === 'page') return (await this.#isMissing(request)) ? text('url') : null
    // Credentials of programs do not log in to pages.
    if (type === 'login') return text(request.user.session === undefined ? 'logged_out' : 'logged_in') || null
    const holds = this.#holds(type, text, data['regex'] === true, data['ip'], request)
    return text(holds ? 'url_from' : 'url_notfrom') || null
  }

  #holds(
    type: string,
    text: (name: string) => string,
    isPattern: boolean,
    ips: unknown,
    { headers, ip, user }: SiteRequest,
  ): boolean {
    const compare = (actual: string, wanted: string) => {
      if (!isPattern) return wanted !== '' && actual.includes(wanted)
      return compile(wanted, true)?.matcher(actual).find() ?? false
    }
    const header = (name: string) => headers.get(name) ?? ''
    switch (type) {
      case 'agent':
        return compare(header('user-agent'), text('agent'))
      case 'referrer':
        return isPattern
          ? compare(header('referer'), text('referrer'))
          : trimEndSlashes(header('referer')) === trimEndSlashes(text('referrer'))
      case 'header':
        return /^[\w-]{1,100}$/.test(text('name')) && compare(header(text('name').toLowerCase()), text('value'))
      case 'cookie':
        return compare(cookieOf(header('cookie'), text('name')), text('value'))
      case 'role':
        return user.roles?.includes(text('role')) ?? false
      case 'server':
        return header('host') !== '' && text('server').replace(/^https?:\/\//, '') === header('host')
      case 'ip':
        return Array.isArray(ips) && ips.includes(ip)
      case 'language':
        return header('accept-language')
          .toLowerCase()
          .split(',')
          .some((one) => text('language').toLowerCase().split(',').includes(one.split(';', 1)[0]!.trim()))
      default:
        return false
    }
  }

  async #isMissing(request: SiteRequest): Promise<boolean> {
    const page = await this.#inside(request, null)
    return page === null || page.status === 404
  }

  /** Returns the page of another path, or of the same path without redirects. */
  async #inside(request: SiteRequest, url: string | null): Promise<SitePage | null> {
    const target = url === null ? null : new URL(url, this.#plugin.urls.home)
    const inner = Object.create(request, {
      ...(target !== null && {
        path: { value: decodeURI(target.pathname) },
        query: { value: target.searchParams },
        url: { value: `${target.pathname}${target.search}` },
      }),
    }) as SiteRequest
    this.#inner.add(inner)
    return applyFilter(this.#plugin.hooks.site_request, null, inner)
  }

  async #errorPage(status: number, request: SiteRequest): Promise<SitePage> {
    const page = await this.#inside(request, NOWHERE)
    const headers = page?.headers ?? new HeaderMap({ 'Content-Type': 'text/plain; charset=UTF-8' })
    headers.set('Cache-Control', NO_CACHE)
    headers.set('Expires', EXPIRED)
    return { status, headers, body: page?.body ?? 'Not found.\n' }
  }

  async #redirection(status: number, location: string): Promise<SitePage> {
    const headers = new HeaderMap({ Location: encoded(location), 'Content-Type': 'text/html; charset=UTF-8' })
    const { redirect_cache: hours } = await readSettings(this.#plugin)
    if ((status === 307 || hours < 0) && status !== 302) {
      headers.set('Cache-Control', NO_CACHE)
      headers.set('Expires', EXPIRED)
    } else if (status === 301 && hours > 0) {
      headers.set('Cache-Control', `max-age=${hours * HOUR_S}`)
      headers.set('Expires', new Date(Date.now() + hours * HOUR_S * 1000).toUTCString())
    }
    return { status, headers, body: '' }
  }

  #isSame(location: string, { url }: SiteRequest): boolean {
    const { home } = this.#plugin.urls
    const path = location.startsWith(`${home}/`) ? location.slice(home.length) : location
    return encoded(path) === url
  }

  /** Returns the URL of a random published post. */
  async #randomPost({ parent }: SiteRequest): Promise<string | null> {
    const { branding, server } = this.#plugin
    const path = `/${branding.namespace('v2')}/posts?per_page=1&_fields=link`
    const first = await server.dispatch(RestRequest.fromPath(path, parent))
    const total = Number(first.headers.get(branding.header('Total')) ?? 0)
    if (total === 0) return null
    const chosen = await server.dispatch(RestRequest.fromPath(`${path}&offset=${randomInt(total)}`, parent))
    return (chosen.data as { link?: string }[])[0]?.link ?? null
  }
}

/** Encodes the characters of a target that a header cannot contain. */
function encoded(location: string): string {
  // oxlint-disable-next-line no-control-regex -- removes what could end the header
  return location.replaceAll(/[\u0000-\u001f\u007f]/g, '').replaceAll(/[^\u0021-\u007e]/gu, (character) => {
    return encodeURIComponent(character.toWellFormed())
  })
}

function cookieOf(header: string, name: string): string {
  const pair = header.split(';').find((one) => one.trim().startsWith(`${name}=`))
  return pair === undefined ? '' : pair.trim().slice(name.length + 1)
}
