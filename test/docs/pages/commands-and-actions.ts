import { fragmentsOf, modulesOf } from '../page-plugins.ts'
import type { Examples } from '../pages.ts'

const page = 'docs/guides/commands-and-actions.md'

export default {
  config: { plugins: { './garden.ts': true, './water.ts': true, './fragments.ts': true } },
  files: { ...(await modulesOf(page)), 'fragments.ts': await fragmentsOf(page, ['abilities']) },
  async prepare(site) {
    const { id } = await site.request('POST', '/svc/v2/posts', { title: 'Rose' })
    return { '"id": 5': `"id": ${String(id)}`, '--id 5': `--id ${String(id)}` }
  },
  prints: [/rose got 3 liters\.[\s\S]*--liters/, /\{"liters":3\}[\s\S]*6[\s\S]*water\/water-plant/, /^12/],
} satisfies Examples as Examples
