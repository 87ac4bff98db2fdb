import { sql } from 'kysely'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../../kernel/index.ts'
import { openStore } from '../../../../../plugins/storage/store/open.ts'
import { stopClock } from '../../../../helpers/clock.ts'
import { serve } from '../../../../helpers/site.ts'
import { postgresPlace } from '../../../../helpers/stores.ts'
import { until } from '../../../../helpers/until.ts'

const server = process.env['SVC_TEST_POSTGRES']
const aborted = suite('aborted requests on PostgreSQL')

const sleeping = definePlugin({
  name: 'sleeping',
  needs: ['store'],
  apply({ hooks, services }) {
    const sleep = sql`select pg_sleep(600)`
    hooks.rest_api_init.tap('sleeping', (rest) => {
      for (const [name, callback] of [
        ['read', () => services.store.first(sleep)],
        ['write', () => services.store.transaction((tx) => tx.first(sleep))],
      ] as const) {
        rest.registerRoute('test/v1', `/${name}`, { methods: 'GET', callback, permission_callback: () => true })
      }
    })
  },
})

if (server) {
  aborted('have their queries cancelled when the client disconnects or the request times out', async () => {
    await using place = await postgresPlace(server)
    const observer = await openStore(place.url)
    const active = async () =>
      (await observer.first(
        sql<{ n: number }>`select count(*) as n from pg_stat_activity where datname = current_database()
          and state = 'active' and pid <> pg_backend_pid()`,
      ))!.n
    {
      await using site = await serve({ database: place.url, add: [sleeping], limits: { requestTimeout: 600_000 } })
      for (const path of ['/test/v1/read', '/test/v1/write']) {
        const client = new AbortController()
        const answer = site.request(path, { signal: client.signal }).catch(() => 'gone')
        await until(async () => (await active()) === 1)
        client.abort()
        assert.is(await answer, 'gone')
        await until(async () => (await active()) === 0)
      }
    }
    using clock = stopClock('kernel/http', 'plugins/requests/limits')
    await using site = await serve({ database: place.url, add: [sleeping] })
    for (const path of ['/test/v1/read', '/test/v1/write']) {
      const pending = site.get(path)
      await until(async () => (await active()) === 1)
      clock.advance(30_000)
      const answer = await pending
      assert.is(answer.status, 503)
      assert.ok(Number(answer.headers.get('retry-after')) > 0)
      await until(async () => {
        clock.advance(100)
        return (await active()) === 0
      })
    }
    await observer.close()
  })
}

aborted.run()
