import type { Examples } from '../pages.ts'

export default {
  async prepare(site) {
    const { last } = await site.request('GET', '/svc/v2/changes')
    await site.request('POST', '/svc/v2/pages', { title: 'About', slug: 'about', status: 'publish' })
    return { 'since=812': `since=${String(last)}` }
  },
  prints: [
    /^\{"changes":\[\],"last":\d+,"more":false\}/,
    /"type":"page","change":"create","status":"publish","slug":"about[^"]*","tags":\["post:\d+",/,
  ],
} satisfies Examples as Examples
