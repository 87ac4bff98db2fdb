import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  definePlugin,
  RestRequest,
  RestResponse,
  type Arguments,
  type Params,
  type PluginContext,
} from '../../../kernel/index.ts'
import { hasSince, REVISIONS, type Revision } from '../../../plugins/library/site-config/index.ts'
import { defaults } from '../../../plugins/index.ts'
import { as, serve, type ServeOptions, type Site } from '../../helpers/site.ts'
import { removePlugin } from '../../helpers/remove-plugin.ts'

const revisions = suite('revisions')

/** Revisions before one, and revisions from it on. */
const before = (revision: Revision) => REVISIONS.slice(0, REVISIONS.indexOf(revision))
const from = (revision: Revision) => REVISIONS.slice(REVISIONS.indexOf(revision))

/** Tests a difference: the behavior of revisions before `since`, and of later ones. */
function row(
  label: string,
  since: Revision,
  old: (site: Site) => Promise<void>,
  current: (site: Site) => Promise<void>,
  options: ServeOptions = {},
) {
  const sides = [
    [`${label}: before ${since}`, before(since), old],
    [`${label}: from ${since} on`, from(since), current],
  ] as const
  for (const [name, of, expect] of sides) {
    revisions(name, async () => {
      // The revision nearest to the change, and the furthest one.
      for (const revision of new Set([of[0]!, of.at(-1)!])) {
        await using site = await serve({ add: [thirdParty], revision, ...options })
        await expect(site)
      }
    })
  }
}

const args: Arguments = {
  count: { type: 'integer', minimum: 1 },
  list: { type: ['integer', 'string'], enum: [1, 'a'] },
  nothing: { type: 'null' },
  map: { type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: { type: 'boolean' } },
  address: { type: 'string', format: 'ip' },
  even: { type: 'integer', validate_callback: (value) => Number(value) % 2 === 0 },
}

/** A third-party plugin with routes and a field. */
const thirdParty = definePlugin({
  name: 'third-party',
  needs: ['extra-fields', 'content-types', 'deprecation'],
  apply({ hooks, services }) {
    services.extraFields.register('type', 'colour', { get_callback: () => 'red' })
    hooks.rest_api_init.tap('third-party', (server) => {
      const open = { permission_callback: () => true }
      server.registerRoute('third/v1', 'it', {
        ...open,
        methods: 'GET, POST',
        args: { ...args, name: { type: 'string', required: true } },
        callback: (request) => ({ a: 1, 'b.c': 2, b: { c: 3, d: 4 }, given: request.requestParams() }),
      })
      server.registerRoute('third/v1', 'linked', {
        ...open,
        callback: () => {
          const response = new RestResponse({ id: 1 })
          for (const relation of ['one', 'two']) {
            response.addLink(relation, server.urls.rest('/third/v1/it?name=x'), { embeddable: true })
          }
          return response
        },
      })
      server.registerRoute('third/v1', 'old', {
        ...open,
        callback: () => {
          services.deprecation.deprecatedFunction('f', '1')
          return null
        },
      })
    })
  },
})

/** Returns the status and the error messages for a request with these parameters. */
async function send(site: Site, params: Params): Promise<[status: number, messages: Record<string, string> | null]> {
  const request = new RestRequest('POST', '/third/v1/it', { json: { name: 'x', ...params } })
  const { status, data } = await site.kernel.server.dispatch(request)
  return [status, (data as { data?: { params?: Record<string, string> } }).data?.params ?? null]
}

row(
  'spec 9.table.1: arguments are checked',
  '4.7',
  async (site) => {
    assert.is((await send(site, { count: 'many', map: 3 }))[0], 200)
    assert.is((await send(site, { even: 3 }))[0], 400, 'their callbacks run')
    assert.is((await site.get('/third/v1/it')).status, 400, 'required arguments are checked')
    assert.is((await site.get('/svc/v2/types/post?context=nope')).status, 400, 'default routes keep their checks')
  },
  async (site) => {
    assert.equal(await send(site, { count: 'many' }), [400, { count: 'count is not of type integer.' }])
    assert.is((await send(site, { even: 3 }))[0], 400)
  },
)

row(
  'spec 9.table.1: fields can be registered',
  '4.7',
  async (site) => assert.is((await site.json('/svc/v2/types/post')).colour, undefined),
  async (site) => assert.is((await site.json('/svc/v2/types/post')).colour, 'red'),
)

const ALL = ['a', 'b.c', 'b', 'given']

row(
  'spec 9.table.2: _fields is supported',
  '4.8',
  async (site) => {
    assert.equal(Object.keys(await site.json('/third/v1/it?name=x&_fields=a')), ALL)
    assert.ok('name' in (await site.json('/svc/v2/types/post?_fields=slug')))
  },
  async (site) => {
    assert.equal(Object.keys(await site.json('/third/v1/it?name=x&_fields=a')), ['a'])
    assert.equal(Object.keys(await site.json('/svc/v2/types/post?_fields=slug')), ['slug'])
  },
)

row(
  'spec 9.table.2: _fields selects nested properties',
  '5.3',
  async (site) => {
    if (site.kernel.config.revision < '4.8') return
    assert.equal(await site.json('/third/v1/it?name=x&_fields=b.c'), [])
    assert.equal(await site.json('/third/v1/it?name=x&_fields=b,b.c,a'), { a: 1, b: { c: 3, d: 4 } })
    assert.equal(await site.json('/svc/v2/types/post?_fields=slug,name.x'), { slug: 'post' })
  },
  async (site) => {
    assert.equal(await site.json('/third/v1/it?name=x&_fields=b.c'), { b: { c: 3 } })
    assert.equal(await site.json('/third/v1/it?name=x&_fields=b,b.c'), { b: { c: 3, d: 4 } })
  },
)

async function cors(site: Site, origin: string) {
  const { headers } = await site.get('/nope', { origin })
  return [headers.get('access-control-allow-origin'), headers.get('access-control-allow-methods')]
}

row(
  'spec 9.table.3: CORS headers include PATCH and an unchanged origin null',
  '4.7',
  async (site) => {
    const methods = 'POST, GET, OPTIONS, PUT, DELETE'
    assert.equal(await cors(site, 'https://app.example'), ['https://app.example', methods])
    assert.equal(await cors(site, 'null'), ['http://null', methods])
  },
  async (site) => {
    const methods = 'OPTIONS, GET, POST, PUT, PATCH, DELETE'
    assert.equal(await cors(site, 'https://app.example'), ['https://app.example', methods])
    assert.equal(await cors(site, 'null'), ['null', methods])
  },
)

row(
  'spec 9.table.4: URLs can use the index script',
  '4.7',
  async (site) => {
    assert.is((await site.request(`${site.home}/index.php/svc-json/svc/v2/types`)).status, 404)
    assert.is(site.kernel.urls.rest('/a'), `${site.home}/svc-json/a`)
  },
  async (site) => {
    assert.is((await site.request(`${site.home}/index.php/svc-json/svc/v2/types`)).status, 200)
    assert.is(site.kernel.urls.rest('/a'), `${site.home}/index.php/svc-json/a`)
  },
  { addresses: 'index' },
)

row(
  'plain URLs use the index script and a slash before the route',
  '4.7',
  async (site) => {
    assert.is(site.kernel.urls.rest('a?b=1'), `${site.home}/?rest_route=a&b=1`)
    const { body } = (await site.json('/third/v1/linked?_embed&_envelope')) as {
      body: { _embedded: { one: Params[] } }
    }
    assert.is(body._embedded.one[0]!['a'], 1)
  },
  async (site) => assert.is(site.kernel.urls.rest('a?b=1'), `${site.home}/index.php?rest_route=/a&b=1`),
  { addresses: 'plain' },
)

row(
  'the scheme of URLs is rest',
  '4.7',
  async (site) => assert.is(site.kernel.urls.scheme, 'json'),
  async (site) => assert.is(site.kernel.urls.scheme, 'rest'),
)

row(
  'spec 9.table.5: trailing slashes of routes are ignored',
  '4.7',
  async (site) => {
    assert.is((await site.get('/svc/v2/types/')).status, 404)
    assert.is((await site.request(`${site.home}/?rest_route=/svc/v2/types/`)).status, 404)
    assert.is((await site.get('/')).status, 200)
  },
  async (site) => {
    assert.is((await site.get('/svc/v2/types/')).status, 200)
    assert.is((await site.request(`${site.home}/?rest_route=/svc/v2/types/`)).status, 200)
  },
)

row(
  'spec 9.table.6: deprecation headers are sent in debug mode only',
  '4.7',
  async (site) =>
    assert.match((await site.get('/third/v1/old')).headers.get('x-svc-deprecatedfunction')!, 'f (since 1'),
  async (site) => assert.is((await site.get('/third/v1/old')).headers.get('x-svc-deprecatedfunction'), null),
)

const serializable = { toJSON: () => ({ a: 1 }) }

row(
  'spec 9.table.7: type lists, null, schemas of additional properties and serializable objects are supported',
  '5.3',
  async (site) => {
    const earliest = site.kernel.config.revision === '4.4'
    for (const params of [{ nothing: 5 }, { map: { b: 'no' } }]) assert.is((await send(site, params))[0], 200)
    assert.is((await send(site, { list: 'b' }))[0], earliest ? 200 : 400, 'enums are checked')
    assert.is((await send(site, { map: serializable }))[0], earliest ? 200 : 400)
  },
  async (site) => {
    for (const params of [{ nothing: 5 }, { map: { b: 'no' } }, { list: {} }])
      assert.is((await send(site, params))[0], 400)
    for (const params of [{ nothing: null }, { map: { b: 'true' } }, { list: '1' }, { map: serializable }]) {
      assert.is((await send(site, params))[0], 200, JSON.stringify(params))
    }
  },
)

row(
  'the error for an invalid IP address names the argument',
  '4.8',
  async (site) => {
    if (site.kernel.config.revision === '4.4') return
    assert.equal(await send(site, { address: '1.2.3' }), [400, { address: '1.2.3 is not a valid IP address.' }])
    assert.is((await send(site, { address: '1.2.3.4' }))[0], 200)
  },
  async (site) =>
    assert.equal(await send(site, { address: '1.2.3' }), [400, { address: 'address is not a valid IP address.' }]),
)

row(
  'an empty string is an empty object',
  '5.4',
  async (site) => {
    if (site.kernel.config.revision === '4.4') return
    assert.equal(await send(site, { map: '' }), [400, { map: 'map is not of type object.' }])
    assert.is((await send(site, { map: {} }))[0], 200)
  },
  async (site) => assert.is((await send(site, { map: '' }))[0], 200),
)

row(
  'spec 9.table.8: a string for an internal request is its path',
  '5.3',
  async ({ kernel: { server } }) => {
    const { data } = await server.dispatch('/third/v1/it?name=x')
    assert.ok('namespaces' in (data as object), 'empty parameters for the root')
  },
  async ({ kernel: { server } }) => {
    assert.is(((await server.dispatch('/third/v1/it?name=x')).data as Params)['a'], 1)
  },
)

const embedded = async (site: Site, value: string) =>
  Object.keys(((await site.json(`/third/v1/linked?_embed=${value}`)) as { _embedded?: object })._embedded ?? {})

row(
  'spec 9.table.9: _embed selects relations',
  '5.4',
  async (site) => {
    for (const value of ['', 'one', 'nothing', '0']) assert.equal(await embedded(site, value), ['one', 'two'], value)
  },
  async (site) => {
    assert.equal(await embedded(site, ''), ['one', 'two'])
    assert.equal(await embedded(site, 'one'), ['one'])
    assert.equal(await embedded(site, 'nothing'), [])
  },
)

row(
  'spec 9.table.10: search and preload are available',
  '5.0',
  async (site) => {
    assert.is((await site.get('/svc/v2/search')).status, 404)
    assert.is(site.kernel.services.preload, undefined)
  },
  async (site) => {
    assert.is((await site.get('/svc/v2/search')).status, 200)
    assert.type(site.kernel.services.preload, 'function')
  },
)

const selfOf = async (site: Site) => (await site.json('/svc/v2/users/1', as('administrator', 1)))._links.self[0]

row(
  'self links list the methods that the user can use',
  '6.9',
  async (site) => assert.not('targetHints' in (await selfOf(await withUser(site)))),
  async (site) =>
    assert.equal((await selfOf(await withUser(site))).targetHints, {
      allow: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    }),
)

row(
  'avatar URLs use SHA-256',
  '6.9',
  async ({ kernel }) => assert.match(kernel.services.avatars.url('a@b.example', 24), /avatar\/[0-9a-f]{32}\?/),
  async ({ kernel }) => assert.match(kernel.services.avatars.url('a@b.example', 24), /avatar\/[0-9a-f]{64}\?/),
)

row(
  'the index contains the front page, and links only if selected',
  '7.1',
  async (site) => assert.not('show_on_front' in (await site.json('/?_fields=name,show_on_front'))),
  async (site) => assert.equal(Object.keys(await site.json('/?_fields=name,show_on_front')), ['name', 'show_on_front']),
)

row(
  'settings have labels',
  '6.9',
  async (site) => assert.not('title' in (await settingsOf(site))['posts_per_page']!),
  async (site) => assert.is((await settingsOf(site))['posts_per_page']!['title'], 'Posts per page'),
)

async function settingsOf(site: Site): Promise<Record<string, Record<string, unknown>>> {
  const response = await site.request('/svc/v2/settings', { method: 'OPTIONS' })
  return ((await response.json()) as { schema: { properties: Record<string, Record<string, unknown>> } }).schema
    .properties
}

/** Creates a user with the ID 1. */
async function withUser(site: Site): Promise<Site> {
  await site.kernel.services.users.create({ login: 'admin', email: 'admin@site.example', password: 'a long one' })
  return site
}

/** A named group as parsed by clients that do not support nested groups: it ends at the first closing parenthesis. */
const NAMED_PART = /\(\?P<([^>]+)>([^)]*\)?\??)\)/g

/** Checks that clients can build URLs from the routes in the index. */
async function checkRoutes(site: Site): Promise<void> {
  const { routes } = await indexOf(site)
  for (const route of Object.keys(routes)) {
    const literal = route.replaceAll(NAMED_PART, (_part, _name, pattern: string) => {
      assert.not.throws(() => new RegExp(`^${pattern}$`, 'i'), route)
      return ''
    })
    assert.not.match(literal, /[()?*+[\]|]/, route)
  }
}

revisions('support batches on the routes that clients expect', async () => {
  const both = (bases: string) => bases.split(' ').flatMap((base) => [base, `${base}/ID`])
  const content = both('posts pages blocks navigation menu-items categories tags menus svc_pattern_category')
  const inLatest = [...content, ...both('users widgets')]
  assert.equal(await batchedIn('latest'), {
    supporting: inLatest.toSorted(),
    refusing: ['global-styles/ID', 'global-styles/themes/ID', 'global-styles/themes/ID/variations'],
  })
  assert.not((await batchedIn('6.5')).supporting.includes('users'))
})

/** Returns the routes that declare batch support, with `ID` for their variable parts. */
async function batchedIn(revision: Revision): Promise<{ supporting: string[]; refusing: string[] }> {
  await using site = await serve({ revision })
  const { routes } = await indexOf(site)
  const routesWith = (v1: boolean) =>
    Object.entries(routes)
      .filter(([, { endpoints }]) => endpoints.every(({ allow_batch: batch }) => batch?.v1 === v1))
      .map(([route]) => route.replace('/svc/v2/', '').replace(NAMED_PART, 'ID'))
      .toSorted()
  return { supporting: routesWith(true), refusing: routesWith(false) }
}

const indexOf = async (site: Site) => (await (await fetch(site.kernel.urls.rest())).json()) as Described

interface Described {
  routes: Record<string, { endpoints: { allow_batch?: { v1: boolean } }[] }>
}

revisions('include each default plugin from its version on, and routes that clients can parse', async () => {
  for (const revision of REVISIONS) {
    await using site = await serve({ revision })
    await checkRoutes(site)
    await using inOtherWords = await serve({ revision, word: 'wp' })
    await checkRoutes(inOtherWords)
    const there = new Set(site.kernel.plugins.map(({ slot }) => slot))
    for (const { name, since } of defaults) {
      if (since !== undefined) assert.is(there.has(name), hasSince(revision, since), `${name} in ${revision}`)
    }
  }
})

revisions('can be overridden by the config', async () => {
  await using site = await serve({
    revision: '4.4',
    plugins: { search: true, fields: true, deprecation: { always: false } },
  })
  assert.is((await site.get('/svc/v2/search')).status, 200)
  assert.equal(Object.keys(await site.json('/svc/v2/types/post?_fields=slug')), ['slug'])
  const deprecation = site.kernel.plugins.find(({ slot }) => slot === 'deprecation')
  assert.is(deprecation?.options['always'], false)
})

revisions('restore the URLs when the plugin old-addresses is removed', async () => {
  let context: PluginContext | undefined
  const seen = definePlugin({ name: 'seen', apply: (pluginContext) => void (context = pluginContext) })
  await using site = await serve({ add: [seen], revision: '4.4' })
  await removePlugin(site.kernel, 'old-addresses')
  assert.is(context!.urls.scheme, 'rest')
  assert.is((await site.get('/svc/v2/types/')).status, 200)
})

revisions.run()
