import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { HookRegistry, branding } from '../../../bin/config/index.ts'
import { ensureRequest, RestRequest, Urls, VISITOR } from '../../../kernel/index.ts'
import { parseFields } from '../../../plugins/resources/index.ts'
import { kernelHooks } from '../../../kernel/hooks.ts'

const requests = suite('requests')

requests('read a parameter from the path, JSON, form, query and defaults, in this order', () => {
  const request = new RestRequest('POST', '/x', {
    json: { a: 'json', b: 'json', c: 'json' },
    form: { a: 'form', b: 'form', c: 'form', d: 'form' },
    query: { a: 'query', d: 'query', e: 'query' },
  })
  request.captures = { a: 'path' }
  request.defaults = { e: 'default', f: 'default' }
  const read = ['a', 'b', 'd', 'e', 'f', 'g'].map((name) => request.get(name))
  assert.equal(read, ['path', 'json', 'form', 'query', 'default', undefined])
})

requests('never let query or body replace a capture of the path', () => {
  const request = new RestRequest('POST', '/posts/1', { json: { id: '2x' }, query: { id: '3' } })
  request.captures = { id: '1' }
  assert.is(request.get('id'), '1')
  assert.is(request.requestParams()['id'], '1')
  assert.is(request.params()['id'], '1')
})

requests('distinguish parameters of the request from default values', () => {
  const request = new RestRequest('GET', '/x', { query: { a: '' } })
  request.defaults = { b: 1 }
  assert.is(request.hasParam('a'), true)
  assert.is(request.hasParam('b'), false)
})

requests('return a parameter set by code before all sources', () => {
  const request = new RestRequest('GET', '/x', { query: { a: '1' } })
  request.set('a', 2)
  assert.is(request.get('a'), 2)
  request.useChecked({ a: 3 })
  assert.is(request.get('a'), 3)
  request.set('b', 4)
  assert.equal({ ...request.params() }, { a: 3, b: 4 })
})

requests('read no parameters from a body that is a list or a text', () => {
  assert.is(new RestRequest('POST', '/x', { json: ['a'] }).get('0'), undefined)
  assert.is(new RestRequest('POST', '/x', { json: 'text' }).get('length'), undefined)
})

requests('do not inherit parameters from Object.prototype', () => {
  const request = RestRequest.fromPath('/x?__proto__[a]=1&constructor=2')
  assert.is(request.get('toString'), undefined)
  assert.is(request.get('a'), undefined)
  assert.is(({} as Record<string, unknown>)['a'], undefined)
})

requests('are created from a path with a query', () => {
  const request = RestRequest.fromPath('svc/v2/posts/a%20b?include[]=1&include[]=2&search=c+d')
  assert.is(request.method, 'GET')
  assert.is(request.route, '/svc/v2/posts/a b')
  assert.equal({ ...request.query }, { include: ['1', '2'], search: 'c d' })
})

requests('inherit user, caches and ID of their parent', () => {
  const outside = new RestRequest('GET', '/x')
  outside.user = { ...VISITOR, id: 7 }
  outside.id = 'id'
  const inner = RestRequest.fromPath('/y', outside)
  assert.is(inner.user, outside.user)
  assert.is(inner.scope, outside.scope)
  assert.is(inner.id, 'id')
  assert.is(RestRequest.fromPath('/y').user, VISITOR)
})

requests('want every field without `_fields`', () => {
  const all = RestRequest.fromPath('/x')
  assert.is(all.fields, null)
  assert.is(all.wants('anything'), true)
  const some = RestRequest.fromPath('/x')
  some.fields = parseFields('id,title.rendered, meta')
  const included = ['id', 'title', 'title.rendered', 'title.raw', 'meta', 'meta.a', 'content'].filter((name) =>
    some.wants(name),
  )
  assert.equal(included, ['id', 'title', 'title.rendered', 'meta', 'meta.a'])
  assert.is(parseFields(', '), null)
  assert.equal(parseFields(['id', 'slug'])?.names, ['id', 'slug'])
})

requests('are created from pretty and plain URLs of the site only', () => {
  const { hooks } = new HookRegistry('svc', kernelHooks)
  const urls = new Urls(hooks, branding('svc'), 'http://site.test', 'pretty')
  const parent = new RestRequest('GET', '/')
  for (const url of [
    'http://site.test/svc-json/svc/v2/posts/a%20b?page=2',
    'http://site.test/index.php?rest_route=/svc/v2/posts/a%20b&page=2',
    'https://site.test/?page=2&rest_route=/svc/v2/posts/a+b',
    'http://site.test/?rest_route=%2Fsvc%2Fv2%2Fposts%2Fa%20b&page=2',
    'http://site.test/index.php?page=2&rest%5Froute=%2fsvc%2fv2/posts/a+b',
  ]) {
    const request = RestRequest.fromUrl(url, urls, parent)
    assert.is(request?.route, '/svc/v2/posts/a b', url)
    assert.equal({ ...request?.query }, { page: '2' }, url)
    assert.is(request?.parent, parent)
  }
  assert.is(RestRequest.fromUrl('http://site.test/2025/hello/', urls), null)
  assert.is(RestRequest.fromUrl('http://other.test/svc-json/', urls), null)
})

requests('are created from the input of an internal dispatch: a request, a path or parameters (4.4, rule 4)', () => {
  const original = new RestRequest('POST', '/a')
  assert.is(ensureRequest(original), original)
  const ofPath = ensureRequest('/a/b?c=d', original)
  assert.equal([ofPath.method, ofPath.route, { ...ofPath.query }], ['GET', '/a/b', { c: 'd' }])
  assert.is(ofPath.parent, original)
  const ofParams = ensureRequest({ c: 'd' })
  assert.equal([ofParams.method, ofParams.route, { ...ofParams.query }], ['GET', '/', { c: 'd' }])
  for (const nothing of [null, undefined, 3, ['a'], true]) {
    const request = ensureRequest(nothing)
    assert.equal([request.method, request.route, { ...request.query }], ['GET', '/', {}])
  }
})

requests.run()
