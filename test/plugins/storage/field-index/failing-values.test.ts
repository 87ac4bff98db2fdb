import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache } from '../../../../kernel/index.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { serve, type Site, CONTENT_PLUGINS, startOnly } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'
import { until } from '../../../helpers/until.ts'

startOnly('field-index', ...CONTENT_PLUGINS)

/** Registers a field whose value fails for one post, and an unrelated meta key. */
const shop = (fails: { at: number }) =>
  definePlugin({
    name: 'shop',
    needs: ['meta', 'extra-fields'],
    apply({ services }) {
      const shown = { single: true, show_in_rest: true, filterable: true, sortable: true } as const
      services.meta.register('post', 'price', { ...shown, type: 'number' })
      services.meta.register('term', 'rank', { ...shown, type: 'number' })
      services.extraFields.register('post', 'rating', {
        get_callback: ({ id }) => id,
        dependsOn: 'nothing',
        schema: { type: 'number', context: ['view', 'edit'] },
        filterable: true,
        sortable: true,
        index: {
          type: 'number',
          value: ({ id }: { id: number }) => {
            if (id === fails.at) throw new Error('The rating is not available.')
            return id
          },
        },
      })
    },
  })

const ids = async (site: Site, query: string) => {
  const response = await site.get(`/svc/v2/posts?_fields=id&order=asc&${query}`)
  const items = (await response.json()) as { id: number }[]
  assert.is(response.status, 200, JSON.stringify(items))
  return items.map(({ id }) => id)
}

for (const { name, make } of places) {
  const failing = suite(`failing values, on ${name}`)

  failing('roll back the write that needs them', async () => {
    await using place = await make()
    const fails = { at: 0 }
    await using site = await serve({ database: place.url, add: [shop(fails)] })
    const [one, two] = await addPosts(site.store, { meta: { price: 1 } }, { meta: { price: 2 } })
    const { meta } = site.kernel.services
    const scope = new RequestCache()
    fails.at = one!
    const refused = await meta.write('post', one!, 'price', [9], scope).catch(({ code }) => code)
    assert.is(refused, 'FIELD_FAILED')
    await meta.write('post', two!, 'price', [8], scope)
    assert.equal(await ids(site, 'orderby=meta.price'), [one, two])
    assert.equal(await ids(site, 'orderby=field.rating'), [one, two])
  })

  failing('are left out of a reindexed field, while other objects can be read and written', async () => {
    await using place = await make()
    const fails = { at: 0 }
    const log: string[] = []
    await using site = await serve({
      database: place.url,
      add: [shop(fails)],
      log: 'error',
      logTo: (line) => void log.push(line),
    })
    const posts = await addPosts(site.store, ...Array.from({ length: 5 }, () => ({ meta: { price: 1 } })))
    const [one, two, ...others] = posts
    const { extraFields: fields, meta } = site.kernel.services
    fails.at = two!
    await fields.reindex('post', 'rating')
    assert.equal(await ids(site, 'orderby=field.rating'), [one, ...others])
    assert.equal(await ids(site, 'field[rating][exists]=false'), [two])
    assert.equal(await ids(site, 'meta[price]=1&orderby=id'), posts)
    const scope = new RequestCache()
    await meta.write('post', one!, 'price', [9], scope)
    await meta.write('term', await addTerm(site.store, { taxonomy: 'category', name: 'Any' }), 'rank', [1], scope)
    const errors = log.filter((line) => line.includes('failed to compute the value of a field'))
    assert.is(errors.length, 1)
    assert.ok(
      errors[0]!.includes('field.rating') && errors[0]!.includes(`"object":${two}`) && errors[0]!.includes('shop'),
      errors[0],
    )
    fails.at = 0
    await fields.reindex('post', 'rating', [two!])
    assert.equal(await ids(site, 'orderby=field.rating'), posts)
  })

  failing('block no write if a transaction leaves too many objects to index itself', async () => {
    await using place = await make()
    const fails = { at: 0 }
    await using site = await serve({ database: place.url, add: [shop(fails)] })
    const [one, two] = await addPosts(site.store, {}, {})
    fails.at = two!
    const { meta } = site.kernel.services
    await site.store.transaction(async (tx) => {
      for (let from = 0; from < 5100; from += 300) {
        const rows = Array.from({ length: 300 }, (_, at) => ({ slug: `s${from + at}`, status: 'publish' }))
        await tx.run(tx.db.insertInto('posts').values(rows))
      }
      await tx.run(tx.db.updateTable('posts').set({ title: 'Again' }).where('id', '=', two!))
    })
    await until(async () => {
      const row = await site.store.first(site.store.db.selectFrom('index_queue').select('id').limit(1))
      return row === undefined
    })
    await meta.write('post', one!, 'price', [1], new RequestCache())
    assert.equal(await ids(site, 'field[rating][exists]=false'), [two])
  })

  failing.run()
}
