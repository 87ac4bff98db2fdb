import type { Examples } from '../pages.ts'

export default {
  async prepare(site) {
    const [one, two] = [
      await site.request('POST', '/svc/v2/posts', { title: 'One', status: 'publish' }),
      await site.request('POST', '/svc/v2/posts', { title: 'Two', status: 'publish' }),
    ]
    return { 'posts/12': `posts/${String(one['id'])}`, 'posts/13': `posts/${String(two['id'])}` }
  },
  prints: [/"raw":"Changed"[\s\S]*"rest_precondition_failed"/, /"raw":"Final"/, /"raw":"One"[\s\S]*"status":412/],
  // The second change is refused.
  failing: [0],
} satisfies Examples as Examples
