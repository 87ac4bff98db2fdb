import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ensureResponse, RestError, RestResponse } from '../../../kernel/index.ts'
import { bare, plugin } from '../bare.ts'

const responses = suite('responses')

responses('wrap data of a handler; errors and responses are returned unchanged (4.4, rule 3)', () => {
  const response = new RestResponse('a', 201)
  const error = new RestError('rest_no', 'No.', { status: 418 })
  assert.is(ensureResponse(response), response)
  assert.is(ensureResponse(error), error)
  for (const value of [{ a: 1 }, [1], 'text', 3, true, null, undefined]) {
    const ensured = ensureResponse(value)
    assert.instance(ensured, RestResponse)
    assert.equal(
      [(ensured as RestResponse).status, (ensured as RestResponse).data],
      [200, value === undefined ? null : value],
    )
  }
})

responses('add one or several links per relation, and remove one or all of them', () => {
  const response = new RestResponse({})
  response.addLink('self', 'http://a/1')
  response.addLinks({
    author: { href: 'http://a/2', embeddable: true },
    term: [{ href: 'http://a/3' }, { href: 'http://a/4' }],
  })
  response.removeLink('term', 'http://a/3')
  response.removeLink('self')
  assert.equal(Object.fromEntries(response.links), {
    author: [{ embeddable: true, href: 'http://a/2' }],
    term: [{ href: 'http://a/4' }],
  })
})

responses('encode URLs so that they cannot break the Link header', () => {
  const response = new RestResponse()
  response.linkHeader('next', 'http://a/\r\nX-Evil: 1>; rel="x"?ü=1')
  response.linkHeader('alternate', 'http://a/2', { type: 'text/html', title: 'Ü' })
  const header = response.headers.get('link')!
  assert.match(header, /^<http:\/\/a\/%0D%0AX-Evil:%201%3E;%20rel=%22x%22\?%C3%BC=1>; rel="next", <http:\/\/a\/2>;/)
  assert.match(header, /; rel="alternate"; type=text\/html; title="%C3%9C"$/)
})

/** Requests `/svc-json/test/v1/it` from a site whose handler is `callback`. */
const answering = (callback: () => unknown) =>
  plugin('test', ({ hooks }) => {
    hooks.rest_api_init.tap('test', (server) => {
      server.registerRoute('test/v1', 'it', { permission_callback: () => true, callback })
    })
  })

responses('list further errors of the same request', async () => {
  const error = new RestError('rest_first', 'The first.', { status: 400, param: 'a' })
  error.additional.push(new RestError('rest_second', 'The second.', { status: 409 }))
  await using site = await bare([answering(() => error)])
  const { status, json } = await site.raw('/svc-json/test/v1/it')
  assert.is(status, 400)
  assert.equal(json, {
    code: 'rest_first',
    message: 'The first.',
    data: { status: 400, param: 'a' },
    additional_errors: [{ code: 'rest_second', message: 'The second.', data: { status: 409 } }],
  })
})

responses('send headers that plugins set, in the handler and after it', async () => {
  const late = plugin('late', ({ hooks }) => {
    hooks.rest_post_dispatch.tap('late', (response) => {
      response.headers.append('X-Made-By', 'post-dispatch')
      return response
    })
    hooks.rest_pre_serve_request.tap('late', (served, { response }) => {
      response.headers.append('x_made_by', 'pre-serve')
      return served
    })
  })
  await using site = await bare([answering(() => new RestResponse('a', 200, { 'X-Made-By': 'handler' })), late])
  const { headers } = await site.raw('/svc-json/test/v1/it')
  assert.is(headers['x-made-by'], 'handler, post-dispatch, pre-serve')
})

responses.run()
