import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { hooked } from './hooks.ts'

const circular: Record<string, unknown> = {}
circular['self'] = circular

let slow = 0

/** Invalid return values of a tap, by the slug of a post. */
const GARBAGE: Record<string, (message: object) => unknown> = {
  undefined: () => undefined,
  text: () => 'text',
  empty: () => ({}),
  array: () => [],
  typeless: (message) => ({ ...message, type: undefined }),
  number: (message) => ({ ...message, type: 7 }),
  nul: (message) => ({ ...message, type: 'post.\u0000' }),
  timeless: (message) => ({ ...message, timestamp: 'soon' }),
  list: (message) => ({ ...message, data: [] }),
  circular: (message) => ({ ...message, data: circular }),
  big: (message) => ({ ...message, data: { big: 1n } }),
  huge: (message) => ({ ...message, data: { huge: 'x'.repeat(1_000_001) } }),
  // The slow tap hangs on one database only: five seconds are enough.
  slow: () => (slow++ > 0 ? undefined : new Promise(() => {})),
}

for (const { name, place } of databases) {
  const taps = suite(`taps of webhooks on ${name}`)

  taps('that return an invalid message or never end do not prevent the delivery', async () => {
    const plugin = definePlugin({
      name: 'garbage',
      needs: ['webhooks'],
      apply({ hooks }) {
        hooks.webhook_message.tapPromise('garbage', async (message) => {
          const make = GARBAGE[String(message?.data['slug'])]
          return (make === undefined ? message : await make(message!)) as never
        })
      },
    })
    await using at = await hooked(place, { add: [plugin], webhook: { kinds: ['post'] } })
    const { store } = at.site
    const posts = Object.keys(GARBAGE).map((slug) => ({
      title: slug,
      slug,
      status: 'publish',
      author_id: at.site.users.ann,
    }))
    await store.run(store.db.insertInto('posts').values(posts))
    await at.post('Behind')
    await at.waitForDeliveries()
    const slugs = at.receiver.messages.map(({ data }) => data.slug as string)
    assert.equal(slugs.toSorted(), [...Object.keys(GARBAGE), 'behind'].toSorted())
  })

  taps.run()
}
