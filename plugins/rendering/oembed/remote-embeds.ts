import { messageOf, type PluginContext } from '../../../kernel/index.ts'
import { escapeHtml } from '../../library/markup/index.ts'
import { isTooOften, type Requester } from '../../foundation/outgoing/index.ts'
import type { EmbedBounds, OembedAnswer } from './answer.ts'
import { discoveredEndpoint, frameIn } from './markup.ts'
import { providerOf, type OembedProvider } from './providers.ts'

/** Maximum bytes of a response, and of a page that is searched for its endpoint. */
const MAX_RESPONSE_BYTES = 200_000
const MAX_PAGE_BYTES = 2_000_000
const TYPES: ReadonlySet<unknown> = new Set(['rich', 'video', 'photo', 'link'])
/** Cache lifetimes of responses: the `cache_age` of the provider, limited to this range. */
const MIN_CACHE_SECONDS = 3600
const DEFAULT_CACHE_SECONDS = 86_400
const MAX_CACHE_SECONDS = 604_800

/** A response of a provider, and the seconds it can be cached. */
export interface RemoteResponse {
  readonly answer: OembedAnswer
  readonly seconds: number
}

/** Options of a request to a provider. */
export interface RequestOptions {
  /** Whether pages of the configured hosts can name their own endpoint. */
  readonly discover: boolean
  /** User that outgoing requests are charged to, or `site`; see `outgoing`. */
  readonly requester: Requester
}

/**
 * Requests embeds from other sites: from known providers, and from configured hosts whose pages name their endpoint.
 */
export class RemoteEmbeds {
  readonly #plugin: PluginContext
  readonly #providers: readonly OembedProvider[]
  readonly #discover: ReadonlySet<string>

  /** @param discover hosts, with a non-default port, whose pages can name their own endpoint */
  constructor(plugin: PluginContext, providers: readonly OembedProvider[], discover: readonly string[]) {
    this.#plugin = plugin
    this.#providers = providers
    this.#discover = new Set(discover.map((host) => host.toLowerCase()))
  }

  /** Whether a provider or discovery can be tried for a page. */
  canRequest(url: URL, discover: boolean): boolean {
    if (!this.#plugin.has('outgoing')) return false
    return providerOf(this.#providers, url) !== undefined || (discover && this.#discover.has(url.host))
  }

  /** Requests the embed of a page; null if there is no provider or its response is unusable. */
  async request(
    url: URL,
    bounds: EmbedBounds,
    { discover, requester }: RequestOptions,
  ): Promise<RemoteResponse | null> {
    try {
      const provider = providerOf(this.#providers, url) ?? (discover ? await this.#discovered(url, requester) : null)
      if (provider === null) return null
      const endpoint = new URL(provider.endpoint)
      endpoint.searchParams.set('url', url.href)
      endpoint.searchParams.set('format', 'json')
      endpoint.searchParams.set('maxwidth', String(bounds.width))
      endpoint.searchParams.set('maxheight', String(bounds.height))
      const headers = { accept: 'application/json' }
      const { outgoing } = this.#plugin.services
      const response = await outgoing.request(endpoint, {
        headers,
        size: MAX_RESPONSE_BYTES,
        timeout: 10_000,
        redirects: 3,
        requester,
      })
      if (response.status !== 200) return null
      return this.#answerOf(response.json(), provider, url, endpoint)
    } catch (error) {
      if (isTooOften(error)) throw error
      this.#plugin.log.debug({ host: url.host, reason: messageOf(error) }, 'requesting an embed failed')
      return null
    }
  }

  /** Returns the provider that a page names; its endpoint must be on a configured host. */
  async #discovered(url: URL, requester: Requester): Promise<OembedProvider | null> {
    if (!this.#discover.has(url.host)) return null
    const { outgoing } = this.#plugin.services
    const page = await outgoing.request(url, { size: MAX_PAGE_BYTES, timeout: 10_000, redirects: 3, requester })
    const endpoint = page.status === 200 ? discoveredEndpoint(page.text(), page.url) : null
    if (endpoint === null || !this.#discover.has(endpoint.host)) return null
    return { name: endpoint.hostname, urls: [], endpoint: endpoint.href, frames: [endpoint.host] }
  }

  #answerOf(data: unknown, provider: OembedProvider, page: URL, endpoint: URL): RemoteResponse | null {
    if (typeof data !== 'object' || data === null || Array.isArray(data)) return null
    const fields = data as Readonly<Record<string, unknown>>
    const type = fields['type']
    if (!TYPES.has(type)) return null
    const answer: OembedAnswer = {
      version: '1.0',
      type: type as OembedAnswer['type'],
      provider_name: textOf(fields['provider_name']) ?? provider.name,
      ...present('provider_url', urlOf(fields['provider_url'])),
      ...present('author_name', textOf(fields['author_name'])),
      ...present('author_url', urlOf(fields['author_url'])),
      ...present('title', textOf(fields['title'])),
      ...present('width', sideOf(fields['width'])),
      ...present('height', sideOf(fields['height'])),
      ...thumbnailOf(fields),
      ...(type === 'photo' && present('url', urlOf(fields['url']))),
    }
    const html = this.#htmlOf(fields, answer, provider, { page, endpoint })
    if (html === null) return null
    const age = Number(fields['cache_age'] ?? DEFAULT_CACHE_SECONDS)
    const seconds = Number.isFinite(age)
      ? Math.min(Math.max(age, MIN_CACHE_SECONDS), MAX_CACHE_SECONDS)
      : DEFAULT_CACHE_SECONDS
    return { answer: { ...answer, html }, seconds: Math.floor(seconds) }
  }

  /** Returns the HTML of an embed: a frame of the provider, filtered text, an image, or a link. */
  #htmlOf(
    fields: Readonly<Record<string, unknown>>,
    { type, title = '', url, width, height }: OembedAnswer,
    { frames = [] }: OembedProvider,
    { page, endpoint }: { page: URL; endpoint: URL },
  ): string | null {
    const link = escapeHtml(page.href)
    if (type === 'link') return `<a href="${link}">${escapeHtml(title === '' ? page.href : title)}</a>`
    if (type === 'photo') {
      if (url === undefined) return null
      const sides = width === undefined || height === undefined ? '' : ` width="${width}" height="${height}"`
      return `<a href="${link}"><img src="${escapeHtml(url)}" alt="${escapeHtml(title)}"${sides} /></a>`
    }
    const html = fields['html']
    if (typeof html !== 'string') return null
    const hosts = new Set(frames)
    const siteHost = new URL(this.#plugin.urls.home).host
    const schemes = new Set(['https:', endpoint.protocol])
    // A frame of the site itself would run with the permissions of its pages.
    const frame = frameIn(html, (src) => schemes.has(src.protocol) && src.host !== siteHost && hosts.has(src.host))
    if (frame !== null) return frame
    const text = this.#plugin.services.html.filter(html, 'comment').trim()
    return text === '' || type === 'video' ? null : text
  }
}

function present<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: T })
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toWellFormed().slice(0, 500) : undefined
}

function urlOf(value: unknown): string | undefined {
  const url = typeof value === 'string' && value.length <= 2000 ? URL.parse(value) : null
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined
}

function sideOf(value: unknown): number | undefined {
  const side = typeof value === 'number' || (typeof value === 'string' && /^\d{1,5}$/.test(value)) ? Number(value) : 0
  return side >= 1 && side <= 10_000 ? Math.round(side) : undefined
}

function thumbnailOf(fields: Readonly<Record<string, unknown>>): Partial<OembedAnswer> {
  const url = urlOf(fields['thumbnail_url'])
  if (url === undefined) return {}
  const [width, height] = [sideOf(fields['thumbnail_width']), sideOf(fields['thumbnail_height'])]
  return { thumbnail_url: url, ...present('thumbnail_width', width), ...present('thumbnail_height', height) }
}
