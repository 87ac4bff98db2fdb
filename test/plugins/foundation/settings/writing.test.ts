import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError } from '../../../../kernel/index.ts'
import { as, serve, type Site, startOnly } from '../../../helpers/site.ts'
import { places, type Place } from '../../../helpers/stores.ts'

startOnly('settings')

const SETTINGS = '/svc/v2/settings'

/** Settings of another author: of every type, one under another name, one that is not shown, one that a tap keeps. */
const shop = (tapCalls: unknown[]) =>
  definePlugin({
    name: 'shop',
    needs: ['settings'],
    apply({ hooks, services: { settings } }) {
      settings.register('shop_size', {
        type: 'integer',
        default: 5,
        show_in_rest: { schema: { minimum: 0, maximum: 100 } },
      })
      settings.register('shop_box', {
        type: 'object',
        default: { mode: 'plain', list: [1] },
        show_in_rest: {
          name: 'box',
          schema: {
            properties: {
              mode: { type: 'string', enum: ['plain', 'fancy'] },
              list: { type: 'array', items: { type: 'integer' } },
            },
            additionalProperties: false,
          },
        },
      })
      settings.register('shop_bag', {
        type: 'object',
        show_in_rest: { schema: { properties: { size: { type: 'integer' } } } },
      })
      settings.register('shop_open', { type: 'boolean', default: false, show_in_rest: true })
      settings.register('shop_ratio', { type: 'number', show_in_rest: true })
      settings.register('shop_key', { type: 'string', default: 'secret' })
      settings.register('shop_code', {
        type: 'string',
        show_in_rest: true,
        sanitize_callback: (value) => String(value).toUpperCase(),
      })
      settings.register('shop_kept', { type: 'string', show_in_rest: true })
      hooks.rest_pre_update_setting.tap('shop', (stored, name, value, setting) => {
        if (name !== 'shop_kept') return stored
        if (value === 'bad') throw new RestError('shop_refused', 'No.', { status: 400 })
        tapCalls.push([name, value, setting.type])
        return true
      })
    },
  })

interface Context {
  site: Site
  place: Place
  tapCalls: unknown[]
}

for (const { name: database, make } of places) {
  const settings = suite<Context>(`writing settings, on ${database}`)

  settings.before.each(async (context) => {
    context.place = await make()
    context.tapCalls = []
    context.site = await serve({ database: context.place.url, add: [shop(context.tapCalls)] })
  })
  settings.after.each(async ({ site, place }) => {
    await site[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  const send = async (site: Site, body: unknown, { method = 'PUT', role = 'administrator' } = {}) => {
    const response = await site.request(SETTINGS, {
      method,
      headers: { ...(role === 'visitor' ? {} : as(role)), 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    // oxlint-disable-next-line typescript/no-explicit-any -- tests assert on the structure
    return { status: response.status, body: (await response.json()) as any }
  }
  /** The stored options by name, except internal options of the site. */
  const stored = async (site: Site) => {
    const query = site.store.db.selectFrom('options').selectAll().where('name', 'not in', ['nonce_key', 'word'])
    const rows = await site.store.all(query)
    return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown]))
  }

  settings('changes the given settings with each method, and returns all settings', async ({ site }) => {
    const before = await site.json(SETTINGS, as('administrator'))
    for (const [index, method] of ['POST', 'PUT', 'PATCH'].entries()) {
      const { status, body } = await send(site, { title: `Title ${index}`, posts_per_page: `${index + 3}` }, { method })
      assert.is(status, 200)
      assert.equal(body, { ...before, title: `Title ${index}`, posts_per_page: index + 3 })
    }
    assert.equal(await stored(site), { title: 'Title 2', posts_per_page: 5 })
    assert.is((await site.json('/?_fields=name')).name, 'Title 2')
  })

  settings('converts each value to its type', async ({ site }) => {
    const input = { shop_size: '7', box: { mode: 'fancy', list: ['3', 4] }, shop_open: 'true', shop_ratio: '1.5' }
    const { body } = await send(site, { ...input, shop_code: 'abc' })
    assert.equal(
      [body.shop_size, body.box, body.shop_open, body.shop_ratio, body.shop_code],
      [7, { mode: 'fancy', list: [3, 4] }, true, 1.5, 'ABC'],
    )
    assert.equal(await stored(site), {
      shop_size: 7,
      shop_box: { mode: 'fancy', list: [3, 4] },
      shop_open: true,
      shop_ratio: 1.5,
      shop_code: 'ABC',
    })
  })

  settings('stores no value of a request with an invalid one, and names every invalid value', async ({ site }) => {
    const wrong: Record<string, unknown> = {
      shop_size: 101,
      box: { mode: 'odd' },
      email: 'nope',
      default_comment_status: 'sometimes',
      posts_per_page: 'many',
      shop_open: 'perhaps',
      timezone: 'Nowhere/Land',
    }
    for (const [name, value] of Object.entries(wrong)) {
      const { status, body } = await send(site, { title: 'Changed', [name]: value })
      assert.equal([status, body.code, Object.keys(body.data.params)], [400, 'rest_invalid_param', [name]], name)
    }
    const { timezone: _, ...checked } = wrong
    const { body } = await send(site, checked)
    assert.equal(Object.keys(body.data.params).sort(), Object.keys(checked).sort())
    for (const box of [{ extra: 1 }, { list: ['x'] }, 'x', [1]]) {
      assert.is((await send(site, { title: 'Changed', box })).body.code, 'rest_invalid_param')
    }
    assert.equal(await stored(site), {})
  })

  settings('refuses and hides undeclared properties, even without additionalProperties', async ({ site }) => {
    const { status, body } = await send(site, { shop_bag: { size: 1, color: 'red' } })
    assert.equal([status, body.data.details.shop_bag.code], [400, 'rest_additional_properties_forbidden'])
    await site.kernel.services.options.set('shop_bag', { size: 2, color: 'red' })
    assert.equal((await site.json(SETTINGS, as('administrator'))).shop_bag, { size: 2 })
  })

  settings('resets to the default with null', async ({ site }) => {
    await send(site, { shop_size: 9, box: { mode: 'fancy' }, title: 'Changed', site_logo: 3 })
    const { status, body } = await send(site, { shop_size: null, box: null, title: null, site_logo: null })
    assert.is(status, 200)
    assert.equal(
      [body.shop_size, body.box, body.title, body.site_logo],
      [5, { mode: 'plain', list: [1] }, 'A new site', null],
    )
    assert.equal(await stored(site), {})
  })

  settings('preserves a value that it cannot show if null is sent back', async ({ site }) => {
    await site.kernel.services.options.set('default_comment_status', 'sometimes')
    const shown = await site.json(SETTINGS, as('administrator'))
    assert.is(shown.default_comment_status, null)
    const { status, body } = await send(site, { ...shown, title: 'Changed' })
    assert.equal([status, body.code], [400, 'rest_invalid_stored_value'])
    assert.equal(await stored(site), { default_comment_status: 'sometimes' })
    assert.is((await send(site, { default_comment_status: 'closed' })).body.default_comment_status, 'closed')
  })

  settings('accepts its response as input, including the URL of the site', async ({ site }) => {
    const shown = await site.json(SETTINGS, as('administrator'))
    const { status, body } = await send(site, { ...shown, shop_code: 'X', shop_kept: 'y', email: 'a@b.test' })
    assert.equal([status, body], [200, { ...shown, shop_code: 'X', email: 'a@b.test' }])
    const moved = await send(site, { title: 'Moved', url: 'https://other.test' })
    assert.equal(
      [moved.status, moved.body.code, Object.keys(moved.body.data.params)],
      [400, 'rest_invalid_param', ['url']],
    )
    assert.is((await site.json(SETTINGS, as('administrator'))).title, shown.title)
  })

  settings('sanitizes texts of the site, and limits numbers for lists', async ({ site }) => {
    const { body } = await send(site, {
      title: `<b>"Tom's" & Co</b> &amp;`,
      posts_per_page: 0,
      start_of_week: -1,
      timezone: '',
    })
    assert.equal(
      [body.title, body.posts_per_page, body.start_of_week, body.timezone],
      ['&lt;b&gt;&quot;Tom&#039;s&quot; &amp; Co&lt;/b&gt; &amp;', 1, 1, 'UTC'],
    )
    assert.is((await send(site, { title: body.title })).body.title, body.title)
    assert.is((await send(site, { posts_per_page: -1 })).body.posts_per_page, -1)
  })

  settings('lets a tap store a value elsewhere, or refuse the request', async ({ site, tapCalls }) => {
    assert.is((await send(site, { shop_kept: 'x', title: 'Changed' })).status, 200)
    assert.equal(tapCalls, [['shop_kept', 'x', 'string']])
    const { status, body } = await send(site, { title: 'Refused', shop_size: 1, shop_kept: 'bad' })
    assert.equal([status, body.code], [400, 'shop_refused'])
    assert.equal(await stored(site), { title: 'Changed' })
    const shown = await site.json(SETTINGS, as('administrator'))
    assert.equal([shown.title, shown.shop_size], ['Changed', 5])
  })

  settings('S8: requires permission to manage the site', async ({ site }) => {
    for (const role of ['visitor', 'subscriber', 'contributor', 'author', 'editor']) {
      for (const method of ['POST', 'PUT', 'PATCH']) {
        const { status, body } = await send(site, { title: 'Hacked' }, { method, role })
        assert.equal([status, body.code], [role === 'visitor' ? 401 : 403, 'rest_forbidden'])
      }
    }
    assert.equal(await stored(site), {})
  })

  settings('S15: ignores settings that are not shown', async ({ site }) => {
    const { status } = await send(site, {
      shop_key: 'x',
      shop_box: { mode: 'fancy' },
      permalink: '/x/',
      theme: {},
      sticky_posts: [1],
      unknown: 1,
      default_role: 'administrator',
    })
    assert.is(status, 200)
    assert.equal(await stored(site), {})
  })

  settings('returns an empty map as a list, and accepts it', async ({ site }) => {
    assert.equal((await send(site, { box: {} })).body.box, [])
    const again = await send(site, { box: [] })
    assert.equal([again.status, again.body.box], [200, []])
  })

  settings('S24: treats the names of built-in properties like any other', async ({ site }) => {
    await send(
      site,
      '{"title":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"y"}',
    )
    const box = await send(site, '{"box":{"__proto__":{"polluted":1},"mode":"fancy"}}')
    assert.ok(box.status === 200 || box.status === 400)
    assert.is(({} as { polluted?: number }).polluted, undefined)
    for (const name of Object.keys(await stored(site))) assert.match(name, /^(?:title|shop_box)$/)
  })

  settings('S38: applies simultaneous writes atomically', async ({ site }) => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        send(site, { title: `T${index}`, description: `T${index}`, shop_size: index }),
      ),
    )
    assert.equal(new Set(answers.map(({ status }) => status)), new Set([200]))
    const { title, description, shop_size: size } = await stored(site)
    assert.equal([description, `T${String(size)}`], [title, title])
  })

  settings('describes the type of each setting', async ({ site }) => {
    const answer = await site.request(SETTINGS, { method: 'OPTIONS', headers: as('administrator') })
    assert.is(answer.headers.get('allow'), 'GET, POST, PUT, PATCH')
    const { endpoints } = (await answer.json()) as { endpoints: { args: Record<string, object> }[] }
    const { description: _, ...size } = endpoints[1]!.args['shop_size'] as Record<string, unknown>
    assert.equal(size, { type: 'integer', title: '', minimum: 0, maximum: 100, required: false })
  })

  settings.run()
}
