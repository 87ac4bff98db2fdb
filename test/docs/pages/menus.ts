import type { Examples } from '../pages.ts'

export default {
  config: { plugins: { menus: { public: ['primary'] } } },
  async prepare(site) {
    const [page] = (await site.request('GET', '/svc/v2/pages')) as unknown as { id: number }[]
    // The menu of the first command gets the next ID.
    const { id } = await site.request('POST', '/svc/v2/menus', { name: 'The last ID before the menu' })
    return { 'object_id=2': `object_id=${page!.id}`, 'menus=5': `menus=${Number(id) + 1}` }
  },
  prints: [/"name":"Header"[\s\S]*"object":"page"/, /"name":"primary"[\s\S]*"url":"/],
} satisfies Examples as Examples
