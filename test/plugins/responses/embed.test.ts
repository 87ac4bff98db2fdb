import { setImmediate as turn } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { authorizationStatus, definePlugin, RestError, RestResponse, type RestRequest } from '../../../kernel/index.ts'
import { fragmentsOf } from '../../../plugins/library/caching/index.ts'
import { addPosts, addTerm } from '../../helpers/content.ts'
import { as, serve, CONTENT_PLUGINS, startOnly } from '../../helpers/site.ts'

startOnly('embed', ...CONTENT_PLUGINS)

const embed = suite('embed')

/** Requests that people and lists of books got, in their order. */
const asked: string[] = []
/** How many of them were under way at the same time. */
let under = 0
let most = 0

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
      asked.push(`${request.route} ${String(request.get('context'))} as ${request.user.id}`)
      most = Math.max(most, (under += 1))
      await turn()
      under -= 1
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

embed('keeps nothing of routes that do not say what their answers depend on', async () => {
  await using site = await serve({ add: [library] })
  fragmentsOf(site.kernel.server).keepBy({ state: () => 1, unchanged: () => true })
  fragmentsOf(site.kernel.server).keepItems()
  asked.length = 0
  const first = await site.json('/lib/v1/books?_embed')
  const count = asked.length
  assert.equal(await site.json('/lib/v1/books?_embed'), first)
  assert.is(asked.length, count * 2)
})

embed('adds what the links point at, in the context embed unless the link says otherwise', async () => {
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

embed('reads its parameter: all for nothing, true and 1, otherwise the relations named', async () => {
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

embed('asks for each URL once in a list, and for all at the same time', async () => {
  await using site = await serve({ add: [library] })
  asked.length = 0
  most = 0
  const books = (await site.json('/lib/v1/books?_embed=author')) as { _embedded: { author: [{ id: number }] } }[]
  assert.equal(
    books.slice(0, 3).map(({ _embedded }) => _embedded.author[0].id),
    [2, 1, 2],
  )
  assert.equal([...asked].sort(), ['/lib/v1/people/1 embed as 0', '/lib/v1/people/2 embed as 0'])
  assert.is(most, 2)
})

embed('puts an error where the user may not see an object, by the checks of that very user', async () => {
  await using site = await serve({ add: [library] })
  const secret = async (headers = {}) => (await site.json('/lib/v1/books/4?_embed=author', headers))._embedded.author[0]
  assert.equal(await secret(), { code: 'lib_secret', message: 'Secret.', data: { status: 401 } })
  assert.is((await secret(as('author', 7))).id, 9)
})

embed('adds lists as far as their routes give them, not their first pages', async () => {
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

embed('follows no links of what it embeds', async () => {
  await using site = await serve({ add: [library] })
  const { _embedded } = await site.json('/lib/v1/books/1?_embed')
  assert.is(_embedded.author[0]._embedded, undefined)
})

embed('goes by the links that _fields leaves', async () => {
  await using site = await serve({ add: [library] })
  const [book] = (await site.json('/lib/v1/books?_embed&_fields=id')) as [object]
  assert.equal(book, { id: 1 })
  const [linked] = (await site.json('/lib/v1/books?_embed=author&_fields=_links')) as [object]
  assert.equal(Object.keys(linked), ['_links', '_embedded'])
})

embed('works inside an envelope, in plain URLs, and for HEAD, whose ETag is that of GET', async () => {
  await using site = await serve({ add: [library], addresses: 'plain' })
  const { body } = await site.json('/lib/v1/books/1?_embed=author&_envelope')
  assert.is(body._embedded.author[0].id, 2)
  const get = await site.get('/lib/v1/books/1?_embed')
  const head = await site.request('/lib/v1/books/1?_embed', { method: 'HEAD' })
  assert.is(head.headers.get('etag'), get.headers.get('etag'))
})

embed('leaves errors alone, and everything once disabled', async () => {
  await using site = await serve({ add: [library] })
  assert.is((await site.json('/nope?_embed'))._embedded, undefined)
  await using without = await serve({ add: [library], plugins: { embed: false } })
  assert.is((await without.json('/lib/v1/books/1?_embed'))._embedded, undefined)
})

embed.run()
