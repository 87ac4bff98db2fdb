import * as assert from 'uvu/assert'
import { definePlugin } from '../../kernel/index.ts'
import type { Preloaded } from '../../plugins/responses/preload.ts'
import { PostsController } from '../../plugins/content/posts/index.ts'
import { TermsController } from '../../plugins/content/terms/index.ts'
import { datePair } from '../../plugins/resources/index.ts'
import { as, CONTENT_PLUGINS, serve, startOnly, type Site } from '../helpers/site.ts'
import { BEFORE, echo, ITEM, specSuite } from './spec-suite.ts'

const FAMILIES = [
  'revisions',
  'autosaves',
  'taxonomies',
  'search',
  'blocks',
  'themes',
  'preload',
  'cors',
  'users',
  'core-blocks',
]
startOnly(...CONTENT_PLUGINS, ...FAMILIES)

const { spec, siteOf } = specSuite('1 and 2')

const routesOf = async (site: Site) => Object.keys((await site.json('/')).routes as object)
const hasRoute = async (site: Site, pattern: RegExp) => (await routesOf(site)).some((route) => pattern.test(route))

spec('spec 1.1: serves JSON over HTTP through routes in namespaces', async () => {
  const site = await siteOf()
  const response = await site.get('/things/v1/item')
  assert.match(response.headers.get('content-type')!, /^application\/json/)
  assert.equal(await response.json(), ITEM)
  assert.ok((await site.json('/')).namespaces.includes('things/v1'))
})

spec('spec 1.2: lets a route have endpoints with methods, handler, arguments and permission check', async () => {
  const site = await siteOf()
  assert.is(await site.json('/things/v1/guarded'), 'read')
  const write = (headers = {}) => site.request('/things/v1/guarded', { method: 'POST', headers })
  assert.is((await write()).status, 401)
  assert.is(await (await write(as('administrator'))).json(), 'written')
})

spec('spec 1.3: dispatches to the endpoint with checked and cast arguments, and completes the response', async () => {
  const site = await siteOf()
  const { status, params } = await echo(site, { count: '3' })
  assert.equal([status, params], [200, { count: 3, id: 'x' }])
  assert.is((await echo(site, { count: 'x' })).status, 400)
  const selected = await site.get('/things/v1/item?_fields=id', { origin: 'https://a.test' })
  assert.is(selected.headers.get('allow'), 'GET')
  assert.is(selected.headers.get('access-control-allow-origin'), 'https://a.test')
  assert.equal(await selected.json(), { id: 1 })
  assert.is((await echo(await siteOf({ revision: '4.4' }), { count: 'x' })).status, 200)
})

spec('spec 1.4: serves every default family', async () => {
  const site = await siteOf()
  const routes = new Set((await routesOf(site)).map((route) => route.replace('/svc/v2/', '')))
  const families = 'posts pages media types statuses taxonomies categories tags users comments search settings themes'
  for (const family of families.split(' ')) assert.ok(routes.has(family), family)
  for (const part of ['/revisions', '/autosaves', 'block-renderer/'])
    assert.ok(
      [...routes].some((route) => route.includes(part)),
      part,
    )
  for (const revision of BEFORE['5.0'])
    assert.not((await routesOf(await siteOf({ revision }))).includes('/svc/v2/search'), revision)
})

/** Registers fields for posts and comments, and keeps written values. */
const fields = (written: unknown[]) =>
  definePlugin({
    name: 'fields',
    needs: ['extra-fields', 'posts'],
    apply({ services: { extraFields } }) {
      extraFields.register(['post', 'category'], 'shade', {
        get_callback: (data) => `of ${String(data['id'])}`,
        schema: { type: 'string', context: ['view'] },
      })
      extraFields.register('post', 'silent', {
        update_callback: (value, object: { id: number }) => void written.push([value, object.id]),
        schema: { type: 'integer' },
      })
      extraFields.register('post', 'bare', { get_callback: () => 'old' })
      extraFields.register('post', 'bare', { get_callback: () => 'new', override: true })
    },
  })

const post = (site: Site, body: object) =>
  site.request('/svc/v2/posts', {
    method: 'POST',
    headers: { ...as('administrator'), 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'publish', title: 'A', ...body }),
  })

/** Creates a post on a site with these fields. */
async function withFields(options: object = {}) {
  const written: unknown[] = []
  const site = await serve({ add: [fields(written)], ...options })
  const created = (await (await post(site, { silent: 5, bare: 'x', shade: 'y' })).json()) as Record<string, unknown>
  const options_ = await site.request('/svc/v2/posts', { method: 'OPTIONS' })
  const { properties } = ((await options_.json()) as { schema: { properties: Record<string, unknown> } }).schema
  return { site, created, written, properties }
}

spec('spec 1.5: shows and writes fields that plugins add to objects', async () => {
  const { site, created, written } = await withFields()
  await using _site = site
  assert.is(created['bare'], 'new')
  assert.equal(written, [[5, created['id']]])
})

spec('spec 2.2.table.1: registers a field for one object type or several', async () => {
  const { site, created } = await withFields()
  await using _site = site
  assert.is((await site.json(`/svc/v2/posts/${String(created['id'])}`)).shade, `of ${String(created['id'])}`)
  const { id } = await site.kernel.services.terms.create({ taxonomy: 'category', name: 'Green' })
  const category = await site.json(`/svc/v2/categories/${id}`)
  assert.equal([category.shade, category.bare], [`of ${id}`, undefined])
  const old = await withFields({ revision: '4.4' })
  await using _old = old.site
  assert.equal([old.created['shade'], old.created['bare'], old.written.length], [undefined, undefined, 0])
})

spec('spec 2.2.table.2: names the field by its attribute', async () => {
  const { site, created, properties } = await withFields()
  await using _site = site
  assert.ok('bare' in created && 'shade' in properties)
})

spec('spec 2.2.table.3: passes the prepared object to get_callback, and shows no field without it', async () => {
  const { site, created } = await withFields()
  await using _site = site
  assert.not('silent' in created)
  assert.is((await site.json(`/svc/v2/posts/${String(created['id'])}`)).shade, `of ${String(created['id'])}`)
})

spec('spec 2.2.table.4: passes the stored object to update_callback, and writes no field without it', async () => {
  const { site, created, written } = await withFields()
  await using _site = site
  assert.equal(written, [[5, created['id']]])
  assert.is(created['bare'], 'new')
})

spec('spec 2.2.table.5: describes a field by its schema, and not at all without one', async () => {
  const { site, properties } = await withFields()
  await using _site = site
  assert.equal((properties['shade'] as { type: string }).type, 'string')
  assert.not('bare' in properties)
})

spec('spec 2.2.1: lets a later registration of a type and an attribute replace the earlier one', async () => {
  const { site, created } = await withFields()
  await using _site = site
  assert.is(created['bare'], 'new')
})

spec('spec 1.6: preloads responses by internal requests', async () => {
  const { kernel } = await siteOf()
  const { body } = (await kernel.services.preload(['/things/v1/item']))['/things/v1/item'] as Preloaded
  assert.equal(body, ITEM)
  for (const revision of BEFORE['5.0'])
    assert.is((await siteOf({ revision })).kernel.services.preload, undefined, revision)
})

class OwnPosts extends PostsController {}
class OwnTerms extends TermsController {}

/** Content types and taxonomies with usable and unusable controllers. */
const registered = definePlugin({
  name: 'registered',
  needs: ['content-types', 'taxonomies', 'posts', 'terms'],
  apply({ services: { contentTypes, taxonomies } }) {
    const shown = { public: true, show_in_rest: true }
    contentTypes.register('book', { ...shown, supports: ['title', 'editor', 'revisions', 'author'] })
    contentTypes.register('plain', { ...shown, supports: ['title', 'author'] })
    contentTypes.register('own', { ...shown, rest_controller_class: OwnPosts })
    contentTypes.register('hidden', { public: true })
    taxonomies.register('genre', 'book', shown)
    taxonomies.register('owned', 'book', { ...shown, rest_controller_class: OwnTerms })
    taxonomies.register('secret', 'book', { public: true })
    for (const [at, unusable] of [false, class {}, 'Nobody'].entries()) {
      contentTypes.register(`bad${at}`, { ...shown, rest_controller_class: unusable as never })
      taxonomies.register(`wrong${at}`, 'book', { ...shown, rest_controller_class: unusable as never })
    }
  },
})

/** Returns whether each of these paths has a route. */
async function served(paths: readonly string[]): Promise<boolean[]> {
  await using site = await serve({ add: [registered] })
  const routes = await routesOf(site)
  return paths.map((path) => routes.some((route) => route.startsWith(`/svc/v2/${path}`)))
}

spec('spec 2.1.table.1: serves types that opt in, with their own controller if it is usable', async () => {
  assert.equal(await served(['book', 'own', 'hidden', 'bad0', 'bad1', 'bad2']), [
    true,
    true,
    false,
    false,
    false,
    false,
  ])
})

spec('spec 2.1.table.2: serves revisions of types that support them', async () => {
  assert.equal(await served(['book/(?P<parent>[\\d]+)/revisions', 'plain/(?P<parent>[\\d]+)/revisions']), [true, false])
})

spec('spec 2.1.table.3: serves autosaves of every type except attachment', async () => {
  const autosaves = (base: string) => `${base}/(?P<id>[\\d]+)/autosaves`
  assert.equal(await served(['posts', 'book', 'plain', 'media'].map(autosaves)), [true, true, true, false])
})

const family = (number: string, name: string, pattern: RegExp, path: string, user = false) =>
  spec(`spec ${number}: serves ${name}`, async () => {
    const site = await siteOf()
    assert.ok(await hasRoute(site, pattern))
    assert.is((await site.get(path, user ? as('administrator') : {})).status, 200)
  })

family('2.1.table.4', 'content types', /\/types\/\(/, '/svc/v2/types')
family('2.1.table.5', 'content statuses', /\/statuses\/\(/, '/svc/v2/statuses')
family('2.1.table.6', 'taxonomies', /\/taxonomies\/\(/, '/svc/v2/taxonomies')
family('2.1.table.8', 'users', /\/users\/\(/, '/svc/v2/users')
family('2.1.table.9', 'comments', /\/comments\/\(/, '/svc/v2/comments')
family(
  '2.1.table.11',
  'rendered blocks',
  /\/block-renderer\//,
  '/svc/v2/block-renderer/core/archives?context=edit',
  true,
)
family('2.1.table.12', 'settings', /\/settings$/, '/svc/v2/settings', true)
family('2.1.table.13', 'themes', /\/themes/, '/svc/v2/themes', true)

spec(
  'spec 2.1.table.7: serves taxonomies that opt in, if their own controller extends the base controller',
  async () => {
    const paths = ['genre', 'owned', 'secret', 'wrong0', 'wrong1', 'wrong2']
    assert.equal(await served(paths), [true, true, false, false, false, false])
  },
)

spec('spec 2.1.table.10: searches by a list of handlers, which a filter can replace', async () => {
  const typesOf = async (site: Site) => {
    const { routes } = await site.json('/')
    return routes['/svc/v2/search'].endpoints[0].args.type.enum as string[]
  }
  assert.equal(await typesOf(await siteOf()), ['post', 'term', 'post-format'])
  for (const revision of ['5.0', '5.3', '5.4']) assert.equal(await typesOf(await siteOf({ revision })), ['post'])
  const reduced = definePlugin({
    name: 'reduced',
    needs: ['search'],
    apply: ({ hooks }) => hooks.svc_rest_search_handlers.tap('reduced', (handlers) => handlers.slice(1, 2)),
  })
  await using site = await serve({ add: [reduced] })
  assert.equal(await typesOf(site), ['term'])
})

/** Returns the avatars of a comment by an author with an email address. */
const avatarsOf = ({ kernel }: Site) => kernel.services.avatars.urls('a@b.example')

spec('spec 2.3.1: maps sizes in pixels to URLs of avatars', async () => {
  for (const [size, url] of Object.entries(avatarsOf(await siteOf()))) {
    assert.ok(Number.isInteger(Number(size)))
    assert.ok(URL.canParse(url))
  }
})

spec('spec 2.3.2: has avatars of 24, 48 and 96 pixels by default', async () => {
  assert.equal(Object.keys(avatarsOf(await siteOf())), ['24', '48', '96'])
})

spec('spec 2.3.3: lets rest_avatar_sizes replace the sizes', async () => {
  await using site = await serve()
  site.kernel.hooks.rest_avatar_sizes.tap('test', () => [7, 512])
  assert.equal(Object.keys(avatarsOf(site)), ['7', '512'])
})

spec('spec 2.4.1: has pairs of local time and UTC in the format Y-m-d H:i:s', () => {
  assert.equal(datePair('2025-07-01T10:00:00Z', 'Europe/Berlin'), ['2025-07-01 12:00:00', '2025-07-01 10:00:00'])
})

spec.run()
