import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openStore } from '../../../../plugins/storage/store/open.ts'
import { stopClock, stopClockFor } from '../../../helpers/clock.ts'
import { addPosts, indexed } from '../../../helpers/content.ts'
import { serve, statementsOf, CONTENT_PLUGINS, startOnly } from '../../../helpers/site.ts'
import { emptyFilePlace } from '../../../helpers/stores.ts'

startOnly('store', ...CONTENT_PLUGINS)

const counts = suite('totals of lists')
stopClockFor(counts)

counts('are counted once until something is written', async () => {
  await using site = await serve()
  await addPosts(site.store, {}, {}, {})
  const total = async () => (await site.get('/svc/v2/posts?per_page=1&_fields=id')).headers.get('x-svc-total')
  assert.is(await total(), '3')
  const again = await statementsOf(site.store, async () => assert.is(await total(), '3'))
  assert.not.ok(again.some((sql) => sql.startsWith('select count(')))
  await addPosts(site.store, {})
  assert.is(await total(), '4')
})

counts('are cached per query', async () => {
  await using site = await serve()
  await addPosts(site.store, { author_id: 1 }, { author_id: 1 }, { author_id: 2 }, { author_id: 2 }, { author_id: 2 })
  const total = async (query: string) =>
    (await site.get(`/svc/v2/posts?per_page=1&${query}`)).headers.get('x-svc-total')
  assert.equal([await total('author=1'), await total('author=2'), await total('author_exclude=1')], ['2', '3', '3'])
})

counts('follow the writes of another process immediately', async () => {
  await using place = await emptyFilePlace()
  const database = place.url
  await using site = await serve({ database })
  await addPosts(site.store, {}, {})
  const total = async () => (await site.get('/svc/v2/posts?per_page=1&_fields=id')).headers.get('x-svc-total')
  assert.is(await total(), '2')
  const other = await openStore(database)
  await addPosts(other, {})
  await other.close()
  assert.is(await total(), '3')
})

counts('stay cached while there is no write', async () => {
  using clock = stopClock()
  await using place = await emptyFilePlace()
  await using site = await serve({ database: place.url })
  await addPosts(site.store, {}, {})
  // Indexing texts in the background is a write.
  await indexed(site.store)
  const total = async () => (await site.get('/svc/v2/posts?per_page=1&_fields=id')).headers.get('x-svc-total')
  assert.is(await total(), '2')
  clock.advance(1001)
  const again = await statementsOf(site.store, async () => assert.is(await total(), '2'))
  assert.not.ok(again.some((statement) => statement.startsWith('select count(')))
})

counts('are counted again within a transaction, and after it', async () => {
  await using place = await emptyFilePlace()
  const store = await openStore(place.url)
  const count = store.db
    .selectFrom('posts')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .compile()
  assert.is(await store.total(count), 0)
  const undone = new Error('undone')
  const outcome = await store
    .transaction(async (tx) => {
      await addPosts(tx, {})
      assert.is(await tx.total(count), 1)
      throw undone
    })
    .catch((error: Error) => error)
  assert.is(outcome, undone)
  assert.is(await store.total(count), 0)
  await store.close()
})

counts.run()
