import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../../../helpers/receiver.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { until } from '../../../helpers/until.ts'
import { hooked } from './hooks.ts'

/** Ways a receiver responds to a message. The first three accept it. */
const REPLIES: readonly Answer[] = [
  (_, response) => void response.writeHead(204).end(),
  (_, response) => void response.writeHead(204).end(),
  (_, response) => void setImmediate(() => response.writeHead(200).end('late')),
  (_, response) => void response.writeHead(500).end('no'),
  (_, response) => void response.writeHead(429, { 'retry-after': '0' }).end(),
  (_, response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
  (_, response) => void response.destroy(),
]

const write = fc.record({ post: fc.nat({ max: 3 }), undone: fc.boolean(), together: fc.nat({ max: 2 }) })

for (const { name, place } of databases) {
  const order = suite(`order of webhooks on ${name}`)

  order('the changes of each object arrive in order, even if the receiver fails at random', async () => {
    const schedule = Array.from({ length: 60 }, () => 0.002)
    await using at = await hooked(place, { webhook: { kinds: ['post'] }, options: { schedule, concurrency: 3 } })
    const { site, receiver } = at
    const { store } = site
    const posts = await Promise.all([0, 1, 2, 3].map((number) => at.post(`Post ${number}`)))
    await at.waitForDeliveries()
    const checkOrder = async (
      writes: readonly { post: number; undone: boolean; together: number }[],
      replies: number[],
    ) => {
      receiver.messages.length = 0
      const accepted = new Map<number, number[]>()
      let next = 0
      receiver.answer((message, response) => {
        const reply = replies[next++ % replies.length]!
        if (reply < 3)
          accepted.set(message.data.object, [...(accepted.get(message.data.object) ?? []), message.data.change])
        REPLIES[reply]!(message, response)
      })
      const { last } = await site.kernel.services.changeHistory.bounds()
      for (const { post, undone, together } of writes) {
        const ids = posts.slice(post, post + together + 1)
        const work = store.transaction(async (tx) => {
          for (const id of ids) {
            await tx.run(
              tx.db
                .updateTable('posts')
                .set({ menu_order: (Math.random() * 1e9) | 0 })
                .where('id', '=', id),
            )
          }
          if (undone) throw new Error('undone')
        })
        await work.catch(() => {})
      }
      const changes = (await site.kernel.services.changeHistory.after(last, 1000)).filter(({ kind }) => kind === 'post')
      await until(() => [...accepted.values()].flat().length >= changes.length)
      await at.waitForDeliveries()
      for (const id of posts) {
        const expected = changes.filter(({ object }) => object === String(id)).map((change) => change.id)
        assert.equal(accepted.get(id) ?? [], expected)
        const firsts = [
          ...new Set(receiver.messages.filter(({ data }) => data.object === id).map(({ data }) => data.change)),
        ]
        assert.equal(firsts, expected)
      }
    }
    const replies = fc.array(fc.nat({ max: REPLIES.length - 1 }), { minLength: 1, maxLength: 12 })
    const some = replies.filter((list) => list.some((reply) => reply < 3))
    await fc.assert(fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 12 }), some, checkOrder), {
      numRuns: 12,
    })
  })

  order.run()
}
