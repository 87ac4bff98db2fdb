import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '../../helpers/until.ts'
import type { Examples } from '../pages.ts'

export default {
  prelude: ['declare function removeFromCache(tag: string): void'],
  config: { plugins: { webhooks: { allow: ['127.0.0.0/8:*'] } } },
  async prepare(site) {
    const receiver = createServer((_, response) => response.writeHead(204).end())
      .listen(0, '127.0.0.1')
      .unref()
    await once(receiver, 'listening')
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    // The webhook with the ID 1, and a delivery that can be replayed.
    await site.request('POST', '/svc-webhooks/v1/webhooks', { url })
    await site.request('POST', '/svc/v2/posts', { title: 'Delivered', status: 'publish' })
    let id: unknown
    await until(async () => {
      const done = await site.request('GET', '/svc-webhooks/v1/webhooks/1/deliveries?state=done')
      id = (done as unknown as { id: number }[])[0]?.id
      return id !== undefined
    })
    return { 'https://front.example/api/revalidate': url, '4711': String(id) }
  },
  prints: [
    /^Webhook 2 receives all changes[\s\S]*whsec_[\s\S]*The receiver responded 204/,
    /will be sent again[\s\S]*0 deliveries[\s\S]*Webhook 1 is disabled[\s\S]*Webhook 1 is enabled/,
    /^whsec_/,
  ],
} satisfies Examples as Examples
