import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestResponse } from '../../kernel/index.ts'
import { serve } from '../site.ts'

const fields = suite('fields')

const ITEM = {
  id: 1,
  title: { raw: 'T', rendered: '<b>T</b>' },
  meta: { a: 1, b: { c: 2, d: 3 } },
  tags: [{ id: 5 }, { id: 6 }],
}

const items = definePlugin({
  name: 'items',
  apply({ hooks }) {
    hooks.rest_api_init.tap('items', (server) => {
      const one = () => {
        const response = new RestResponse(structuredClone(ITEM))
        response.addLink('self', 'http://a/1')
        return response
      }
      server.registerRoute('items/v1', 'one', { permission_callback: () => true, callback: one })
      server.registerRoute('items/v1', 'list', {
        permission_callback: () => true,
        callback: () => [server.responseToData(one()), server.responseToData(one())],
      })
    })
  },
})

/** The body for a `_fields` parameter, links aside. */
async function picked(query: string, path = 'one') {
  await using site = await serve({ add: [items] })
  const { _links: _, ...data } = (await site.json(`/items/v1/${path}?${query}`)) as Record<string, unknown>
  return path === 'list' ? Object.values(data) : data
}

fields('keeps what is listed, outside spaces aside', async () => {
  assert.equal(await picked('_fields=id'), { id: 1 })
  assert.equal(await picked('_fields=%20id%20,%20nope'), { id: 1 })
  assert.equal(await picked('_fields[]=id&_fields[]=title'), { id: 1, title: ITEM.title })
  assert.equal(await picked('_fields[a]=id&_fields[b]=title'), { id: 1, title: ITEM.title })
})

fields('keeps nested fields by dotted names', async () => {
  assert.equal(await picked('_fields=title.rendered,meta.b.c'), {
    title: { rendered: '<b>T</b>' },
    meta: { b: { c: 2 } },
  })
})

fields('keeps a parent whole that is named in full, in whatever order', async () => {
  for (const query of ['_fields=meta,meta.a', '_fields=meta.a,meta', '_fields=meta.b.c,meta']) {
    assert.equal(await picked(query), { meta: ITEM.meta }, query)
  }
})

fields('works on each item of a list', async () => {
  assert.equal(await picked('_fields=id,_links.self', 'list'), [
    { id: 1, _links: { self: [{ href: 'http://a/1' }] } },
    { id: 1, _links: { self: [{ href: 'http://a/1' }] } },
  ])
})

fields('leaves an empty list where nothing is left', async () => {
  assert.equal(await picked('_fields=nope', 'list'), [[], []])
  assert.equal(await picked('_fields=title.nope'), { title: [] })
})

fields('is skipped when it names nothing', async () => {
  for (const query of ['_fields=', '_fields=,%20,', '']) assert.equal(await picked(query), ITEM, query)
})

fields('leaves errors whole', async () => {
  await using site = await serve()
  assert.equal(Object.keys(await site.json('/nope?_fields=code')), ['code', 'message', 'data'])
})

fields('knows no inherited names', async () => {
  assert.equal(await picked('_fields=__proto__,constructor,toString,meta.__proto__.x'), { meta: [] })
  assert.is(({} as Record<string, unknown>)['x'], undefined)
})

fields('changes nothing once disabled', async () => {
  await using site = await serve({ add: [items], plugins: { fields: false } })
  assert.is((await site.json('/items/v1/one?_fields=id')).meta.a, 1)
})

fields.run()
