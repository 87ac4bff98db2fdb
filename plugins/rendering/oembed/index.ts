import { definePlugin } from '../../../kernel/index.ts'
import { RemoteEmbeds } from './remote-embeds.ts'
import { EmbedCache, migrations } from './embed-cache.ts'
import { embedPage } from './page.ts'
import { checkProvider, PROVIDERS, type OembedProvider } from './providers.ts'
import { registerRoutes } from './routes.ts'
import { OembedService, type Oembed } from './service.ts'

export type { EmbedBounds, OembedAnswer } from './answer.ts'
export type { OembedProvider } from './providers.ts'
export type { Oembed, OembedOptions, OembedUrlOptions } from './service.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Returns oEmbed responses for URLs: posts of the site, and pages of other sites.
     * @example
     * const answer = await services.oembed.ofUrl('https://vimeo.com/76979871', { width: 640, requester: 'site' })
     */
    oembed: Oembed
  }
}

export interface OembedPluginOptions {
  /**
   * Additional providers, tried before the built-in ones: `{ name, urls: ['https://video.example/*'], endpoint, frames:
   * ['video.example'] }`.
   */
  providers: readonly OembedProvider[]
  /** Names of built-in providers to switch off: `['X']`; `['*']` switches off all of them. */
  disabled_providers: readonly string[]
  /** Hosts whose pages can name their own oEmbed endpoint. Endpoints and frames are only accepted from these hosts. */
  discover: readonly string[]
}

const TEXTS = { type: 'array', items: { type: 'string', minLength: 1 } } as const

/** Serves embeds of posts to other sites, and fetches embeds of other sites. */
export default definePlugin<OembedPluginOptions>({
  name: 'oembed',
  needs: [
    'site-requests',
    'store',
    'settings',
    'translations',
    'roles',
    'content-types',
    'posts',
    'permalinks',
    'content-rendering',
    'html',
    'users',
  ],
  uses: ['media', 'outgoing'],
  provides: ['oembed'],
  migrations,
  formerOptions: { without: 'disabled_providers' },
  options: {
    providers: {
      default: [],
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'urls', 'endpoint'],
        properties: {
          name: { type: 'string', minLength: 1 },
          urls: { ...TEXTS, minItems: 1 },
          endpoint: { type: 'string', minLength: 1 },
          frames: TEXTS,
        },
        additionalProperties: false,
      },
    },
    disabled_providers: { default: [], ...TEXTS },
    discover: { default: [], ...TEXTS },
  },
  apply(plugin, { providers, disabled_providers: disabled, discover }) {
    const { hooks, provide, services } = plugin
    for (const provider of providers) checkProvider(provider)
    const builtIn = disabled.includes('*') ? [] : PROVIDERS.filter(({ name }) => !disabled.includes(name))
    const foreign = new RemoteEmbeds(plugin, [...providers, ...builtIn], discover)
    const oembed = new OembedService(plugin, foreign, new EmbedCache(services.store))
    provide('oembed', oembed)
    // Early, because clients expect this namespace first in the index.
    hooks.rest_api_init.tap({ name: 'oembed', stage: -100 }, (server) => registerRoutes(plugin, server, oembed))
    // After plugins that serve pages at the same URLs.
    hooks.site_request.tapPromise({ name: 'oembed', stage: 50 }, async (page, request) =>
      page === null ? embedPage(plugin, request) : page,
    )
  },
})
