import { blocksOf } from '../blocks.ts'
import type { Examples } from '../pages.ts'

const [plugin] = await blocksOf('docs/guides/writing-plugins.md')

export default {
  config: { plugins: { './plugins/garden.ts': { limit: 5 } } },
  files: { 'plugins/garden.ts': plugin!.code },
  async prepare(site) {
    const { id } = await site.request('POST', '/svc/v2/posts', { title: 'The last ID before the plant' })
    return { 'plants/12': `plants/${Number(id) + 1}` }
  },
  prints: [/"raw":"Rose"[\s\S]*"liters":2[\s\S]*garden_too_wet/, /meta key +liters of post plant/],
  failing: [0],
} satisfies Examples as Examples
