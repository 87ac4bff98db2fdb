import { setImmediate as turn } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { authorizationStatus, definePlugin, RestError, RestResponse, type RestRequest } from '../../../kernel/index.ts'
import { fragmentsOf } from '../../../plugins/library/caching/index.ts'
import { addPosts, addTerm } from '../../helpers/content.ts'
import { as, serve, CONTENT_PLUGINS, startOnly } from '../../helpers/site.ts'

startOnly('embed', ...CONTENT_PLUGINS)

const embed = suite('embed')

/** Requests for people, in order. */
const requested: string[] = []
/** Current and highest number of concurrent requests. */
let current = 0
let highest = 0

/** Books with authors: `/lib/v1/books`, `/lib/v1/people/N`; person 9 is secret. */
const library = definePlugin({
  name: 'library',
  apply({ hooks, urls }) {
    const href = (path: string) => urls.rest(`/lib/v1/${path}`)
    const book = (id: number) => {
      const response = new RestResponse({ id })
      response.addLink('self', href(`books/${id}`))
      response.addLink('author', href(`people/${id === 4 ? 9 : 1 + (id % 2)}`), { embeddable: true })
      response.addLink('svc:mixed', 'http://elsewhere.test/1', { embeddable: true })
      response.addLink('svc:mixed', href('people/2'))
      response.addLink('svc:mixed', href('people/3?context=view'), { embeddable: true })
      return response
    }
    const person = async (request: RestRequest) => {
      const id = Number(request.get('id'))
      requested.push(`${request.route} ${String(request.get('context'))} as ${request.user.id}`)
      highest = Math.max(highest, (current += 1))
      await turn()
      current -= 1
      const response = new RestResponse({ id, context: request.get('context') })
      response.addLink('books', href('books'), { embeddable: true })
      return response
    }
    hooks.rest_api_init.tap('library', (server) => {
      const permission_callback = () => true
      server.registerRoute('lib/v1', 'books', {
        permission_callback,
        callback: () => [1, 2, 3, 4].map((id) => server.responseToData(book(id))),
      })
      server.registerRoute('lib/v1', 'books/(?P<id>[\\d]+)', {
        permission_callback,
        callback: (request) => book(Number(request.get('id'))),
      })
      server.registerRoute('lib/v1', 'people/(?P<id>[\\d]+)', {
        permission_callback: (request) =>
          Number(request.get('id')) !== 9 ||
          request.user.id !== 0 ||
          new RestError('lib_secret', 'Secret.', { status: authorizationStatus(request) }),
        callback: person,
      })
    })
  },
})

embed('does not cache objects of routes without declared dependencies', async () => {
  await using site = await serve({ add: [library] })
  fragmentsOf(site.kernel.server).keepBy({ state: () => 1, unchanged: () => true })
  fragmentsOf(site.kernel.server).keepItems()
  requested.length = 0
  const first = await site.json('/lib/v1/books?_embed')
  const count = requested.length
  assert.equal(await site.json('/lib/v1/books?_embed'), first)
  assert.is(requested.length, count * 2)
})

embed('embeds linked objects, in the context embed unless the link has another one', async () => {
  await using site = await serve({ add: [library] })
  const { _embedded, _links } = await site.json('/lib/v1/books/1?_embed')
  assert.equal(_embedded['author'], [
    { id: 2, context: 'embed', _links: { books: [{ embeddable: true, href: `${site.home}/svc-json/lib/v1/books` }] } },
  ])
  assert.equal(
    _embedded['svc:mixed'].map((one: { context?: string }) => one.context),
    [undefined, undefined, 'view'],
  )
  assert.equal(_embedded['svc:mixed'].slice(0, 2), [[], []])
  assert.is(_links['svc:mixed'].length, 3)
  assert.is(_embedded['self'], undefined)
})

embed('embeds all relations for an empty value, true, 1 and 0, otherwise the listed ones', async () => {
  await using site = await serve({ add: [library] })
  const relations = async (query: string) =>
    Object.keys((await site.json(`/lib/v1/books/1?${query}`))._embedded ?? {}).sort()
  const all = ['author', 'svc:mixed']
  for (const query of ['_embed', '_embed=', '_embed=true', '_embed=1', '_embed=0', '_embed=,%20', '_embed[]=']) {
    assert.equal(await relations(query), all, query)
  }
  assert.equal(await relations('_embed=author'), ['author'])
  assert.equal(await relations('_embed=svc:mixed,%20author'), all)
  assert.equal(await relations('_embed[]=author'), ['author'])
  assert.equal(await relations('_embed[a]=author'), ['author'])
  assert.equal(await relations('_embed=nope'), [])
  assert.equal(await relations('a=b'), [])
})

embed('requests each URL of a list once, and all of them concurrently', async () => {
  await using site = await serve({ add: [library] })
  requested.length = 0
  highest = 0
  const books = (await site.json('/lib/v1/books?_embed=author')) as { _embedded: { author: [{ id: number }] } }[]
  assert.equal(
    books.slice(0, 3).map(({ _embedded }) => _embedded.author[0].id),
    [2, 1, 2],
  )
  assert.equal([...requested].sort(), ['/lib/v1/people/1 embed as 0', '/lib/v1/people/2 embed as 0'])
  assert.is(highest, 2)
})

embed('embeds an error for an object that the user cannot see', async () => {
  await using site = await serve({ add: [library] })
  const secret = async (headers = {}) => (await site.json('/lib/v1/books/4?_embed=author', headers))._embedded.author[0]
  assert.equal(await secret(), { code: 'lib_secret', message: 'Secret.', data: { status: 401 } })
  assert.is((await secret(as('author', 7))).id, 9)
})

embed('embeds lists with the maximum page size of their routes', async () => {
  await using site = await serve()
  const tags = await Promise.all(
    Array.from({ length: 12 }, (_, index) => addTerm(site.store, { taxonomy: 'post_tag', name: `Tag ${index}` })),
  )
  const [post] = await addPosts(site.store, { terms: tags })
  const { _embedded } = await site.json(`/svc/v2/posts/${post}?_embed=svc:term`)
  assert.equal(
    _embedded['svc:term'].map((terms: unknown[]) => terms.length),
    [0, 12],
  )
  const { _links } = await site.json(`/svc/v2/posts/${post}?_embed=svc:term`)
  assert.not.match(JSON.stringify(_links), 'per_page')
})

embed('does not follow links of embedded objects', async () => {
  await using site = await serve({ add: [library] })
  const { _embedded } = await site.json('/lib/v1/books/1?_embed')
  assert.is(_embedded.author[0]._embedded, undefined)
})

embed('embeds only links that _fields selects', async () => {
  await using site = await serve({ add: [library] })
  const [book] = (await site.json('/lib/v1/books?_embed&_fields=id')) as [object]
  assert.equal(book, { id: 1 })
  const [linked] = (await site.json('/lib/v1/books?_embed=author&_fields=_links')) as [object]
  assert.equal(Object.keys(linked), ['_links', '_embedded'])
})

embed('works with envelopes, plain URLs and HEAD, with the ETag of GET', async () => {
  await using site = await serve({ add: [library], addresses: 'plain' })
  const { body } = await site.json('/lib/v1/books/1?_embed=author&_envelope')
  assert.is(body._embedded.author[0].id, 2)
  const get = await site.get('/lib/v1/books/1?_embed')
  const head = await site.request('/lib/v1/books/1?_embed', { method: 'HEAD' })
  assert.is(head.headers.get('etag'), get.headers.get('etag'))
})

embed('ignores errors, and does nothing if disabled', async () => {
  await using site = await serve({ add: [library] })
  assert.is((await site.json('/nope?_embed'))._embedded, undefined)
  await using without = await serve({ add: [library], plugins: { embed: false } })
  assert.is((await without.json('/lib/v1/books/1?_embed'))._embedded, undefined)
})

embed.run()
