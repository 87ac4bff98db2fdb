import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { VISITOR, type PluginContext } from '../../../../kernel/index.ts'
import type { ResponseStream } from '../../../../plugins/library/long-work/index.ts'
import { Feed } from '../../../../plugins/operations/change-feed/feed.ts'
import type { Identity } from '../../../../plugins/operations/change-feed/identity.ts'
import type { SeenChanges } from '../../../../plugins/operations/change-feed/index.ts'
import { EventClient } from '../../../helpers/event-source.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { until } from '../../../helpers/until.ts'

const CHANGES = '/svc/v2/changes'

/** A response stream that records its output. */
class RecordingStream implements ResponseStream {
  readonly waiting = 0
  isOver = false
  text = ''

  /** Names of the recorded events, in order. */
  get events(): string[] {
    return Array.from(this.text.matchAll(/(?:event: (\w+)\n)?id: \d+\ndata: /g), ([, type = 'message']) => type)
  }

  write(piece: string | Buffer): void {
    this.text += String(piece)
  }

  onDrain(act: () => void): void {
    act()
  }

  end(): void {
    this.isOver = true
  }

  cut(): void {
    this.isOver = true
  }
}

/**
 * A feed for the changes of a site with its warnings, and a function that adds a client whose permissions change at
 * given moments.
 */
function feedOf({ kernel }: SiteWithUsers, seen: SeenChanges, streams = 10) {
  const { services } = kernel
  const warnings: unknown[] = []
  const plugin = { services, log: { warn: (message: unknown) => warnings.push(message) } } as unknown as PluginContext
  const feed = new Feed(plugin, seen, { streams, perNetwork: streams, heartbeat: 3600 })
  const forget = services.changes.onCommit(feed.wake)
  const listen = async (last: number, states: ('same' | 'changed')[]) => {
    const check = async () => states.shift() ?? 'same'
    const identity = { user: VISITOR, key: 'someone', check } as unknown as Identity
    const { last: head } = await services.changeHistory.bounds()
    const parts = { identity, network: '', filter: { kinds: [], types: [] } }
    return feed.respond(parts, { last, fault: null }, head)
  }
  const stop = () => {
    forget()
    feed.stop()
  }
  return { listen, warnings, [Symbol.dispose]: stop }
}

for (const { name, place } of databases) {
  const moments = suite(`races of the change-feed on ${name}`)
  let site: SiteWithUsers

  moments.before(async () => {
    site = await serveWithUsers(place, { plugins: { 'change-feed': { streams: 3 } } })
  })
  moments.after(async () => site[Symbol.asyncDispose]())

  const head = async () => (await site.kernel.services.changeHistory.bounds()).last

  moments(
    'send reset for changed permissions after all earlier changes, also to subscribers that are catching up',
    async () => {
      const { changes, changeFeed: seenChanges } = site.kernel.services
      using feed = feedOf(site, seenChanges)
      const last = await head()
      for (let count = 0; count < 3; count += 1) await changes.touch(['*'])
      const stream = new RecordingStream()
      const end = (await feed.listen(last, ['changed'])).write(stream)
      await until(() => stream.events.length === 5)
      assert.equal(stream.events, ['ready', 'message', 'message', 'message', 'reset'])
      await changes.touch(['*'])
      await until(() => stream.events.length > 5)
      assert.equal(stream.events.slice(5), ['message'])
      if (end) end()
    },
  )

  moments('send reset for changed permissions even if sending earlier changes failed at first', async () => {
    const { changes, changeFeed: seenChanges } = site.kernel.services
    let failures = 1
    const failing: SeenChanges = {
      seenBy: async (user, some) => {
        if ((failures -= 1) === 0) throw new Error('not now')
        return seenChanges.seenBy(user, some)
      },
    }
    using feed = feedOf(site, failing)
    const stream = new RecordingStream()
    const states: ('same' | 'changed')[] = []
    const end = (await feed.listen(await head(), states)).write(stream)
    await until(() => stream.events.length === 1)
    states.push('changed')
    await changes.touch(['*'])
    await until(() => stream.events.length === 3)
    assert.equal([stream.events, feed.warnings.length], [['ready', 'message', 'reset'], 1])
    if (end) end()
  })

  moments('never exceed the limit of subscribers when many connect concurrently', async () => {
    const { changeFeed: seenChanges } = site.kernel.services
    using feed = feedOf(site, seenChanges, 2)
    const last = await head()
    // All of them were accepted while there was room.
    const responses = await Promise.all(Array.from({ length: 5 }, async () => feed.listen(last, [])))
    const streams = responses.map((response) => {
      const stream = new RecordingStream()
      const end = response.write(stream)
      return { stream, end }
    })
    assert.equal(
      streams.map(({ stream }) => stream.isOver),
      [false, false, true, true, true],
    )
    assert.equal(
      streams.map(({ stream }) => stream.events.length),
      [1, 1, 0, 0, 0],
    )
    for (const { end } of streams) if (end) end()
    const again = new RecordingStream()
    const end = (await feed.listen(last, [])).write(again)
    assert.equal([again.isOver, again.events], [false, ['ready']])
    if (end) end()
    // The same with clients: some are rejected, and some reconnect.
    const clients = Array.from({ length: 12 }, () => new EventClient(() => `${site.home}/svc-json${CHANGES}`))
    await until(() =>
      clients.every(({ response, isOpen, events }) => response !== null && (!isOpen || events.length > 0)),
    )
    assert.is(clients.filter(({ events }) => events.length > 0).length, 3)
    for (const client of clients) client.close()
  })

  moments('reject a page of changes of which some are deleted during the request', async () => {
    const { store } = site
    const { changeHistory, changes } = site.kernel.services
    const since = await head()
    for (let count = 0; count < 4; count += 1) await changes.touch(['*'])
    const last = await head()
    const forget = () => store.run(store.db.deleteFrom('changes').where('id', '<', last - 1))
    const after = changeHistory.after.bind(changeHistory)
    changeHistory.after = async (...args) => {
      await forget()
      return after(...args)
    }
    try {
      assert.is((await site.get(`${CHANGES}?since=${since}`)).status, 410)
      assert.is((await site.get(`${CHANGES}?since=${last - 2}`)).status, 200)
    } finally {
      changeHistory.after = after
    }
  })

  moments.run()
}
