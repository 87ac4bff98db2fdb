import { definePlugin } from '../../../kernel/index.ts'
import { ForeignEmbeds } from './foreign.ts'
import { KeptAnswers, migrations } from './kept-answers.ts'
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
     * What embeds the pages of URLs: posts of the site, and pages of providers.
     * @example
     * const answer = await services.oembed.ofUrl('https://vimeo.com/76979871', { width: 640, asker: 'site' })
     */
    oembed: Oembed
  }
}

export interface OembedPluginOptions {
  /** Further providers, asked before the others: `{ name, urls: ['https://video.example/*'], endpoint, frames: ['video.example'] }`. */
  providers: readonly OembedProvider[]
  /** Names of providers that are not asked: `['X']`; `['*']` for all but those of the option `providers`. */
  without: readonly string[]
  /** Hosts whose pages may say themselves how they are embedded; their frames may come from these hosts alone. */
  discover: readonly string[]
}

const TEXTS = { type: 'array', items: { type: 'string', minLength: 1 } } as const

/** Embeds of own posts for others, and of the posts of others here. */
export default definePlugin<OembedPluginOptions>({
  name: 'oembed',
  needs: [
    'site-requests',
    'store',
    'settings',
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
    without: { default: [], ...TEXTS },
    discover: { default: [], ...TEXTS },
  },
  apply(plugin, { providers, without, discover }) {
    const { hooks, provide, services } = plugin
    for (const provider of providers) checkProvider(provider)
    const usual = without.includes('*') ? [] : PROVIDERS.filter(({ name }) => !without.includes(name))
    const foreign = new ForeignEmbeds(plugin, [...providers, ...usual], discover)
    const oembed = new OembedService(plugin, foreign, new KeptAnswers(services.store))
    provide('oembed', oembed)
    // Its namespace is the first of the index, as clients know it.
    hooks.rest_api_init.tap({ name: 'oembed', stage: -100 }, (server) => registerRoutes(plugin, server, oembed))
    // After what serves pages of its own.
    hooks.site_request.tapPromise({ name: 'oembed', stage: 50 }, async (page, request) =>
      page === null ? embedPage(plugin, request) : page,
    )
  },
})
