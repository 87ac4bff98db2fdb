import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { allowsMethod, makeRoute } from '../../../kernel/index.ts'
import { failureOf } from '../failure.ts'

const routes = suite('routes')

const callback = () => null

routes('trim and join the slashes of namespace and path', () => {
  assert.is(makeRoute('/blog/v1/', '/posts/', { callback }).pattern, '/blog/v1/posts')
  assert.is(makeRoute('blog/v1', '', { callback }).pattern, '/blog/v1')
  assert.is(makeRoute('', '/', { callback }).pattern, '/')
})

routes('show captures in one form', () => {
  assert.is(makeRoute('a/v1', 'x/(?<id>[\\d]+)', { callback }).pattern, '/a/v1/x/(?P<id>[\\d]+)')
  assert.is(makeRoute('a/v1', 'x/(?P<id>[\\d]+)', { callback }).pattern, '/a/v1/x/(?P<id>[\\d]+)')
  assert.is(makeRoute('a/v1', 'x/(?<=y)(?<!z)', { callback }).pattern, '/a/v1/x/(?<=y)(?<!z)')
})

routes('accept one endpoint, a list or numbered endpoints', () => {
  assert.is(makeRoute('a', 'x', { callback }).endpoints.length, 1)
  assert.is(makeRoute('a', 'x', [{ callback }, { methods: 'POST', callback }]).endpoints.length, 2)
  const numbered = makeRoute('a', 'x', { 0: { callback }, 1: { methods: 'POST', callback }, 'x-note': 'kept' })
  assert.is(numbered.endpoints.length, 2)
  assert.equal(numbered.options, { 'x-note': 'kept' })
})

routes('handle GET by default, and HEAD like GET', () => {
  const [get, write] = makeRoute('a', 'x', [{ callback }, { methods: 'post, PUT', callback }]).endpoints
  assert.equal(get!.methods, ['GET'])
  assert.equal(write!.methods, ['POST', 'PUT'])
  assert.is(allowsMethod(get!, 'HEAD'), true)
  assert.is(allowsMethod(write!, 'HEAD'), false)
})

routes('share arguments among endpoints, which can add their own', () => {
  const route = makeRoute('a', 'x', {
    args: { id: { type: 'integer' }, context: { default: 'view' } },
    0: { callback, args: { context: { default: 'edit' } } },
    1: { methods: 'POST', callback },
  })
  assert.equal(
    route.endpoints.map(({ args }) => Object.keys(args)),
    [
      ['id', 'context'],
      ['id', 'context'],
    ],
  )
  assert.equal(
    route.endpoints.map(({ defaults }) => defaults['context']),
    ['edit', 'view'],
  )
})

routes('are refused at registration if their pattern is not a regular expression', async () => {
  const error = await failureOf(() => makeRoute('a/v1', 'x/(?P<id', { callback }))
  assert.is(error.code, 'ROUTE_INVALID')
  assert.match(error.message, 'Invalid capture group name')
})

routes('are refused without an endpoint or a valid callback', async () => {
  assert.is((await failureOf(() => makeRoute('a', 'x', { callback: 5 as never }))).code, 'ROUTE_INVALID')
  assert.is((await failureOf(() => makeRoute('a', 'x', {}))).code, 'ROUTE_INVALID')
})

routes.run()
