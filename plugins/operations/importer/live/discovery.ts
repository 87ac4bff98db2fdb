import { RestError } from '../../../../kernel/index.ts'
import { branding, EXISTING_WORD } from '../../../library/branding/index.ts'
import type { OutgoingResponse } from '../../../foundation/outgoing/index.ts'
import { errors } from '../errors.ts'
import { readResponse, RouteFailure } from './old-response.ts'
import { RemoteSite, type ApiRoot, type RequestOptions } from './remote-site.ts'
import { listOf, objectOf, text, type OldObject } from './values.ts'
import { phraseOf } from '../phrases.ts'

/** The index of the REST API of the old site. */
export interface ApiIndex {
  readonly home: string
  readonly title: string
  readonly description: string
  readonly namespaces: readonly string[]
  /** Routes by pattern, each with the arguments of its GET endpoint. */
  readonly routes: ReadonlyMap<string, OldObject>
  /** Whether the old site offers application passwords. */
  readonly hasPasswords: boolean
  /** Difference to UTC in hours. */
  readonly gmtOffset: number
}

/** The old site with its index. */
export interface FoundSite {
  readonly site: RemoteSite
  readonly index: ApiIndex
}

/** Word of the REST API of sites of this product that have not chosen another one. */
const OWN_WORD = 'svc'
const MAX_INDEX_BYTES = 64 * 1024 * 1024

/**
 * Finds the REST API of a site: by the `Link` header of its page, by the `link` element in it, then at the usual places.
 * @param url URL of the site or of its API root
 * @throws IMPORT_LIVE_URL, IMPORT_LIVE_UNREACHABLE, IMPORT_LIVE_NO_API, IMPORT_LIVE_OTHER_HOST
 */
export async function discover(url: string, options: RequestOptions): Promise<FoundSite> {
  const start = URL.parse(/^https?:\/\//i.test(url) ? url : `https://${url}`)
  if (start === null || start.hostname === '') throw errors.IMPORT_LIVE_URL({ url })
  start.hash = ''
  const page = await ask(start.href, options, 'text/html').catch((error: unknown) => {
    if (error instanceof RestError && /_(?:FAILED|TOO_SLOW|REFUSED|REDIRECTS|INVALID)$/.test(error.code)) {
      throw errors.IMPORT_LIVE_UNREACHABLE({ reason: phraseOf(error) }, { cause: error })
    }
    throw error
  })
  const tried: string[] = []
  for (const candidate of candidatesOf(page)) {
    if (tried.includes(candidate)) continue
    tried.push(candidate)
    const found = candidate === page.url ? indexIn(page, candidate) : await indexAt(candidate, options)
    if (found === null) continue
    const { root } = found
    if (options.authorization !== null && !isSameSite(start, new URL(root.url))) {
      throw errors.IMPORT_LIVE_OTHER_HOST({ url: start.origin, root: new URL(root.url).origin })
    }
    return { site: new RemoteSite(root, options), index: found.index }
  }
  throw errors.IMPORT_LIVE_NO_API({ url: start.href, tried: tried.join(', ') })
}

/** URLs at which the API root can be, most probable first. */
function candidatesOf(page: OutgoingResponse): string[] {
  const linked = [...linksInHeader(page.headers.get('link') ?? ''), ...linksInPage(page.text().slice(0, 500_000))]
  const base = new URL(page.url)
  base.search = ''
  const folder = base.pathname.replace(/\/[^/]*$/, '/')
  const words = [EXISTING_WORD, OWN_WORD].map((word) => branding(word).prefix)
  const usual = [base.pathname.replace(/\/?$/, '/'), folder].flatMap((path) => [
    ...words.map((prefix) => `${path}${prefix}/`),
    `${path}?rest_route=/`,
    ...words.map((prefix) => `${path}index.php/${prefix}/`),
  ])
  // The URL can be the API root itself. Its response names the root as a link, too.
  const own = page.headers.get('content-type')?.includes('json') === true ? [page.url] : []
  return [...own, ...linked, ...usual].flatMap((target) => URL.parse(target, page.url)?.href ?? [])
}

/** Whether a link relation is the one of an API root: of an existing site, or of a site of this product. */
function isRootRelation(relation: string): boolean {
  return relation === branding(EXISTING_WORD).rootRelation || /^urn:[a-z0-9]{1,32}-rest:$/.test(relation)
}

/** Returns the URLs of API roots in a header `Link`. */
export function linksInHeader(header: string): string[] {
  return header.split(/,\s*(?=<)/).flatMap((one) => {
    const [, target = '', parameters = ''] = /^\s*<([^<>]*)>(.*)$/s.exec(one) ?? []
    const relation = /;\s*rel="?([^";]*)"?/i.exec(parameters)?.[1] ?? ''
    return isRootRelation(relation.trim()) ? [target] : []
  })
}

/** Returns the URLs of API roots in the `link` elements of a page. */
export function linksInPage(html: string): string[] {
  return (html.match(/<link\s[^<>]*>/gi) ?? []).flatMap((tag) => {
    const relation = attributeOf(tag, 'rel')
    return isRootRelation(relation) ? [attributeOf(tag, 'href').replaceAll('&amp;', '&').replaceAll('&#038;', '&')] : []
  })
}

function attributeOf(tag: string, name: string): string {
  const match = new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(tag)
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? ''
}

type FoundIndex = { root: ApiRoot; index: ApiIndex } | null

async function indexAt(url: string, options: RequestOptions): Promise<FoundIndex> {
  // Failures at one place say nothing about the others.
  const response = await ask(url, options, 'application/json').catch(() => null)
  return response === null ? null : indexIn(response, url)
}

/** Reads the index in a response. @param asked the URL before redirects */
function indexIn(response: OutgoingResponse, asked: string): FoundIndex {
  let body: OldObject
  try {
    body = objectOf(readResponse(response, '').body)
  } catch (error) {
    if (error instanceof RouteFailure) return null
    throw error
  }
  const namespaces = listOf(body['namespaces']).map(text)
  const routes = objectOf(body['routes'])
  const word = wordOf(namespaces, routes)
  if (word === null) return null
  const url = new URL(response.url)
  const isPlain = url.searchParams.has('rest_route') || new URL(asked).searchParams.has('rest_route')
  url.search = ''
  return {
    root: { url: url.href, isPlain, word },
    index: {
      home: text(body['home']) || text(body['url']) || url.origin,
      title: text(body['name']),
      description: text(body['description']),
      namespaces,
      routes: new Map(Object.entries(routes).map(([path, route]) => [path, argumentsOf(route)])),
      hasPasswords: Object.hasOwn(objectOf(body['authentication']), 'application-passwords'),
      gmtOffset: Number(body['gmt_offset']) || 0,
    },
  }
}

/** The word in the main namespace, which has the route of the content types. */
function wordOf(namespaces: readonly string[], routes: OldObject): string | null {
  const words = namespaces.flatMap((namespace) => /^([a-z][a-z0-9]*)\/v2$/.exec(namespace)?.[1] ?? [])
  const preferred = [EXISTING_WORD, OWN_WORD, ...words].find(
    (word) => words.includes(word) && Object.hasOwn(routes, `/${branding(word).namespace('v2')}/types`),
  )
  return preferred ?? null
}

/** The arguments of the GET endpoint of a route. */
function argumentsOf(route: unknown): OldObject {
  const endpoint = listOf(objectOf(route)['endpoints'])
    .map(objectOf)
    .find(({ methods }) => listOf(methods).includes('GET'))
  return objectOf(endpoint?.['args'])
}

function ask(url: string, { outgoing, allow, signal, timeout }: RequestOptions, accept: string) {
  // Without the password: it is sent only after the root is known.
  return outgoing.request(url, {
    requester: 'site',
    headers: { accept },
    allow,
    timeout,
    size: MAX_INDEX_BYTES,
    ...(signal !== undefined && { signal }),
  })
}

/** Whether two URLs are the same site apart from `www.` and a change from http to https. */
function isSameSite(one: URL, other: URL): boolean {
  const host = ({ hostname }: URL) => hostname.replace(/^www\./, '')
  const isUpgrade = one.protocol === 'http:' && other.protocol === 'https:'
  return host(one) === host(other) && (isUpgrade || (one.protocol === other.protocol && one.port === other.port))
}
