import type { Examples } from '../pages.ts'

export default {
  prints: [/"slug":/, /"_embedded":\{"author":/, /^link: <.*cursor=.*rel="next"/im],
  async prepare(site) {
    // More than one page for the cursor, with fewer posts.
    for (const title of ['One', 'Two']) await site.request('POST', '/svc/v2/posts', { title, status: 'publish' })
    return { 'per_page=100': 'per_page=1' }
  },
} satisfies Examples as Examples
