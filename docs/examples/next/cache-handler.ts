import type { CacheHandler, CacheHandlerValue } from 'next/dist/server/lib/incremental-cache'
import { TaggedCache } from './lib/tagged-cache.ts'

const responses = new TaggedCache<CacheHandlerValue>(1000)

/**
 * The cache of `fetch`. Next.js expects the tags of a response with the request, but the REST API sends them in the
 * header `Cache-Tag` of the response, so this handler reads them there. Pages are not cached: they are rendered from cached
 * responses.
 *
 * Responses are cached in the memory of one process. With several processes, each needs its own webhook endpoint, or this
 * class must cache responses in a shared store.
 */
export default class ResponseTagCache implements CacheHandler {
  async get(key: string, { kind }: Parameters<CacheHandler['get']>[1]): Promise<CacheHandlerValue | null> {
    return kind === 'FETCH' ? (responses.get(key) ?? null) : null
  }

  async set(
    key: string,
    value: CacheHandlerValue['value'],
    context: Parameters<CacheHandler['set']>[2],
  ): Promise<void> {
    if (value?.kind !== 'FETCH') return
    const responseTags = value.data.headers['cache-tag']?.split(',').map((tag) => tag.trim()) ?? []
    const requestTags = ('tags' in context ? context.tags : undefined) ?? []
    responses.set(key, { value, lastModified: Date.now() }, [...responseTags, ...requestTags])
  }

  async revalidateTag(tags: string | string[]): Promise<void> {
    responses.forget([tags].flat())
  }

  resetRequestCache(): void {}
}
