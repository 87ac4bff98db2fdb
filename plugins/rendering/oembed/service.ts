import { renameDeprecatedKeys } from '../../library/deprecated-names/index.ts'
import type { PluginContext } from '../../../kernel/index.ts'
import type { Requester } from '../../foundation/outgoing/index.ts'
import type { EmbedBounds, OembedAnswer } from './answer.ts'
import type { RemoteEmbeds } from './remote-embeds.ts'
import type { EmbedCache } from './embed-cache.ts'
import { embedOfPost } from './own-embed.ts'
import { postOfUrl } from './post-of-url.ts'
import { siteUrl } from '../../content/permalinks/index.ts'

/** Returns oEmbed responses for URLs. */
export interface Oembed {
  /**
   * Returns the embed of a URL: a public post of the site, or a page of a provider, from the cache or by a request.
   * null if the URL cannot be embedded.
   * @throws rest_too_many_outgoing_requests
   */
  ofUrl(url: string, options: OembedUrlOptions): Promise<OembedAnswer | null>
  /** Like `ofUrl`, for posts of the site only. */
  ofPost(url: string, options?: OembedOptions): Promise<OembedAnswer | null>
}

/** Options of an embed. */
export interface OembedOptions extends Partial<EmbedBounds> {
  /** Whether pages of hosts in the option `discover` can name their own endpoint; true by default. */
  readonly discover?: boolean
}

/** Options of an embed from any site. */
export interface OembedUrlOptions extends OembedOptions {
  /** User that outgoing requests are charged to, or `site`. */
  readonly requester: Requester
}

const DEFAULT_SIDE_PIXELS = 600
/** Larger bounds are reduced to this: each distinct size is one more response to cache. */
const MAX_SIDE_PIXELS = 2000
/** Maximum characters of a URL. */
const MAX_URL_LENGTH = 2000

export class OembedService implements Oembed {
  readonly #plugin: PluginContext
  readonly #foreign: RemoteEmbeds
  readonly #cache: EmbedCache

  constructor(plugin: PluginContext, foreign: RemoteEmbeds, cache: EmbedCache) {
    this.#plugin = plugin
    this.#foreign = foreign
    this.#cache = cache
  }

  async ofPost(
    text: string,
    { width = DEFAULT_SIDE_PIXELS, height = DEFAULT_SIDE_PIXELS }: OembedOptions = {},
  ): Promise<OembedAnswer | null> {
    const url = siteUrl(text, this.#plugin)
    const post = url === null ? null : await postOfUrl(this.#plugin, url)
    return post === null ? null : embedOfPost(this.#plugin, post, { width, height })
  }

  async ofUrl(text: string, options: OembedUrlOptions): Promise<OembedAnswer | null> {
    if (siteUrl(text, this.#plugin) !== null) return this.ofPost(text, options)
    const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text)
    if (url === null || !/^https?:$/.test(url.protocol)) return null
    const { discover = true, requester } = renameDeprecatedKeys(options, 'oembed request', { asker: 'requester' })
    if (!this.#foreign.canRequest(url, discover)) return null
    url.hash = ''
    const bounds = { width: sideOf(options.width), height: sideOf(options.height) }
    return this.#cache.get(url, bounds, () => this.#foreign.request(url, bounds, { discover, requester }))
  }
}

function sideOf(side = DEFAULT_SIDE_PIXELS): number {
  return side < 1 ? DEFAULT_SIDE_PIXELS : Math.min(Math.round(side), MAX_SIDE_PIXELS)
}
