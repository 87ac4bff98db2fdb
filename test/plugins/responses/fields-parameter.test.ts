import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestRequest, RestResponse } from '../../../kernel/index.ts'
import { FieldSet } from '../../../plugins/resources/index.ts'
import { growsLinearly } from '../../helpers/growth.ts'
import { serve, startOnly } from '../../helpers/site.ts'

startOnly('fields-parameter')

const fields = suite('fields-parameter')

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

/** Returns the body for a `_fields` parameter, without links. */
async function picked(query: string, path = 'one') {
  await using site = await serve({ add: [items] })
  const { _links: _, ...data } = (await site.json(`/items/v1/${path}?${query}`)) as Record<string, unknown>
  return path === 'list' ? Object.values(data) : data
}

fields('keeps listed fields and ignores surrounding spaces', async () => {
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

fields('keeps a whole parent if it is listed, in any order', async () => {
  for (const query of ['_fields=meta,meta.a', '_fields=meta.a,meta', '_fields=meta.b.c,meta']) {
    assert.equal(await picked(query), { meta: ITEM.meta }, query)
  }
})

fields('applies to each item of a list', async () => {
  assert.equal(await picked('_fields=id,_links.self', 'list'), [
    { id: 1, _links: { self: [{ href: 'http://a/1' }] } },
    { id: 1, _links: { self: [{ href: 'http://a/1' }] } },
  ])
})

fields('returns an empty list if no field remains', async () => {
  assert.equal(await picked('_fields=nope', 'list'), [[], []])
  assert.equal(await picked('_fields=title.nope'), { title: [] })
})

fields('is ignored if it is empty', async () => {
  for (const query of ['_fields=', '_fields=,%20,', '']) assert.equal(await picked(query), ITEM, query)
})

fields('does not apply to errors', async () => {
  await using site = await serve()
  assert.equal(Object.keys(await site.json('/nope?_fields=code')), ['code', 'message', 'data'])
})

fields('ignores inherited names', async () => {
  assert.equal(await picked('_fields=__proto__,constructor,toString,meta.__proto__.x'), { meta: [] })
  assert.is(({} as Record<string, unknown>)['x'], undefined)
})

fields('does nothing if disabled', async () => {
  await using site = await serve({ add: [items], plugins: { fields: false } })
  assert.is((await site.json('/items/v1/one?_fields=id')).meta.a, 1)
})

/** Values of `_fields` above a limit, by reason. */
const TOO_MUCH: Readonly<Record<string, unknown>> = {
  bytes: 'x'.repeat(8193),
  'bytes of other letters': 'ü'.repeat(4097),
  dots: '.'.repeat(900_000),
  commas: `${','.repeat(8193)}id`,
  names: Array.from({ length: 501 }, (_, index) => `n${index}`).join(','),
  'names in a list': Array.from({ length: 501 }, (_, index) => `n${index}`),
  'names in a map': Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`k${index}`, `n${index}`])),
  'empty names': Array.from({ length: 9000 }, () => ''),
  levels: 'a.b.c.d.e.f.g.h.i.j.k',
  'levels in a list': ['id', 'a.b.c.d.e.f.g.h.i.j.k'],
  'a list in a list': [['x'.repeat(8193)]],
  'a list of lists': Array.from({ length: 10_000 }, () => ['a']),
  'a map in a map': { a: { b: 'x'.repeat(8193) } },
  nesting: JSON.parse(`${'['.repeat(90)}"a"${']'.repeat(90)}`),
}

/** Values exactly at a limit. */
const JUST_ENOUGH: Readonly<Record<string, unknown>> = {
  bytes: 'x'.repeat(8192),
  names: Array.from({ length: 500 }, (_, index) => `n${index}`).join(','),
  levels: 'a.b.c.d.e.f.g.h.i.j',
}

fields('is limited to 8,192 bytes, 500 names and 10 levels from any source', async () => {
  let calls = 0
  const counting = definePlugin({
    name: 'counting',
    apply({ hooks }) {
      hooks.rest_api_init.tap('counting', (server) => {
        server.registerRoute('items/v1', 'counted', {
          methods: 'GET, POST',
          allow_batch: true,
          permission_callback: () => true,
          callback: () => {
            calls += 1
            return new RestResponse(ITEM)
          },
        })
      })
    },
  })
  await using site = await serve({ add: [counting] })
  const path = '/items/v1/counted'
  const json = (to: string, body: unknown) =>
    site.request(to, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { code?: string }).code]
  for (const parameter of ['_fields', '_embed']) {
    /** Responses to a value by its source. */
    const sources: Readonly<Record<string, (value: unknown) => Promise<unknown[]>>> = {
      'a JSON body': async (value) => codeOf(await json(path, { [parameter]: value })),
      'a batch': async (value) => {
        const answer = await json('/batch/v1', { requests: [{ path, body: { [parameter]: value } }] })
        if (answer.status !== 207) return codeOf(answer)
        const { responses } = (await answer.json()) as { responses: { status: number; body: { code?: string } }[] }
        return responses.map(({ status, body }) => [status, body.code])[0]!
      },
      'an internal request': async (value) => {
        const request = new RestRequest('GET', path, { query: { [parameter]: value } })
        const { status, data } = await site.kernel.server.dispatch(request)
        return [status, (data as { code?: string }).code]
      },
      'a form': async (value) => {
        const body = new URLSearchParams()
        if (typeof value === 'string') body.set(parameter, value)
        else
          for (const [key, name] of Object.entries(value as object)) body.append(`${parameter}[${key}]`, String(name))
        return codeOf(await site.request(path, { method: 'POST', body }))
      },
      'a query': async (value) => codeOf(await site.get(`${path}?${parameter}=${encodeURIComponent(String(value))}`)),
    }
    for (const [description, value] of Object.entries(TOO_MUCH)) {
      const isFlat = typeof value === 'string' || Object.values(value as object).every((one) => typeof one === 'string')
      calls = 0
      for (const [source, send] of Object.entries(sources)) {
        // Forms and queries have few names and no nested lists.
        if (source === 'a form' && (!isFlat || Object.keys(value as object).length > 1000)) continue
        if (source === 'a query' && (typeof value !== 'string' || encodeURIComponent(value).length > 15_000)) continue
        assert.equal(await send(value), [400, 'rest_invalid_param'], `${parameter}: ${description} in ${source}`)
      }
      assert.is(calls, 0, 'refused requests do not run')
    }
    for (const [description, value] of Object.entries(JUST_ENOUGH)) {
      for (const [source, send] of Object.entries(sources)) {
        assert.is((await send(value))[0], 200, `${parameter}: ${description} in ${source}`)
      }
    }
  }
})

fields('takes time linear in the number of fields', async () => {
  const set = (size: number) => {
    const fieldSet = new FieldSet(Array.from({ length: size / 10 }, (_, index) => `f${index}.x.y.z`))
    for (let index = 0; index < size / 10; index += 1) {
      assert.ok(
        fieldSet.includes(`f${index}`) && fieldSet.includes(`f${index}.x`) && fieldSet.includes(`f${index}.x.y.z.u`),
      )
      assert.not.ok(fieldSet.includes(`g${index}.x`) || fieldSet.includes(`f${index}.u`))
    }
  }
  await growsLinearly('fields', set)
})

fields.run()
