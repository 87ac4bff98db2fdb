import type { Examples } from '../pages.ts'

const SHOP = `
  export default {
    name: 'shop',
    needs: ['meta'],
    apply({ services: { meta } }) {
      const price = { type: 'number', single: true, show_in_rest: true, filterable: true, sortable: true }
      meta.register('post', 'price', price)
      meta.register('post', 'color', { ...price, type: 'string' })
    },
  }
`

export default {
  prelude: [
    'declare function seatsLeft(id: number): Promise<number>',
    "declare const request: import('svc-rest').RestRequest",
    'declare const minimum: number',
  ],
  config: { plugins: { './shop.ts': true } },
  files: { 'shop.ts': SHOP },
  async prepare(site) {
    const { id } = await site.request('POST', '/svc/v2/categories', { name: 'Garden' })
    const post = { status: 'publish', categories: [id] }
    await site.request('POST', '/svc/v2/posts', { ...post, title: 'Rake', meta: { price: 15, color: 'red' } })
    return { 'categories=7': `categories=${String(id)}` }
  },
  prints: [/^\[\{.*"rendered":"Rake".*\]\[\{.*"rendered":"Rake".*\]\[\{.*"rendered":"Rake".*\]\[\{/],
} satisfies Examples as Examples
