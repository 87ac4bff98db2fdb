import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RestError, RestResponse, type EndpointGroup } from '../../../kernel/index.ts'
import { bare, IT, open, plugin, routed } from '../bare.ts'

const dispatching = suite('dispatch')

dispatching('wraps data of a handler in a response, and passes responses and errors on', async () => {
  const answers = [{ a: 1 }, null, new RestResponse('made', 201), new RestError('rest_no', 'No.', { status: 418 })]
  for (const [answer, status, body] of [
    [answers[0], 200, '{"a":1}'],
    [answers[1], 200, ''],
    [answers[2], 201, '"made"'],
    [answers[3], 418, '{"code":"rest_no","message":"No.","data":{"status":418}}'],
  ] as const) {
    await using site = await bare([routed({ ...open, callback: () => answer })])
    const { status: sentStatus, text } = await site.raw(IT)
    assert.equal([sentStatus, text], [status, body])
  }
})

dispatching('responds to an unexpected error with 500, logs the reason, and keeps running', async () => {
  let fails = true
  const callback = () => {
    if (fails) throw new Error('secret detail')
    return 'fine'
  }
  await using site = await bare([routed({ ...open, callback })])
  const failed = await site.raw(IT)
  assert.is(failed.status, 500)
  assert.is(failed.json.code, 'rest_internal_error')
  assert.not.match(failed.text, 'secret')
  const line = site.lines.find(({ err }) => err !== undefined)!
  assert.match(JSON.stringify(line['err']), 'secret detail')
  assert.equal([line['plugin'], line['route']], ['test', '/test/v1/it'])
  fails = false
  assert.is((await site.raw(IT)).text, '"fine"')
})

for (const hook of [
  'determine_current_user',
  'rest_pre_dispatch',
  'rest_request_before_callbacks',
  'rest_dispatch_request',
  'rest_request_after_callbacks',
  'rest_post_dispatch',
  'rest_pre_serve_request',
  'rest_pre_echo_response',
  'rest_encoded_response',
  'rest_route_of_address',
] as const) {
  dispatching(`S42: responds with 500 if a tap of ${hook} throws, and logs plugin and hook`, async () => {
    const throwing = plugin('culprit', ({ hooks }) => {
      ;(hooks[hook] as { tap(name: string, fn: () => never): void }).tap('culprit', () => {
        throw new Error('out of paper')
      })
    })
    await using site = await bare([routed({ ...open, callback: () => 1 }), throwing])
    const answer = await site.raw(IT)
    assert.is(answer.status, 500)
    assert.is(answer.json.code, 'rest_internal_error')
    assert.is(answer.headers['content-type'], 'application/json; charset=UTF-8')
    assert.not.match(answer.text, 'paper')
    const line = site.lines.find(({ msg }) => msg === `culprit failed in hook ${hook}.`)
    assert.match(JSON.stringify(line), 'out of paper')
    assert.is(
      (await site.raw('/')).status,
      hook === 'rest_route_of_address' || hook === 'determine_current_user' ? 500 : 404,
    )
  })
}

dispatching('logs a tap that fails within an endpoint under the plugin of the tap, not of the endpoint', async () => {
  const culprit = plugin('culprit', ({ hooks }) => {
    const fail = () => {
      throw new Error('out of paper')
    }
    hooks.rest_pre_echo_response.tap('culprit', (data, _server, { query }) => (query['late'] ? fail() : data))
    hooks.rest_request_before_callbacks.tapPromise('culprit', async (result, _endpoint, { route }) =>
      route === '/inner/v1/it' ? fail() : result,
    )
    hooks.rest_dispatch_request.tap('culprit', (result, { query }) => (query['instead'] ? fail() : result))
  })
  const inner = plugin('inner', ({ hooks }) => {
    hooks.rest_api_init.tap('inner', (server) => {
      server.registerRoute('inner/v1', 'it', { ...open, callback: () => 'inner' })
      const callback = async () => (await server.dispatch('/inner/v1/it')).data
      server.registerRoute('inner/v1', 'outer', { ...open, callback })
    })
  })
  await using site = await bare([routed({ ...open, callback: () => 'fine' }), inner, culprit])
  for (const [path, hook, route] of [
    [`${IT}?instead=1`, 'rest_dispatch_request', '/test/v1/it'],
    [`${IT}?late=1`, 'rest_pre_echo_response', '/test/v1/it'],
    ['/svc-json/inner/v1/outer', 'rest_request_before_callbacks', '/inner/v1/it'],
  ]) {
    site.lines.length = 0
    await site.raw(path!)
    const failures = site.lines.filter(({ err }) => err !== undefined)
    assert.equal(
      failures.map(({ msg, plugin: named, route: of }) => [msg, named, of]),
      [[`culprit failed in hook ${hook}.`, 'culprit', route]],
      path,
    )
  }
})

dispatching('keeps headers that were set before a tap failed', async () => {
  const throwing = plugin('culprit', ({ hooks }) => {
    hooks.rest_pre_serve_request.tap('first', (served, { response }) => {
      response.headers.set('Access-Control-Allow-Origin', 'https://a.example')
      return served
    })
    hooks.rest_pre_echo_response.tap('second', () => {
      throw new Error('no')
    })
  })
  await using site = await bare([routed({ ...open, callback: () => 1 }), throwing])
  assert.is((await site.raw(IT)).headers['access-control-allow-origin'], 'https://a.example')
})

dispatching('responds with 500 to data that cannot be encoded as JSON', async () => {
  const circle: Record<string, unknown> = {}
  circle['self'] = circle
  await using site = await bare([routed({ ...open, callback: () => circle })])
  assert.is((await site.raw(IT)).status, 500)
})

dispatching(
  'permits only true, else responds with 401 to visitors, 403 to users, or the error of the check',
  async () => {
    const refusal = new RestError('rest_custom', 'Not you.', { status: 402 })
    const userPlugin = plugin('user-by-header', ({ hooks }) => {
      hooks.determine_current_user.tap('user-by-header', (user, request) =>
        request.headers.has('x-user') ? { ...user, id: 3 } : user,
      )
    })
    for (const [verdict, visitor, userStatus, code] of [
      [false, 401, 403, 'rest_forbidden'],
      [1, 401, 403, 'rest_forbidden'],
      [undefined, 401, 403, 'rest_forbidden'],
      [refusal, 402, 402, 'rest_custom'],
      [Promise.resolve(false), 401, 403, 'rest_forbidden'],
    ] as const) {
      const permission_callback = (() => verdict) as never
      await using site = await bare([userPlugin, routed({ permission_callback, callback: () => 'secret' })])
      const asVisitor = await site.raw(IT)
      const asUser = await site.raw(IT, { headers: { 'x-user': '1' } })
      assert.equal([asVisitor.status, asUser.status, asUser.json.code], [visitor, userStatus, code])
    }
  },
)

dispatching('checks arguments before the permission, and the permission before the handler', async () => {
  const order: string[] = []
  const group: EndpointGroup = {
    args: { n: { type: 'integer' } },
    permission_callback: (request) => {
      order.push(`permission ${typeof request.get('n')}`)
      return true
    },
    callback: () => void order.push('handler'),
  }
  await using site = await bare([
    routed(group, ({ hooks }) => {
      hooks.rest_request_before_callbacks.tap('test', (result) => (order.push('before'), result))
      hooks.rest_dispatch_request.tap('test', () => void order.push('dispatch'))
      hooks.rest_request_after_callbacks.tap('test', (result) => (order.push('after'), result))
    }),
  ])
  await site.raw(`${IT}?n=5`)
  assert.equal(order, ['before', 'permission number', 'dispatch', 'handler', 'after'])
  assert.is((await site.raw(`${IT}?n=x`)).json.code, 'rest_invalid_param')
})

dispatching('lets taps respond in place of a route or a handler, or refuse the request', async () => {
  await using site = await bare([
    routed({ ...open, callback: () => 'handler' }, ({ hooks }) => {
      hooks.rest_pre_dispatch.tap('test', (result, _server, request) =>
        request.query['early'] ? { early: true } : result,
      )
      hooks.rest_request_before_callbacks.tap('test', (result, _endpoint, request) =>
        request.query['refuse'] ? new RestError('rest_refused', 'No.', { status: 409 }) : result,
      )
      hooks.rest_dispatch_request.tap('test', (result, request) => (request.query['instead'] ? 'instead' : result))
    }),
  ])
  assert.is((await site.raw(`${IT}?early=1`)).text, '{"early":true}')
  assert.is((await site.raw(`${IT}?refuse=1`)).status, 409)
  assert.is((await site.raw(`${IT}?instead=1`)).text, '"instead"')
  assert.is((await site.raw(IT)).text, '"handler"')
})

dispatching.run()
