import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { VISITOR, type PluginContext } from '../../../../kernel/index.ts'
import { MissedChanges } from '../../../../plugins/operations/change-feed/missed.ts'
import type { Subscriber } from '../../../../plugins/operations/change-feed/subscriber.ts'
import type { ChangeHistory } from '../../../../plugins/storage/changes/index.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'

for (const { name, place } of databases) {
  const missing = suite(`missed changes on ${name}`)

  missing(
    'are read once for subscribers with the same position, page by page, and not after they are deleted',
    async () => {
      await using site = await serveWithUsers(place)
      const { changeHistory, changes, changeFeed: seenChanges } = site.kernel.services
      for (let count = 0; count < 9; count += 1) await changes.touch(['*'])
      const { first, last } = await changeHistory.bounds()
      let [reads, running, maxRunning] = [0, 0, 0]
      const countingHistory: Pick<ChangeHistory, 'after' | 'bounds'> = {
        bounds: () => changeHistory.bounds(),
        after: async (id, page) => {
          reads += 1
          maxRunning = Math.max(maxRunning, (running += 1))
          const found = await changeHistory.after(id, page)
          running -= 1
          return found
        },
      }
      const missed = new MissedChanges(
        { services: { changeHistory: countingHistory } } as unknown as PluginContext,
        seenChanges,
      )
      const subscriber = (behind: number, filterKey = '', key = '') =>
        ({
          identity: { user: VISITOR, key },
          filter: { kinds: [], types: [] },
          filterKey,
          last: behind,
        }) as unknown as Subscriber
      const same = await Promise.all(Array.from({ length: 50 }, () => missed.next(subscriber(last - 3))))
      assert.is(reads, 1)
      assert.is(new Set(same).size, 1)
      const others = [subscriber(last - 2), subscriber(last - 3, 'pages'), subscriber(last - 3, '', 'ann')]
      const pages = await Promise.all(others.map((one) => missed.next(one)))
      assert.equal([reads, maxRunning], [4, 1])
      assert.equal(
        pages.map((page) => ('events' in page ? page.events.map((part) => part.last) : [])),
        [[last], [last], [last]],
      )
      // Another process deletes changes while a client is catching up.
      const { store } = site
      await store.run(store.db.deleteFrom('changes').where('id', '<', last - 1))
      assert.equal(await missed.next(subscriber(first)), { reset: last })
      assert.ok('events' in (await missed.next(subscriber(last - 2))))
    },
  )

  missing.run()
}
