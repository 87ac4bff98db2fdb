import { once } from 'node:events'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { request as undiciRequest } from 'undici'
import {
  definePlugin,
  requestOf,
  type RestRequest,
  type AnyPlugin,
  type PluginContext,
} from '../../../../kernel/index.ts'
import { now } from '../../../../plugins/library/caching/index.ts'
import { addPosts } from '../../../helpers/content.ts'
import { as, serve, type ServeOptions, type Site } from '../../../helpers/site.ts'

// Output of plugins that declare nothing about caching is cached, and no client gets a response that depends on another
// request.

const others = suite('response-cache with undeclared plugins')

const plugin = (apply: (context: PluginContext) => void, name = 'shop'): AnyPlugin =>
  definePlugin({
    name,
    needs: ['posts', 'extra-fields', 'shortcodes', 'blocks', 'settings', 'store', 'discovery'],
    apply,
  })

/** A site with two posts, the first of which has a shortcode and a block. */
async function siteWith(apply: (context: PluginContext) => void, options: ServeOptions = {}): Promise<Site> {
  const site = await serve({ debug: true, ...options, add: [plugin(apply)] })
  const content = 'Text [shop] <!-- wp:shop/block /-->'
  await addPosts(site.store, { id: 1, title: 'One', content }, { id: 2, title: 'Two', content: 'More' })
  return site
}

const originOf = async (site: Site, path: string, headers: Record<string, string> = {}) => {
  const response = await site.get(path, headers)
  await response.text()
  return response.headers.get('x-svc-cache')
}

const LIST = '/svc/v2/posts'

/** Ways in which a plugin can change a list of posts. `read` gets the request if it is available. */
const EXTENSIONS: Record<string, (context: PluginContext, read: (request: unknown) => unknown) => void> = {
  'a tap of rest_prepare': ({ hooks }, read) =>
    hooks.rest_prepare.for('post').tapPromise('shop', async (response, _item, request) => {
      Object.assign(response.data as object, { shop: await read(request) })
      return response
    }),
  'a field': ({ services }, read) =>
    services.extraFields.register('post', 'shop', {
      get_callback: (_data, _name, request) => read(request),
    }),
  'a shortcode': ({ services }, read) =>
    services.shortcodes.register('shop', async (_attributes, _content, { scope }) =>
      String(await read(requestOf(scope))),
    ),
  'a block': ({ services }, read) =>
    services.blocks.register('shop/block', {
      render_callback: async (_attributes, _content, { scope }) => String(await read(requestOf(scope))),
    }),
  'a tap of the_content': ({ hooks }, read) =>
    hooks.the_content.tapPromise(
      'shop',
      async (html, _post, scope) => `${html} ${String(await read(requestOf(scope)))}`,
    ),
  'a tap of rest_post_dispatch': ({ hooks }, read) =>
    hooks.rest_post_dispatch.tapPromise('shop', async (response, _server, request) => {
      response.headers.set('X-Shop', String(await read(request)))
      return response
    }),
}

for (const [extension, register] of Object.entries(EXTENSIONS)) {
  others(`${extension} is cached`, async () => {
    await using site = await siteWith((context) => register(context, () => 7))
    assert.equal([await originOf(site, LIST), await originOf(site, LIST)], ['MISS', 'HIT'])
    assert.equal([await originOf(site, `${LIST}/1`), await originOf(site, `${LIST}/1`)], ['MISS', 'HIT'])
  })

  others(`${extension} can depend on a parameter, in lists, single posts and embedded ones`, async () => {
    let currency = ''
    const read = (request: unknown) => {
      const { query } = request as { query: Record<string, string | undefined> }
      return (currency = `in ${query['currency'] ?? 'none'}`)
    }
    await using site = await siteWith((context) => register(context, read))
    await using uncached = await siteWith((context) => register(context, read), {
      plugins: { 'response-cache': { enabled: false, items: false } },
    })
    const responseOf = async (from: Site, path: string) => {
      const response = await from.get(path)
      return `${response.headers.get('x-shop')} ${(await response.text()).replaceAll(from.home, '')}`
    }
    for (let round = 0; round < 2; round += 1)
      for (const path of [LIST, `${LIST}?per_page=1`, `${LIST}/1`, `${LIST}?_embed`, `${LIST}?_fields=id,content,shop`])
        for (const value of ['eur', 'usd', null]) {
          const url = value === null ? path : `${path}${path.includes('?') ? '&' : '?'}currency=${value}`
          assert.is(await responseOf(site, url), await responseOf(uncached, url), url)
        }
    assert.match(currency, 'in ')
  })

  others(
    `${extension} that reads a header, the address or the clock is not cached, and the header names the reason`,
    async () => {
      const reads: Record<string, (request: never) => unknown> = {
        'it depends on the header x-currency': ({ headers }: { headers: Headers }) => headers.get('X-Currency'),
        'it depends on the header (address)': ({ ip }: { ip: string }) => ip,
        'it reads the clock': () => now(),
      }
      for (const [reason, read] of Object.entries(reads)) {
        await using site = await siteWith((context) => register(context, read as never))
        for (const path of [LIST, `${LIST}/1`])
          for (let time = 0; time < 2; time += 1)
            assert.is(await originOf(site, path, { 'X-Currency': 'EUR' }), `BYPASS; reason="${reason}"`, path)
        await using quiet = await siteWith((context) => register(context, read as never), { debug: false })
        assert.is(await originOf(quiet, LIST), 'BYPASS')
      }
    },
  )
}

others('a field that reads an option is computed again after the option changes', async () => {
  let context: PluginContext | undefined
  await using site = await siteWith((own) => {
    context = own
    own.services.extraFields.register('post', 'shop', { get_callback: async () => own.services.options.get('title') })
  })
  const shown = async () => ((await site.json(LIST)) as { shop: string }[])[0]!.shop
  await shown()
  assert.is(await originOf(site, LIST), 'HIT')
  await context!.services.options.set('title', 'Renamed')
  assert.is(await shown(), 'Renamed')
})

others('a response that depends on a request to another server is not cached, with any HTTP client', async () => {
  using server = Object.assign(createServer((_request, response) => void response.end('7')).listen(0), {
    [Symbol.dispose]: () => void server.close(),
  })
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const clients: (() => Promise<unknown>)[] = [
    async () => (await fetch(url)).text(),
    async () => (await undiciRequest(url)).body.text(),
    async () => {
      const [answer] = (await once(get(url), 'response')) as [AsyncIterable<Buffer>]
      return (await Array.fromAsync(answer)).join('')
    },
  ]
  for (const fetchText of clients) {
    await using site = await siteWith((context) => EXTENSIONS['a tap of rest_prepare']!(context, fetchText))
    for (let time = 0; time < 2; time += 1)
      assert.is(
        await originOf(site, LIST),
        'BYPASS; reason="it depends on a request to another server"',
        String(fetchText),
      )
  }
})

others('uncacheable registrations are logged once per plugin at the start', async () => {
  const lines: { msg: string; plugin?: string; uncached?: string[] }[] = []
  await using _ = await siteWith(
    ({ hooks, services }) => {
      hooks.rest_prepare.for('post').tap({ name: 'prices', cache: false }, (response) => response)
      services.shortcodes.register('dice', () => '6', { cache: false })
      services.shortcodes.register('fine', () => '6')
      hooks.rest_api_init.tap('shop', (server) => {
        const route = { permission_callback: () => true, callback: () => ({}) }
        server.registerRoute('shop/v1', 'stock', route)
        server.registerRoute('shop/v1', 'prices', { ...route, cache: true })
        server.registerRoute('shop/v1', 'orders', { ...route, methods: 'POST' })
      })
    },
    { log: 'info', logTo: (line) => lines.push(JSON.parse(line) as (typeof lines)[number]) },
  )
  const logged = lines.filter(({ uncached }) => uncached !== undefined)
  assert.equal(
    logged.map(({ plugin: name, uncached }) => [name, uncached!.toSorted()]),
    [
      [
        'shop',
        [
          'the route /shop/v1/stock: no cache: true',
          'the shortcode dice: cache: false',
          'the tap prices on rest_prepare_post: cache: false',
        ],
      ],
    ],
  )
})

others('an uncacheable post leaves the other posts of a list in the item cache', async () => {
  const preparedIds: number[] = []
  await using site = await siteWith(({ hooks, services }) => {
    services.shortcodes.register('shop', () => String(Math.random()), { cache: false })
    hooks.rest_prepare.for('post').tap('shop', (response, { id }) => {
      preparedIds.push(id)
      return response
    })
  })
  for (const user of [{}, as('administrator', 1)]) {
    preparedIds.length = 0
    const first = (await (await site.get(LIST, user)).json()) as { id: number; content: { rendered: string } }[]
    assert.equal(new Set(preparedIds.splice(0)), new Set([1, 2]))
    const second = (await (await site.get(LIST, user)).json()) as typeof first
    assert.equal(preparedIds.splice(0), [1])
    const contentOf = (posts: typeof first, id: number) => posts.find((post) => post.id === id)!.content.rendered
    assert.is(contentOf(first, 2), contentOf(second, 2))
    assert.is.not(contentOf(first, 1), contentOf(second, 1))
  }
})

others('a tap runs once per request and parameters, and again only for changed items', async () => {
  const preparedIds: number[] = []
  await using site = await siteWith(({ hooks }) => {
    hooks.rest_prepare.for('post').tap('shop', (response, { id }) => {
      preparedIds.push(id)
      return response
    })
  })
  await site.json(`${LIST}?page=1`)
  await site.json(`${LIST}?page=1`)
  assert.is(preparedIds.length, 2)
  // Only the changed item of a list is prepared again.
  await site.request(`${LIST}/1`, {
    method: 'POST',
    headers: { ...as('administrator', 1), 'content-type': 'application/json' },
    body: '{"title":"New"}',
  })
  preparedIds.length = 0
  await site.json(`${LIST}?page=1`)
  assert.equal(preparedIds, [1])
})

others('an item that depends on a header is not stored, even with the response cache disabled', async () => {
  const reads: ((request: RestRequest) => unknown)[] = [
    ({ headers }) => headers.get('Accept-Language'),
    ({ headers }) => Object.fromEntries(headers)['accept-language'],
  ]
  for (const read of reads) {
    await using site = await siteWith((context) => EXTENSIONS['a tap of rest_prepare']!(context, read as never), {
      plugins: { 'response-cache': { enabled: false } },
    })
    for (const path of [LIST, `${LIST}/1`])
      for (const language of ['de', 'fr']) {
        const [shown] = [await site.json(path, { 'accept-language': language })].flat() as { shop: string }[]
        assert.is(shown!.shop, language, path)
      }
  }
})

others('an item with data that a tap derives from a header is not served to other clients', async () => {
  await using site = await siteWith(({ hooks }) => {
    const regions = new WeakMap<object, string | null>()
    hooks.rest_pre_dispatch.tap('shop', (result, _server, request) => {
      regions.set(request, request.headers.get('X-Region'))
      return result
    })
    hooks.rest_prepare.for('post').tap('shop', (response, _item, request) => {
      Object.assign(response.data as object, { region: regions.get(request) })
      return response
    })
  })
  for (const region of ['north', 'south', 'north'])
    for (const path of [LIST, `${LIST}/1`]) {
      const [shown] = [await site.json(path, { 'X-Region': region })].flat() as { region: string }[]
      assert.is(shown!.region, region, path)
    }
})

others('the raw parameters are part of the cache key', async () => {
  await using site = await siteWith((context) =>
    EXTENSIONS['a shortcode']!(context, (request) => JSON.stringify((request as RestRequest).query)),
  )
  const seen = new Set<string>()
  for (const path of [
    `${LIST}/1?id=5`,
    `${LIST}/1?id=6`,
    `${LIST}?page=1`,
    `${LIST}?page=01`,
    `${LIST}?include=1`,
    `${LIST}?include[]=1`,
  ])
    for (let time = 0; time < 2; time += 1) {
      const [shown] = [await site.json(path)].flat() as { content: { rendered: string } }[]
      seen.add(shown!.content.rendered)
    }
  assert.is(seen.size, 6)
})

others('an item whose read failed is cached for at most about a minute', async () => {
  let isBroken = true
  await using site = await siteWith(({ services }) => {
    services.extraFields.register('post', 'shop', {
      get_callback: async ({ id }) => {
        const table = isBroken ? sql.raw('no_such_table') : sql.raw('posts')
        const query = sql<{ n: number }>`select count(*) as n from ${table} where id = ${Number(id)}`
        return services.store.first(query).then(
          (row) => Number(row?.n),
          () => 'n/a',
        )
      },
    })
  })
  const shown = async () => ((await site.json(`${LIST}/1`)) as { shop: unknown }).shop
  assert.is(await shown(), 'n/a')
  isBroken = false
  const realNow = Date.now
  using _ = { [Symbol.dispose]: () => void (Date.now = realNow) }
  Date.now = () => realNow() + 73_000
  assert.is(await shown(), 1)
})

others('a failing tap that is required fails the whole list', async () => {
  await using site = await siteWith(({ hooks }) => {
    hooks.rest_prepare.for('post').tap({ name: 'members', required: true }, (response, { id }) => {
      if (id === 1) throw new Error('the service is down')
      return response
    })
  })
  assert.is((await site.get(LIST)).status, 500)
  assert.is((await site.get(`${LIST}/2`)).status, 200)
})

others('a page with a tap that gets the request is not cached', async () => {
  await using site = await siteWith(({ hooks }) => {
    hooks.rest_queried_resource_route.tap('shop', (route, request) => `${route}?lang=${request.query.get('lang')}`)
  })
  const link = async (lang: string) => (await fetch(`${site.home}/?p=1&lang=${lang}`)).headers.get('link') ?? ''
  for (const lang of ['de', 'fr']) assert.match(await link(lang), lang === 'de' ? 'lang=de' : 'lang=fr')
})

others.run()
