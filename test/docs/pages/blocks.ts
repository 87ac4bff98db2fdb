import { fragmentsOf, modulesOf } from '../page-plugins.ts'
import type { Examples } from '../pages.ts'

const page = 'docs/guides/blocks.md'

export default {
  config: { plugins: { './shop.ts': true, './fragments.ts': true } },
  files: { ...(await modulesOf(page)), 'fragments.ts': await fragmentsOf(page, ['shortcodes']) },
  async prepare(site) {
    const { id } = await site.request('POST', '/svc/v2/posts', { title: 'Chair', status: 'publish' })
    return { '"post":5': `"post":${String(id)}`, 'attributes[post]=5': `attributes[post]=${String(id)}` }
  },
  prints: [/"rendered":"<b>Chair<.*\{"rendered":"<b>Chair</],
} satisfies Examples as Examples
