import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  definePlugin,
  RestRequest,
  VISITOR,
  type ArgumentSchema,
  type CurrentUser,
  type Endpoint,
  type Params,
} from '../../kernel/index.ts'
import { addPosts, addTerm } from '../helpers/content.ts'
import { growsLinearly } from '../helpers/growth.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../helpers/site-with-users.ts'

// Every argument of every route, as the routes themselves declare them, with more than any request needs.

const MEGABYTE = 1_000_000
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const texts = (count: number) => numbers(count).map((number) => `text-${number}`)

/** Values that are larger than an argument may be, by what makes them so. */
const TOO_LARGE: Readonly<Record<string, unknown>> = {
  text: 'x'.repeat(MEGABYTE + 100_000),
  commas: '1,'.repeat(MEGABYTE),
  'many short numbers in one': '1,'.repeat(5000),
  'one text in a list': ['x'.repeat(MEGABYTE + 100_000)],
  'many numbers': numbers(5000),
  'many texts': texts(5000),
  'many texts in one': numbers(300_000).join(','),
  'many keys': Object.fromEntries(texts(5000).map((name) => [name, 1])),
  'lists in a list': [numbers(5000), texts(5000)],
  'terms in a map': { terms: numbers(5000), operator: 'AND' },
}

/** Whether a list or a text stands in a schema, or in one of its forms. */
function isBounded({ type, anyOf, oneOf }: ArgumentSchema): boolean {
  const forms = [...(anyOf ?? []), ...(oneOf ?? [])]
  return forms.length > 0
    ? forms.some((form) => isBounded({ type, ...form } as ArgumentSchema))
    : [type].flat().some((one) => one === 'string' || one === 'array' || one === 'object')
}

interface Target {
  method: string
  path: string
  /** The pattern of the path. */
  captured: string
  endpoint: Endpoint
}

for (const { name, place } of databases) {
  const oversized = suite(`oversized arguments on ${name}`)

  const open = async () => {
    const site = await serveWithUsers(place)
    const { users, store } = site
    await addPosts(store, { title: 'a', author_id: users.ed, comment_status: 'open' }, { title: 'b', type: 'page' })
    await addTerm(store, { taxonomy: 'category', name: 'c' })
    const admin = (await site.kernel.services.users.current(users.admin))!
    return { site, admin }
  }
  /** Every endpoint of the routes, at a URL that is there where one can be. */
  const endpoints = ({ kernel: { server } }: SiteWithUsers): Target[] =>
    [...server.routes.values()].flatMap(({ pattern, endpoints: all }) => {
      const path = pattern
        .replaceAll(
          /\(\?P<(\w+)>(?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g,
          (_, capture: string) =>
            ({
              taxonomy: 'category',
              type: 'post',
              status: 'publish',
              user_id: 'me',
              uuid: 'x',
              stylesheet: 'x',
              name: 'svc/x',
              namespace: 'svc',
            })[capture] ?? '1',
        )
        .replaceAll('\\', '')
      return all.flatMap((endpoint) =>
        endpoint.methods.slice(0, 1).map((method) => ({ method, path, captured: pattern, endpoint })),
      )
    })
  const dispatch = (site: SiteWithUsers, { method, path }: Target, params: Params, user: CurrentUser) => {
    const request = new RestRequest(method, path, method === 'GET' ? { query: params } : { json: params })
    request.user = user
    return site.kernel.server.dispatch(request)
  }

  oversized('are rejected with a message or ignored, and never cause a server error', async () => {
    const { site, admin } = await open()
    await using _ = site
    let refused = 0
    const written = new Set<string>()
    for (const target of endpoints(site)) {
      for (const [argument, schema] of Object.entries(target.endpoint.args)) {
        // The URL has the last word on what it says itself.
        if (target.captured.includes(`<${argument}>`)) continue
        // Each list is asked with each; what is written is the same for many kinds of content.
        const kind = `${argument} ${String(schema.type)} ${String(target.endpoint.methods)}`
        if (target.method !== 'GET' && written.has(kind)) continue
        written.add(kind)
        for (const [description, value] of Object.entries(TOO_LARGE)) {
          for (const user of [VISITOR, admin]) {
            const about = `${target.method} ${target.path} with ${description} for ${argument} by ${user.id}`
            const { status, data } = await dispatch(site, target, { [argument]: value }, user)
            assert.ok(status < 500, `${status} for ${about}`)
            const { code, data: details } = (data ?? {}) as {
              code?: string
              data?: { params?: Record<string, string> }
            }
            const large =
              code === 'rest_invalid_param' && / must have at most \d+ /.test(details?.params?.[argument] ?? '')
            if (large) refused += 1
            const isText = typeof value === 'string' && value.length > 1_000_000
            if (isText && isBounded(schema) && schema.size_limits?.text !== Infinity && status !== 400) {
              // Asked for more first, or for nothing by this argument, or refused before it was looked at.
              const isOther = code === 'rest_missing_callback_param' || [401, 404].includes(status)
              assert.ok(isOther, `${code} for ${about}`)
            }
          }
        }
      }
    }
    assert.ok(refused > 1000, String(refused))
  })

  oversized('S2: can be combined in one request at the maximum size', async () => {
    const { site, admin } = await open()
    await using _ = site
    for (const target of endpoints(site)) {
      if (target.method !== 'GET') continue
      const full: Params = {}
      for (const [argument, schema] of Object.entries(target.endpoint.args)) {
        const items = schema.items ?? schema.oneOf?.find((form) => form.items !== undefined)?.items
        if (items === undefined) continue
        full[argument] =
          schema.uniqueItems === true
            ? [items.enum![0]]
            : items.enum === undefined
              ? items.type === 'integer'
                ? numbers(4000)
                : texts(4000)
              : numbers(4000).map(() => Object.values(items.enum!)[0])
      }
      if (Object.keys(full).length === 0) continue
      for (const user of [VISITOR, admin]) {
        const { status, data } = await dispatch(site, target, full, user)
        assert.ok(
          status === 200 || status === 401 || status === 404,
          `${status} for ${target.path}: ${JSON.stringify(data)}`,
        )
      }
      // However many they are, the statement has few parameters.
      const stop = site.store.onStatement(({ sql }) => assert.ok(sql.length < 20_000, sql.slice(0, 500)))
      await dispatch(site, target, full, admin)
      stop()
    }
  })

  oversized('are rejected before permissions are checked and the database is read', async () => {
    const { site } = await open()
    await using _ = site
    for (const target of endpoints(site)) {
      for (const argument of Object.keys(target.endpoint.args).slice(0, 5)) {
        for (const value of [TOO_LARGE['many numbers'], TOO_LARGE['text']]) {
          const statements: string[] = []
          const stop = site.store.onStatement(({ sql }) => void statements.push(sql))
          const { status, data } = await dispatch(site, target, { [argument]: value }, VISITOR)
          stop()
          const message = JSON.stringify(data)
          if (status === 400 && / must have at most /.test(message))
            assert.equal(statements, [], target.path + argument)
        }
      }
    }
  })

  oversized('are rejected in batches, forms and queries as in bodies', async () => {
    const { site } = await open()
    await using _ = site
    const roles = texts(5000)
    const of = async (response: Response) => [response.status, ((await response.json()) as { code?: string }).code]
    assert.equal(
      await of(await site.send('POST', '/svc/v2/users', { username: 'x', email: 'x@y.example', password: 'x', roles })),
      [400, 'rest_invalid_param'],
    )
    const form = await site.request('/svc/v2/posts', {
      method: 'POST',
      body: new URLSearchParams({ slug: 'x'.repeat(200_000) }),
    })
    assert.equal(await of(form), [400, 'rest_invalid_param'])
    const requests = [
      { path: '/svc/v2/posts', body: { categories: numbers(5000) } },
      { path: '/svc/v2/tags', body: { name: 'x'.repeat(200_000) } },
      { path: `/svc/v2/categories?name=${'x'.repeat(140_000)}` },
    ]
    const batch = await site.send('POST', '/batch/v1', { requests }, 'admin')
    const { responses } = (await batch.json()) as { responses?: { status: number; body: { code: string } }[] }
    assert.equal(responses?.map(({ status, body }) => [status, body.code]) ?? batch.status, 400)
  })

  oversized('count each repeated value once', async () => {
    const { site } = await open()
    await using _ = site
    const ids = async (query: string) =>
      ((await site.json(`/svc/v2/posts?_fields=id&${query}`, site.by('admin'))) as { id: number }[]).map(({ id }) => id)
    const all = await ids('per_page=100')
    assert.ok(all.length > 0)
    for (const times of [2, 20, 30, 1000]) {
      assert.equal(await ids(`per_page=100&status=${'publish,'.repeat(times)}`), all)
      assert.equal(await ids(`include=${`${all[0]},`.repeat(times)}`), [all[0]])
    }
    const roles = Array.from({ length: 4000 }, (_value, index) => ['author', 'contributor'][index % 2])
    const changed = await site.send('PUT', `/svc/v2/users/${site.users.con}`, { roles }, 'admin')
    assert.equal(((await changed.json()) as { roles: string[] }).roles, ['author', 'contributor'])
    const stored = await site.store.first(
      site.store.db
        .selectFrom('user_meta')
        .select('value')
        .where('user_id', '=', site.users.con)
        .where('key', '=', 'roles'),
    )
    assert.equal(JSON.parse(stored!.value), ['author', 'contributor'])
  })

  oversized('match no user if they list hundreds of unknown roles or capabilities', async () => {
    const { site } = await open()
    await using _ = site
    const roles = texts(500).join(',')
    for (const parameter of ['roles', 'capabilities']) {
      assert.is((await site.get(`/svc/v2/users?${parameter}=${roles}`)).status, 401)
      assert.equal(await site.json(`/svc/v2/users?${parameter}=${roles}`, site.by('admin')), [])
      const some = (await site.json(
        `/svc/v2/users?${parameter}=${roles},Editor,author,editor`,
        site.by('admin'),
      )) as unknown[]
      assert.ok(some.length > 0)
    }
  })

  oversized('take linear time up to the limit', async () => {
    const { site, admin } = await open()
    await using _ = site
    const posts = endpoints(site).find(({ method, path }) => method === 'GET' && path === '/svc/v2/posts')!
    for (const argument of ['include', 'slug', 'author_exclude', 'categories']) {
      const make = argument === 'slug' ? texts : numbers
      await growsLinearly(
        argument,
        (size) => dispatch(site, posts, { [argument]: make(size), _fields: 'id' }, admin),
        4000,
      )
    }
    await growsLinearly(
      'fields',
      (size) => dispatch(site, posts, { _fields: 'a.b.c.d,'.repeat(size / 8) }, admin),
      8000,
    )
    await growsLinearly(
      'refused',
      (size) => dispatch(site, posts, { include: '1,'.repeat(size / 2) }, VISITOR),
      4_000_000,
    )
  })

  oversized.run()
}

const own = suite('bounds of arguments of other plugins')

own('come from the schema, are not published, and are checked before callbacks', async () => {
  let called = 0
  const plugin = definePlugin({
    name: 'bounded',
    apply({ hooks }) {
      hooks.rest_api_init.tap('bounded', (server) => {
        const count = () => {
          called += 1
          return true
        }
        server.registerRoute('bounded/v1', 'all', {
          methods: 'POST',
          permission_callback: () => true,
          callback: (request) => Object.keys(request.params()),
          args: {
            short: { type: 'string', maxLength: 3 },
            long: { type: 'string', maxLength: 300_000 },
            open: { type: 'string', size_limits: { text: Number.POSITIVE_INFINITY } },
            usual: { type: 'string', validate_callback: count, sanitize_callback: count },
            few: { type: 'array', items: { type: 'string' }, size_limits: { entries: 2 } },
            many: { type: 'array', items: { type: 'integer' }, maxItems: 10_000 },
            words: { type: ['boolean', 'array'], items: { type: 'string' } },
            terms: {
              type: ['object', 'array'],
              oneOf: [{ type: 'array', items: { type: 'integer' } }, { type: 'object' }],
            },
            prose: { type: ['string', 'array'], items: { type: 'string' } },
            deep: {
              type: 'object',
              properties: {
                list: {
                  type: 'array',
                  items: { type: 'object', properties: { text: { type: 'string', size_limits: { text: 5 } } } },
                },
              },
            },
            free: {},
            either: {
              oneOf: [
                { type: 'string', maxLength: 5 },
                { type: 'array', items: { type: 'string' }, maxItems: 3 },
              ],
            },
          },
        })
      })
    },
  })
  // The bound on what users without rights send at all would come first.
  const plugins = { html: { max_content: 0 } }
  const limits = { visitor: 8_388_608 }
  await using site = await serveWithUsers(databases[0]!.place, { add: [plugin], plugins, limits })
  const post = async (body: object) => {
    const response = await site.send('POST', '/bounded/v1/all', body)
    const { code, data } = (await response.json()) as { code?: string; data?: { params: Record<string, string> } }
    return response.status === 200 ? 200 : `${code}: ${Object.values(data?.params ?? {}).join(' ')}`
  }
  const refusal = (param: string, limit: string) => `rest_invalid_param: ${param} must have at most ${limit}.`
  assert.is(await post({ short: 'abcd' }), refusal('short', '3 characters'))
  assert.is(await post({ short: 'x'.repeat(10_000) }), refusal('short', '3 characters'))
  assert.is(await post({ short: '😀😀😀' }), 200)
  assert.is(await post({ long: 'x'.repeat(300_000) }), 200)
  assert.is(await post({ long: 'x'.repeat(700_000) }), refusal('long', '300000 characters'))
  assert.is(await post({ open: 'x'.repeat(4_000_000) }), 200)
  called = 0
  assert.is(
    await post({ usual: 'x'.repeat(131_073), few: ['a', 'b', 'c'] }),
    `${refusal('usual', '131072 characters')} few must have at most 2 items.`,
  )
  assert.is(called, 0)
  assert.is(await post({ many: numbers(10_000) }), 200)
  assert.is(await post({ many: numbers(10_001) }), refusal('many', '10000 items'))
  assert.is(
    await post({ deep: { list: [{ text: 'abcde' }, { text: 'abcdef' }] } }),
    refusal('deep[list][1][text]', '5 characters'),
  )
  for (const mark of [',', ' ', ', ', '\n\t']) {
    assert.is(await post({ words: `${mark}a${mark}`.repeat(4000) }), 200)
    assert.is(await post({ words: `a${mark}`.repeat(4001) }), refusal('words', '4000 items'))
    assert.is(await post({ few: `a${mark}b${mark}c` }), refusal('few', '2 items'))
    assert.is(await post({ terms: `1${mark}`.repeat(4000) }), 200)
    assert.is(await post({ terms: `1${mark}`.repeat(4001) }), refusal('terms', '4000 items'))
    assert.is(await post({ prose: `a${mark}`.repeat(5000) }), 200)
  }
  assert.is(await post({ free: 'x'.repeat(1_000_000) }), 200)
  assert.is(await post({ either: ['a', 'b', 'c'] }), 200)
  assert.is(await post({ either: 'x'.repeat(200_000) }), refusal('either', '5 characters'))
  const described = await (await site.request('/bounded/v1/all', { method: 'OPTIONS' })).text()
  assert.not.match(described, /size_limits|131072|4000/)
})

own.run()
