import * as assert from 'uvu/assert'
import { definePlugin, RestServer, type RestRequest } from '../../kernel/index.ts'
import { browse, type Browser } from '../helpers/browser.ts'
import { as, CONTENT_PLUGINS, serve, startOnly, type ServeOptions, type Site } from '../helpers/site.ts'
import { specSuite } from './spec-suite.ts'

startOnly(...CONTENT_PLUGINS, 'login', 'search', 'application-passwords')

const { spec, siteOf } = specSuite('5 and 6')

const PASSWORD = 'pass phrase of ann'
const entered = new WeakMap<Site, Promise<{ browser: Browser; id: number }>>()

/** Returns a browser in which `ann` is logged in. */
function enter(site: Site): Promise<{ browser: Browser; id: number }> {
  let ready = entered.get(site)
  if (ready === undefined) entered.set(site, (ready = logIn(site)))
  return ready
}

async function logIn(site: Site) {
  const { id } = await site.kernel.services.users.create({
    login: 'ann',
    email: 'ann@mail.example',
    password: PASSWORD,
    roles: ['author'],
  })
  const browser = browse(site)
  assert.is((await browser.logIn('ann', PASSWORD)).status, 302)
  return { browser, id }
}

/** Requests a route that returns the ID of its user. */
const who = async (browser: Browser, nonce: string | null, query = '', init: RequestInit = {}) => {
  const response = await browser.api(`/things/v1/who${query}`, nonce, init)
  const body = (await response.json()) as { user?: number; code?: string; message?: string }
  return { status: response.status, fresh: response.headers.get('x-svc-nonce'), ...body }
}

spec('spec 4.4.parameters.3: reads the nonce from _svcnonce in query or body', async () => {
  const { browser, id } = await enter(await siteOf())
  const nonce = await browser.nonce()
  assert.is((await who(browser, null, `?_svcnonce=${nonce}`)).user, id)
  const form = { method: 'POST', body: new URLSearchParams({ _svcnonce: nonce, description: 'By form' }) }
  assert.is((await browser.api('/svc/v2/users/me', null, form)).status, 200)
})

spec('spec 4.4.parameters.4: reads the nonce from the header X-SVC-Nonce, after the parameter', async () => {
  const { browser, id } = await enter(await siteOf())
  const nonce = await browser.nonce()
  assert.is((await who(browser, nonce)).user, id)
  assert.is((await who(browser, 'wrong', `?_svcnonce=${nonce}`)).user, id)
  assert.is((await who(browser, nonce, '?_svcnonce=wrong')).status, 403)
})

spec('spec 4.4.headers.2: sends a new nonce only after cookie authentication with a valid one', async () => {
  const { browser, id } = await enter(await siteOf())
  const { fresh } = await who(browser, await browser.nonce())
  assert.is((await who(browser, fresh)).user, id)
  for (const nonce of [null, 'wrong']) assert.is((await who(browser, nonce)).fresh, null)
})

spec('spec 5.1.1: keeps the result of another authentication', async () => {
  const another = definePlugin({
    name: 'another',
    apply({ hooks }) {
      hooks.rest_authentication_errors.tap({ name: 'another', stage: -1 }, (result, { query }) =>
        query['another'] === undefined ? result : true,
      )
    },
  })
  await using site = await serve({ add: [another] })
  const { browser } = await enter(site)
  const response = await browser.api('/svc/v2/users/me?another=1', 'wrong')
  assert.is(response.status, 200)
  assert.is(response.headers.get('x-svc-nonce'), null)
  assert.is((await browser.api('/svc/v2/users/me', 'wrong')).status, 403)
})

spec('spec 5.1.2: requires no nonce of a user who did not log in by the cookie', async () => {
  const site = await siteOf()
  const response = await site.get('/things/v1/who', as('administrator', 7))
  assert.is(((await response.json()) as { user: number }).user, 7)
  assert.is(response.headers.get('x-svc-nonce'), null)
})

spec('spec 5.1.3: takes the nonce from the parameter, otherwise from the header', async () => {
  const { browser, id } = await enter(await siteOf())
  const nonce = await browser.nonce()
  for (const [header, query] of [
    [null, `?_svcnonce=${nonce}`],
    [nonce, ''],
  ] as const)
    assert.is((await who(browser, header, query)).user, id)
})

spec('spec 5.1.4: treats a request with a cookie but without a nonce as one of a visitor', async () => {
  const { browser } = await enter(await siteOf())
  const { status, user } = await who(browser, null)
  assert.equal([status, user], [200, 0])
  const foreign = await browser.api('/svc/v2/users/me', null, { headers: { origin: 'https://evil.test' } })
  assert.is(foreign.status, 401, 'also for pages of other origins')
})

spec('spec 5.1.5: refuses a nonce that is not valid for the action', async () => {
  const site = await siteOf()
  const { browser, id } = await enter(site)
  const other = site.kernel.services.nonces.create('log_out', { id, session: 'x' })
  for (const nonce of ['wrong', other]) {
    const { status, code, message } = await who(browser, nonce)
    assert.equal([status, code, message], [403, 'rest_cookie_invalid_nonce', 'Cookie nonce is invalid'])
  }
})

spec('spec 7.table.1: refuses an invalid nonce with rest_cookie_invalid_nonce and status 403', async () => {
  const { status, code, message } = await who((await enter(await siteOf())).browser, 'wrong')
  assert.equal([status, code, message], [403, 'rest_cookie_invalid_nonce', 'Cookie nonce is invalid'])
})

spec('spec 5.1.6: authenticates with a valid nonce, and sends a new one', async () => {
  const { browser, id } = await enter(await siteOf())
  const { user, fresh } = await who(browser, await browser.nonce())
  assert.is(user, id)
  assert.is((await who(browser, fresh)).user, id)
})

const EVENTS = ['auth_cookie_malformed', 'auth_cookie_expired', 'auth_cookie_bad_session_token'] as const

/** Returns the events that cookies fire, by the name after `auth_cookie_`. */
async function eventsOf(site: Site, cookies: readonly string[]): Promise<string[]> {
  const events: string[] = []
  for (const name of [...EVENTS, 'auth_cookie_bad_username'] as const)
    site.kernel.hooks[name].tap('test', (_request: RestRequest) => void events.push(name))
  site.kernel.hooks.auth_cookie_valid.tap('test', () => void events.push('valid'))
  for (const cookie of cookies) await site.get('/things/v1/who', { cookie })
  return events
}

spec(
  'spec 5.1.7: requires a nonce after the event of a valid cookie, and otherwise treats it as a visitor',
  async () => {
    await using site = await serve()
    const { browser } = await enter(site)
    const [name, token = ''] = browser.cookie.split('=')
    const cookies = [
      browser.cookie,
      `${name}=short`,
      `${name}=${token.replace(/^./, token.startsWith('a') ? 'b' : 'a')}`,
    ]
    assert.equal(await eventsOf(site, cookies), ['valid', 'auth_cookie_malformed', 'auth_cookie_bad_session_token'])
    const refused = await site.get('/svc/v2/users/me', { cookie: `${name}=short` })
    assert.is(refused.status, 401)
  },
)

spec(
  'spec 8.table.2: names the reason of a failed cookie by the event without its first twelve characters',
  async () => {
    await using site = await serve()
    const { browser } = await enter(site)
    const events = await eventsOf(site, [`${browser.cookie.split('=')[0]}=short`])
    assert.equal(
      events.map((event) => [event.slice(0, 12), event.slice(12)]),
      [['auth_cookie_', 'malformed']],
    )
  },
)

spec('spec 5.2.1: refuses with 401 without a user, and with 403 with one', async () => {
  const site = await siteOf()
  assert.is((await site.get('/things/v1/closed')).status, 401)
  assert.is((await site.get('/things/v1/closed', as('administrator'))).status, 403)
})

const CURRENT = 'OPTIONS, GET, POST, PUT, PATCH, DELETE'
const EARLIEST = 'POST, GET, OPTIONS, PUT, DELETE'
/** Requests of every kind. */
const KINDS = [
  ['/things/v1/item', {}],
  ['/things/v1/guarded', { method: 'POST', headers: as('administrator') }],
  ['/things/v1/guarded', { method: 'OPTIONS' }],
  ['/nope', {}],
] as const

/** Returns a header of responses of every kind to requests with an origin. */
async function headersOf(options: ServeOptions, name: string, origin: string): Promise<(string | null)[]> {
  const site = await siteOf(options)
  const all: (string | null)[] = []
  for (const [path, init] of KINDS) {
    const headers = { ...('headers' in init ? init.headers : {}), origin }
    all.push((await site.request(path, { ...init, headers })).headers.get(name))
  }
  return [...new Set(all)]
}

spec('spec 5.3.1.1: allows the origin of the request, null as it is, and sanitizes other text as a URL', async () => {
  const origins = [
    ['https://a.test', 'https://a.test'],
    ['null', 'null'],
    ['<a>', 'http://a'],
  ] as const
  for (const [origin, allowed] of origins) {
    assert.equal(await headersOf({}, 'access-control-allow-origin', origin), [allowed])
    const old = await headersOf({ revision: '4.4' }, 'access-control-allow-origin', origin)
    assert.equal(old, [origin === 'null' ? 'http://null' : allowed])
    assert.equal(await headersOf({ revision: '4.7' }, 'access-control-allow-origin', origin), [allowed])
  }
})

spec('spec 5.3.1.2: allows six methods, and five without PATCH in revision 4.4', async () => {
  const methodsOf = (revision: string) => headersOf({ revision }, 'access-control-allow-methods', 'https://a.test')
  assert.equal(await methodsOf('latest'), [CURRENT])
  assert.equal(await methodsOf('4.7'), [CURRENT])
  assert.equal(await methodsOf('4.4'), [EARLIEST])
})

spec('spec 5.3.1.3: allows credentials for every origin', async () => {
  for (const revision of ['latest', '4.4']) {
    for (const origin of ['https://a.test', 'http://localhost:3000', 'null'])
      assert.equal(await headersOf({ revision }, 'access-control-allow-credentials', origin), ['true'])
  }
})

spec('spec 5.3.1.4: adds Origin to Vary', async () => {
  for (const value of await headersOf({}, 'vary', 'https://a.test')) assert.match(value!, /\bOrigin\b/)
})

spec('spec 5.3.2: without an origin, sends only Vary: Origin, to GET requests of visitors', async () => {
  const site = await siteOf()
  const sent = async (method: string, user = {}) => {
    const { headers } = await site.request('/things/v1/guarded', { method, headers: user })
    assert.is(headers.get('access-control-allow-origin'), null)
    assert.is(headers.get('access-control-allow-credentials'), null)
    return /\bOrigin\b/.test(headers.get('vary') ?? '')
  }
  assert.is(await sent('GET'), true)
  assert.is(await sent('GET', as('administrator')), false)
  assert.is(await sent('POST'), false)
})

spec('spec 6.table.1: runs rest_api_init with the new server', async () => {
  const servers: unknown[] = []
  const watching = definePlugin({
    name: 'watching',
    apply: ({ hooks }) => hooks.rest_api_init.tap('watching', (server) => void servers.push(server)),
  })
  await using site = await serve({ add: [watching] })
  assert.equal(servers.length, 1)
  assert.ok(servers[0] === site.kernel.server)
})

spec('spec 6.table.2: replaces the prefix by rest_url_prefix', async () => {
  await using site = await serve()
  site.kernel.hooks.rest_url_prefix.tap('test', (prefix) => `${prefix}2`)
  assert.is(site.kernel.urls.prefix, 'svc-json2')
})

spec('spec 6.table.3: passes URL, path, blog ID and scheme to rest_url', async () => {
  await using site = await serve()
  const received: unknown[] = []
  site.kernel.hooks.rest_url.tap('test', (url, path, blogId, scheme) => {
    received.push(url, path, blogId, scheme)
    return url
  })
  site.kernel.urls.rest('/a')
  assert.equal(received, [`${site.home}/svc-json/a`, '/a', null, 'rest'])
})

spec('spec 6.table.4: creates the server from the class that svc_rest_server_class returns', async () => {
  class Own extends RestServer {}
  const own = definePlugin({
    name: 'own',
    apply: ({ hooks }) => hooks.svc_rest_server_class.tap('own', () => Own),
  })
  await using site = await serve({ add: [own] })
  assert.instance(site.kernel.server, Own)
})

spec('spec 6.table.5: replaces the search handlers by svc_rest_search_handlers', async () => {
  let types: string[] = []
  const own = definePlugin({
    name: 'own',
    needs: ['search'],
    apply: ({ hooks }) =>
      hooks.svc_rest_search_handlers.tap('own', (handlers) => {
        types = handlers.map(({ type }) => type)
        return handlers.slice(0, 1)
      }),
  })
  await using site = await serve({ add: [own] })
  assert.equal(types, ['post', 'term', 'post-format'])
  assert.is((await site.get('/svc/v2/search?type=term')).status, 400)
})

spec('spec 6.table.6: replaces the sizes of avatars by rest_avatar_sizes', async () => {
  await using site = await serve()
  site.kernel.hooks.rest_avatar_sizes.tap('test', (sizes) => [...sizes, 512])
  assert.equal(Object.keys(site.kernel.services.avatars.urls('')), ['24', '48', '96', '512'])
})

/** Returns a site without default plugins. */
const without = (...names: string[]) => ({ plugins: Object.fromEntries(names.map((name) => [name, false])) })

spec('spec 6.table.7: sends CORS headers by a default tap of rest_pre_serve_request', async () => {
  assert.equal(await headersOf(without('cors'), 'access-control-allow-origin', 'https://a.test'), [null])
  assert.ok((await siteOf()).kernel.hooks.rest_pre_serve_request.taps.some(({ name }) => name === 'cors'))
})

spec('spec 6.table.8: adds Allow and selects fields by default taps of rest_post_dispatch', async () => {
  const site = await siteOf(without('allow-header', 'fields-parameter'))
  const response = await site.get('/things/v1/item?_fields=id')
  assert.equal([response.headers.get('allow'), Object.keys((await response.json()) as object).length], [null, 3])
  const names = (await siteOf()).kernel.hooks.rest_post_dispatch.taps.map(({ name }) => name)
  for (const name of ['allow-header', 'fields-parameter']) assert.ok(names.includes(name), name)
})

spec('spec 6.table.9: responds to OPTIONS by a default tap of rest_pre_dispatch', async () => {
  const site = await siteOf(without('options-method'))
  assert.is((await site.request('/things/v1/item', { method: 'OPTIONS' })).status, 404)
  assert.is((await (await siteOf()).request('/things/v1/item', { method: 'OPTIONS' })).status, 200)
})

spec.run()
