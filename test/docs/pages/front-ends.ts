import type { Examples } from '../pages.ts'

export default {
  config: { plugins: { 'response-cache': { tags_header: 'Cache-Tag' } } },
  async prepare(site) {
    await site.request('POST', '/svc/v2/posts', { title: 'Hello', slug: 'hello', status: 'publish' })
    return {}
  },
  prints: [/^cache-tag: .*posts:type=post,.*post:\d+/i],
} satisfies Examples as Examples
