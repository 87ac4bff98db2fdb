import type { Examples } from '../pages.ts'

export default {
  async prepare(site) {
    await site.request('POST', '/svc/v2/categories', { name: 'News', slug: 'news' })
    return {}
  },
  prints: [
    /^Exported \d+ objects[\s\S]*post items[\s\S]*site\.xml[\s\S]*site\.json[\s\S]*uploads\.tar\.gz/,
    /^Exported \d+ objects[\s\S]*news\.xml/,
    /site\.jsonl[\s\S]*pages\.zip/,
    /./,
    /rows of \d+ tables were copied, and both databases have equal hashes/,
    /0 URLs would be replaced[\s\S]*0 URLs were replaced/,
  ],
  // Needs a PostgreSQL server.
  coveredBy: { 3: 'test/plugins/operations/transfer.test.ts' },
} satisfies Examples as Examples
