import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, type PluginContext } from '../../kernel/index.ts'
import { addPosts, addTerm } from '../helpers/content.ts'
import { as, serve, serveOn, type Site } from '../helpers/site.ts'
import { databases } from '../helpers/site-with-users.ts'

// A callback of a plugin that fails for one object: a list shows the others whole, and a write says that it is stored.

const ADMIN = { ...as('administrator', 1), 'content-type': 'application/json' }
const FAILING = 2

/** Fails for one object, and marks all others. */
const mark = (id: unknown) => {
  if (Number(id) === FAILING) throw new Error(`no mark for ${String(id)}`)
  return `mark ${String(id)}`
}

/** What takes part in showing an object, and how an object that it fails for is shown. */
const PARTS: Record<string, (context: PluginContext, type: string, subtype: string) => void> = {
  'a tap': ({ hooks }, _type, subtype) =>
    hooks.rest_prepare.for(subtype).tap('marks', (response, item) => {
      Object.assign(response.data as object, { mark: mark((item as { id: number }).id) })
      return response
    }),
  'a tap that waits': ({ hooks }, _type, subtype) =>
    hooks.rest_prepare.for(subtype).tapPromise('marks', async (response, item) => {
      await Promise.resolve()
      Object.assign(response.data as object, { mark: mark((item as { id: number }).id) })
      return response
    }),
  'a field': ({ services }, type) =>
    services.extraFields.register(type, 'mark', { get_callback: ({ id }) => mark(id) }),
  'a field that waits': ({ services }, type) =>
    services.extraFields.register(type, 'mark', { get_callback: async ({ id }) => mark(id) }),
}

/** Lists of two objects with the IDs 1 and 2 in any order, and how they are made. */
const LISTS: Record<string, { path: string; type: string; make: (site: Site) => Promise<unknown> }> = {
  post: { path: '/svc/v2/posts', type: 'post', make: async ({ store }) => addPosts(store, { id: 1 }, { id: 2 }) },
  page: {
    path: '/svc/v2/pages',
    type: 'page',
    make: async ({ store }) => addPosts(store, { id: 1, type: 'page' }, { id: 2, type: 'page' }),
  },
  category: {
    path: '/svc/v2/categories',
    type: 'category',
    make: async ({ store }) => {
      for (const id of [1, 2]) await addTerm(store, { id, name: `Term ${id}`, taxonomy: 'category' })
    },
  },
  comment: {
    path: '/svc/v2/comments',
    type: 'comment',
    make: async ({ store }) => {
      await addPosts(store, { id: 9 })
      const now = '2024-05-01 10:00:00'
      const comment = { post_id: 9, author_name: 'Bob', approved: '1', type: 'comment', date: now, date_gmt: now }
      for (const id of [1, 2])
        await store.run(store.db.insertInto('comments').values({ id, content: 'Text', ...comment }))
    },
  },
}

for (const { name, place } of databases) {
  const failing = suite(`failing parts on ${name}`)

  for (const [part, register] of Object.entries(PARTS)) {
    for (const [subtype, { path, type, make }] of Object.entries(LISTS)) {
      failing(`${part} of a ${subtype}: the list shows the other, and a write says that it is stored`, async () => {
        const lines: { plugin?: string; err?: { message: string; cause?: unknown } }[] = []
        const marks = definePlugin({
          name: 'marks',
          needs: ['extra-fields', 'posts', 'terms', 'comments'],
          apply: (context) => register(context, type, subtype),
        })
        await using site = await serveOn(await place(), {
          add: [marks],
          log: 'error',
          logTo: (line) => lines.push(JSON.parse(line) as (typeof lines)[number]),
        })
        await make(site)
        await site.store.syncSequences()
        const list = (await site.json(path)) as { id: number; mark?: string }[]
        assert.equal(Object.fromEntries(list.map((item) => [item.id, item.mark])), { 1: 'mark 1', 2: undefined })
        assert.ok(
          lines.some(
            (line) => JSON.stringify(line).includes('no mark for 2') && JSON.stringify(line).includes('marks'),
          ),
        )
        // Alone it is an error, which names no cause to clients.
        const alone = await site.get(`${path}/${FAILING}`)
        assert.is(alone.status, 500)
        assert.is(((await alone.json()) as { code: string }).code, 'rest_internal_error')
        const body = JSON.stringify({ content: 'Stored', description: 'Stored', meta: {} })
        const write = await site.request(`${path}/${FAILING}`, { method: 'POST', headers: ADMIN, body })
        assert.is(write.status, 500)
        const { code, message } = (await write.json()) as { code: string; message: string }
        assert.equal([code, message.includes('is stored')], ['rest_answer_lost', true])
        const table = { post: 'posts', page: 'posts', category: 'terms', comment: 'comments' }[subtype] as 'posts'
        const row = await site.store.first(site.store.db.selectFrom(table).selectAll().where('id', '=', FAILING))
        assert.match(JSON.stringify(row), 'Stored')
      })
    }
  }

  failing('skip a failing tap of the texts, links and page of a post', async () => {
    const fails = (_value: unknown, item?: unknown): never => {
      throw new Error(`no text for ${String((item as { id?: number } | undefined)?.id)}`)
    }
    const texts = definePlugin({
      name: 'texts',
      needs: ['content-rendering', 'permalinks', 'users', 'site-pages'],
      apply: ({ hooks }) => {
        for (const hook of [
          'the_title',
          'the_content',
          'the_excerpt',
          'get_the_excerpt',
          'excerpt_content',
          'excerpt_length',
          'excerpt_more',
          'post_link',
          'author_link',
          'term_link',
          'get_avatar_url',
          'site_body_class',
          'site_head',
          'site_body_end',
          'rest_route_for_post',
          'rest_route_for_term',
        ] as const)
          hooks[hook].tap('texts', fails)
      },
    })
    const database = await place()
    await using plain = await serveOn(database)
    await addPosts(
      plain.store,
      { id: 1, title: 'One', content: 'Some words' },
      { id: 2, title: 'Two', content: 'More' },
    )
    await using site = await serve({ database: database.url, home: plain.home, add: [texts], log: 'silent' })
    for (const path of ['/svc/v2/posts?_embed', '/svc/v2/posts/1', '/svc/v2/categories', '/svc/v2/users'])
      assert.is(await (await site.get(path)).text(), await (await plain.get(path)).text(), path)
    const shown = await fetch(`${site.listening}/`)
    assert.is(shown.status, 200)
    assert.match(await shown.text(), 'Some words')
  })

  failing('of a meta field are shown as null in a list', async () => {
    const prices = definePlugin({
      name: 'prices',
      needs: ['meta'],
      apply: ({ services }) =>
        services.meta.register('post', 'price', {
          type: 'integer',
          single: true,
          show_in_rest: {
            prepare_callback: (value) => {
              if (Number(value) === 13) throw new Error('no price')
              return Number(value)
            },
          },
        }),
    })
    await using site = await serveOn(await place(), { add: [prices], log: 'silent' })
    await addPosts(site.store, { id: 1, meta: { price: 7 } }, { id: 2, meta: { price: 13 } })
    const list = (await site.json('/svc/v2/posts')) as { id: number; meta: { price: unknown } }[]
    assert.equal(Object.fromEntries(list.map(({ id, meta }) => [id, meta.price])), { 1: 7, 2: null })
    assert.is((await site.get('/svc/v2/posts/2')).status, 500)
  })

  failing.run()
}
