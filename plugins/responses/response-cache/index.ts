import { definePlugin, type HttpCache } from '../../../kernel/index.ts'
import { fragmentsOf } from '../../library/caching/index.ts'
import { ResponseCache } from './cache.ts'
import { watchOutgoingRequests } from './network.ts'
import { bypass, CachedRequest } from './request.ts'
import { isStorablePath } from './storable-paths.ts'
import { PageCache, type ResponseCacheService } from './pages.ts'
import type { TagsHeader } from './tags-header.ts'

export type { ResponseCacheService } from './pages.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Caches pages of the site like responses.
     * @example
     * hooks.site_request.tapPromise('stock', async (page, request) => page ?? services.responseCache.page(request, request.path, async () => null))
     */
    responseCache: ResponseCacheService
  }
}

export interface ResponseCacheOptions {
  /** Whether responses are cached. Uncached responses still have entity tags. */
  enabled: boolean
  /** Whether single items are cached as JSON text, from which uncached responses are composed. */
  items: boolean
  /** Bytes of all cached responses. The least recently used ones are evicted first. */
  bytes: number
  /** `Cache-Control` of cached responses to visitors; '' for none. By default, caches revalidate each time. */
  cache_control: string
  /** Header that lists the tags of a response, by which caches in front can purge it. */
  tags_header: TagsHeader | null
}

/**
 * Caches each response with the tags of the data that it is made from, until that data changes. Responds with 304 if the
 * client has the response already. docs/guides/caching.md lists the responses that are not cached.
 */
export default definePlugin<ResponseCacheOptions>({
  name: 'response-cache',
  needs: ['site-requests', 'changes', 'conditional'],
  after: ['compression', 'rest-headers'],
  formerServices: { keptPages: 'responseCache' },
  provides: ['responseCache'],
  options: {
    enabled: { default: true, type: 'boolean' },
    items: { default: true, type: 'boolean' },
    bytes: { default: 64 * 1024 * 1024, type: 'integer', minimum: 1 },
    cache_control: { default: 'public, max-age=0, must-revalidate', type: 'string', pattern: '^[\\x20-\\x7e]*$' },
    tags_header: { default: null, enum: ['Surrogate-Key', 'Cache-Tag', null] },
  },
  apply(
    { config, hooks, log, onRemove, running, services, urls, branding, has, provide, worker },
    { enabled, items, bytes, cache_control: cacheControl, tags_header },
  ) {
    const { changes } = services
    const compression = has('compression') ? services.compression : null
    const cache = new ResponseCache({
      hooks,
      urls,
      branding,
      changes,
      compression,
      enabled,
      variesByScheme: config.trust_proxy && config.home?.startsWith('https:') !== true,
      debug: config.debug,
      bytes,
      cacheControl,
      tagsHeader: tags_header,
      onAgentRead: (where) => {
        const plugins = running().flatMap(({ name, isDefault }) => (isDefault ? [] : [name]))
        if (plugins.length > 0) log.warn({ where, plugins }, CLOAKING_WARNING)
      },
    })
    onRemove(watchOutgoingRequests(), 'listener for requests to other servers')
    const pages = new PageCache(cache)
    provide('responseCache', pages)
    // After taps that change pages, and before compression.
    hooks.site_page.tap({ name: 'response-cache', stage: 900, methods: ['GET'] }, (page, request) =>
      pages.finish(page, request),
    )
    hooks.server_listening.tap('response-cache', () => {
      // All workers run the same plugins, so only the first one logs.
      if (worker.number !== 1) return
      for (const { name, details } of running()) {
        const { uncached } = details()
        if (uncached.length > 0) log.info({ plugin: name, uncached }, `responses with parts of ${name} are not stored`)
      }
    })
    hooks.rest_api_init.tap('response-cache', (server) => {
      const httpCache: HttpCache = {
        find: (incoming) => cache.find(incoming),
        begin: (request) => {
          const state = enabled && isStorablePath(server, request.route) ? cache.stateFor(request) : null
          return state === null ? null : new CachedRequest(cache, request, state)
        },
        pass: (served, request) => bypass(served, request, cache.parts),
        clear: () => cache.clear(),
      }
      server.cacheResponses(httpCache)
      if (items) fragmentsOf(server).keepItems()
    })
  },
})

/** Default plugins do not read the header for responses to visitors. */
const CLOAKING_WARNING =
  'a response depends on the header User-Agent: one of these plugins may show search engines other content than visitors'
