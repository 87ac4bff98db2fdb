import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestResponse, type PluginContext } from '../../../../kernel/index.ts'
import { findPromise } from '../../../../plugins/library/advice/find-promise.ts'
import { addPosts } from '../../../helpers/content.ts'
import { serve, startOnly } from '../../../helpers/site.ts'

startOnly('extra-fields', 'posts', 'shortcodes', 'blocks', 'actions')

const promises = suite('promises in responses')

const later = async (value: unknown) => value
/** A promise typed as a string, as in JavaScript. */
const forgotten = () => later(1) as unknown as string

/** Values and the path of their promise; null for none. */
const VALUES: readonly (readonly [value: () => unknown, path: string | null])[] = [
  [() => ({ price: later(1) }), 'price'],
  [() => [1, later(2)], '[1]'],
  [() => ({ list: [{ a: 1 }, { b: [[later(1)]] }] }), 'list[1].b[0][0]'],
  [() => ({ a: { b: { c: { d: { e: { f: { g: { h: { i: { j: later(1) } } } } } } } } } }), 'a.b.c.d.e.f.g.h.i.j'],
  [() => ({ failed: Promise.reject(new Error('nobody waits for it')) }), 'failed'],
  [() => ({ date: new Date(0), none: null, text: 'then', list: [], map: {} }), null],
  [() => ({ own: { toJSON: () => 'own', inner: later(1) } }), null],
]

promises('are found at any depth, and in circular values', () => {
  for (const [value, path] of VALUES) assert.is(findPromise(value()), path)
  const circle: Record<string, unknown> = { list: [] }
  ;(circle['list'] as unknown[]).push(circle, circle)
  assert.is(findPromise(circle), null)
  let deep: unknown = later(1)
  for (let level = 0; level < 100_000; level += 1) deep = [deep]
  assert.is(findPromise(deep), null)
  circle['last'] = later(1)
  assert.is(findPromise(circle), 'last')
})

interface Line {
  level: number
  msg: string
  plugin?: string
  route?: string
}

type Apply = (context: PluginContext) => void

/** A site with a plugin, and its log. */
async function serveShop(apply: Apply) {
  const lines: Line[] = []
  const shop = definePlugin({
    name: 'shop',
    needs: ['extra-fields', 'posts', 'shortcodes', 'blocks', 'actions'],
    apply,
  })
  const site = await serve({ add: [shop], log: 'error', logTo: (line) => void lines.push(JSON.parse(line)) })
  const failures = () => lines.filter(({ msg }) => msg !== 'responded with an error')
  return { site, failures, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() }
}

promises('of a handler cause an error with plugin, route and path', async () => {
  let value: () => unknown = () => null
  let isAsync = false
  await using shop = await serveShop(({ hooks }) => {
    hooks.rest_api_init.tap('shop', (server) => {
      server.registerRoute('shop/v1', 'prices', {
        permission_callback: () => true,
        callback: () => (isAsync ? later(value()) : value()),
      })
    })
  })
  for (const [make, path] of VALUES) {
    for (const wrap of [(inner: unknown) => inner, (inner: unknown) => new RestResponse(inner)]) {
      for (isAsync of [false, true]) {
        value = () => wrap(make())
        const response = await shop.site.get('/shop/v1/prices')
        assert.is(response.status, path === null ? 200 : 500, `${path}`)
        const last = shop.failures().at(-1)
        if (path !== null)
          assert.equal(
            [last!.msg, last!.plugin, last!.route],
            [
              `shop has a promise at ${path} in the response to GET /shop/v1/prices, which JSON writes as {}: await it.`,
              'shop',
              '/shop/v1/prices',
            ],
          )
      }
    }
  }
})

for (const [description, tap] of [
  ['changed', (response: RestResponse, value: unknown) => void ((response.data as { extra: unknown }).extra = value)],
  ['returned', ({ data }: RestResponse, extra: unknown) => new RestResponse({ ...(data as object), extra })],
] as const) {
  promises(`${description} by a tap of rest_prepare_post cause an error with plugin, hook and path`, async () => {
    let value: () => unknown = () => null
    await using shop = await serveShop(({ hooks }) => {
      hooks.rest_prepare.for('post').tap('shop', (response) => tap(response, value()) ?? response)
    })
    const [post] = await addPosts(shop.site.store, { title: 'A', status: 'publish' })
    for (const [index, [make, path]] of VALUES.entries()) {
      value = make
      // A different URL each time, because of the cache.
      const response = await shop.site.get(`/svc/v2/posts/${post}?n=${index}`)
      assert.is(response.status, path === null ? 200 : 500)
      if (path === null) break
      const at = path.startsWith('[') ? `extra${path}` : `extra.${path}`
      const last = shop.failures().at(-1)
      assert.match(last!.msg, `shop has a promise at ${at} in its tap of rest_prepare_post`)
      assert.is(last!.plugin, 'shop')
    }
  })
}

promises('of asynchronous taps and of other response hooks are found', async () => {
  for (const [hook, path] of [
    ['rest_post_dispatch', 'late'],
    ['rest_pre_echo_response', 'late'],
    ['rest_request_after_callbacks', 'late'],
    ['rest_additional_fields', 'late'],
  ] as const) {
    await using shop = await serveShop(({ hooks }) => {
      // The hooks filter different kinds of values.
      const any = hooks[hook] as { tapPromise(name: string, tap: (value: unknown) => Promise<unknown>): void }
      any.tapPromise('shop', async (value) => {
        const data = { late: later(1) }
        return value instanceof RestResponse ? new RestResponse(data) : data
      })
    })
    const [post] = await addPosts(shop.site.store, { title: 'A', status: 'publish' })
    assert.is((await shop.site.get(`/svc/v2/posts/${post}`)).status, 500, hook)
    assert.match(shop.failures()[0]!.msg, `shop has a promise at ${path} in its tap of ${hook}`)
  }
})

promises('of fields and actions cause an error that names them', async () => {
  await using shop = await serveShop(({ hooks, services }) => {
    services.extraFields.register('post', 'prices', { get_callback: () => ({ net: [later(1)] }) })
    services.actions.register('shop/price', {
      label: 'Price',
      description: 'Returns the price.',
      permission: () => true,
      input_schema: { type: 'object' },
      run: () => ({ gross: later(1) }),
    } as never)
    void hooks
  })
  const [post] = await addPosts(shop.site.store, { title: 'A', status: 'publish' })
  assert.is((await shop.site.get(`/svc/v2/posts/${post}`)).status, 500)
  assert.match(shop.failures()[0]!.msg, 'shop has a promise at net[0] in the field prices of post')
  const failed = await shop.site.kernel.services.actions
    .execute('shop/price', {}, { user: { id: 0 } })
    .catch((error: Error) => error)
  assert.match(String(failed), 'shop has a promise at gross in the output of the action shop/price')
})

promises('in the HTML of shortcodes and blocks are logged, and the other content is shown', async () => {
  await using shop = await serveShop(({ services }) => {
    services.shortcodes.register('price', () => `<b>${forgotten()}</b>`)
    services.shortcodes.register('quote', (_, inner) => `<q>${inner}</q>`)
    services.blocks.register('shop/price', { render_callback: () => `<b>${forgotten()}</b>` })
  })
  const content = 'before [price] [quote][object Promise][/quote]<!-- wp:shop/price /-->after'
  const [post] = await addPosts(shop.site.store, { title: 'A', content, status: 'publish' })
  const { content: shown } = await shop.site.json(`/svc/v2/posts/${post}`)
  assert.match(shown.rendered, /before/)
  assert.match(shown.rendered, /after/)
  assert.match(shown.rendered, '<q>[object Promise]</q>')
  assert.not.match(shown.rendered, '<b>')
  const logged = JSON.stringify(shop.failures())
  assert.match(logged, 'shop has a promise in the HTML of the shortcode price')
  assert.match(logged, 'shop has a promise in the HTML of the block shop/price')
})

promises.run()
