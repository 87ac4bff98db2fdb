import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Examples } from '../pages.ts'

const provider = createServer((_, response) =>
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ version: '1.0', type: 'link', title: 'A video' })),
)
  .listen(0, '127.0.0.1')
  .unref()
await once(provider, 'listening')
const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`

export default {
  config: {
    plugins: {
      outgoing: { allow: ['127.0.0.0/8:*'] },
      oembed: { providers: [{ name: 'Videos', urls: [`${url}*`], endpoint: `${url}oembed` }] },
    },
  },
  async prepare(site) {
    const { link } = await site.request('POST', '/svc/v2/posts', { title: 'Hello', slug: 'hello', status: 'publish' })
    return { [`${site.home}/2026/11/hello/`]: String(link), 'https://vimeo.com/76979871': `${url}76979871` }
  },
  prints: [/"title":"Hello"[\s\S]*"html":"/, /"title":"A video"[\s\S]*"html":"/, /"title":"Hello"/],
} satisfies Examples as Examples
