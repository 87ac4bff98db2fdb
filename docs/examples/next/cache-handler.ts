import type { CacheHandler, CacheHandlerValue } from 'next/dist/server/lib/incremental-cache'
import { TaggedCache } from './lib/tagged-cache.ts'

const answers = new TaggedCache<CacheHandlerValue>(1000)

/**
 * The cache behind `fetch`. Next.js wants to know the tags of an answer before it asks; the REST API tells them with the
 * answer, in `Cache-Tag`, and this handler reads them there. Pages are not kept: they are rendered from kept answers.
 *
 * It keeps answers in the memory of one process. If there are several, each needs a webhook endpoint of its own, or
 * this class keeps answers in a store that they share.
 */
export default class TagsOfAnswers implements CacheHandler {
  async get(key: string, { kind }: Parameters<CacheHandler['get']>[1]): Promise<CacheHandlerValue | null> {
    return kind === 'FETCH' ? (answers.get(key) ?? null) : null
  }

  async set(
    key: string,
    value: CacheHandlerValue['value'],
    context: Parameters<CacheHandler['set']>[2],
  ): Promise<void> {
    if (value?.kind !== 'FETCH') return
    const told = value.data.headers['cache-tag']?.split(',').map((tag) => tag.trim()) ?? []
    const given = ('tags' in context ? context.tags : undefined) ?? []
    answers.set(key, { value, lastModified: Date.now() }, [...told, ...given])
  }

  async revalidateTag(tags: string | string[]): Promise<void> {
    answers.forget([tags].flat())
  }

  resetRequestCache(): void {}
}
