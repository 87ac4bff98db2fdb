import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { StreamedResponse, type ResponseStream } from '../../../../plugins/library/long-work/index.ts'
import type { SentResponse } from '../../../../plugins/requests/request-hooks/index.ts'
import { until } from '../../../helpers/until.ts'
import { head, open as connect, wireRequest } from '../../../helpers/wire.ts'
import { bare, IT, open, plugin, routed } from '../../../kernel/bare.ts'
import { removePlugin } from '../../../helpers/remove-plugin.ts'

const streams = suite('streamed responses')

const TEXT = { 'Content-Type': 'text/plain' }

/** A route that responds with streams, with the started streams and the number of ended ones. */
function streaming(write: (stream: ResponseStream) => void = () => {}) {
  const started: ResponseStream[] = []
  const state = { over: 0 }
  const callback = () =>
    new StreamedResponse((stream) => {
      started.push(stream)
      write(stream)
      return () => void (state.over += 1)
    }, TEXT)
  return { started, state, endpoint: { ...open, callback } }
}

/** A connection with a request, and the bytes received so far. */
function openClient(home: string, bytes = head('GET', IT)) {
  const socket = connect(home, bytes)
  const client = { socket, text: '', isOver: false, [Symbol.dispose]: () => void socket.destroy() }
  socket.on('data', (piece: Buffer) => (client.text += piece.toString('latin1')))
  socket.on('close', () => (client.isOver = true))
  socket.on('error', () => {})
  return client
}

streams('are written in pieces, end complete or cut, and call the end function once', async () => {
  const { started, state, endpoint } = streaming((stream) => stream.write('one\n'))
  await using site = await bare([routed(endpoint)])
  using ended = openClient(site.home)
  await until(() => ended.text.includes('one\n'))
  using cut = openClient(site.home)
  await until(() => cut.text.includes('one\n'))
  started[0]!.write('two\n')
  started[0]!.end()
  started[1]!.cut()
  for (const stream of started) {
    assert.ok(stream.isOver)
    assert.is(stream.waiting, 0)
    stream.write('more')
    stream.end()
    stream.cut()
  }
  await until(() => ended.isOver && cut.isOver)
  assert.match(ended.text, /two\n\r\n0\r\n\r\n$/)
  assert.not.match(cut.text, /\r\n0\r\n/)
  assert.is(state.over, 2)
})

streams('of failing endpoints end without affecting others, and are logged', async () => {
  const fault = (): never => {
    throw new Error('of the endpoint')
  }
  const endpoints: Record<string, (stream: ResponseStream) => (() => void) | void> = {
    begin: fault,
    ended: (stream) => {
      setImmediate(() => stream.end())
      return fault
    },
    before: (stream) => {
      stream.end()
      return fault
    },
    drain: (stream) => {
      stream.write('x'.repeat(5_000_000))
      stream.onDrain(fault)
    },
    left: () => fault,
  }
  await using site = await bare([
    routed({ ...open, callback: ({ query }) => new StreamedResponse(endpoints[String(query['way'])]!, TEXT) }),
  ])
  const failures = () => site.lines.filter(({ msg }) => msg === 'a streamed response failed').length
  for (const [index, name] of Object.keys(endpoints).entries()) {
    using client = openClient(site.home, head('GET', `${IT}?way=${name}`))
    await until(() => client.text.startsWith('HTTP/1.1 200'))
    if (name === 'left') client.socket.destroy()
    await until(() => failures() === index + 1 && client.isOver)
  }
})

streams('close the connection of a client that receives nothing, and call the end function', async () => {
  const { started, state, endpoint } = streaming()
  await using site = await bare([routed(endpoint)])
  using client = openClient(site.home)
  await until(() => started.length === 1)
  client.socket.pause()
  const [stream] = started
  await until(() => {
    for (let count = 0; count < 100; count += 1) stream!.write('x'.repeat(65_536))
    return stream!.isOver
  })
  assert.is(state.over, 1)
})

streams('do not start for HEAD, responses without a body, and disconnected clients', async () => {
  const { started, endpoint } = streaming()
  const [held, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const site = await bare([
    routed({ ...endpoint, methods: 'GET,POST' }, ({ hooks }) =>
      hooks.rest_post_dispatch.tapPromise('test', async (response, _, { query }) => {
        if (query['status'] !== undefined) response.status = Number(query['status'])
        if (query['hold'] === undefined) return response
        held.resolve()
        await going.promise
        return response
      }),
    ),
  ])
  for (const [method, path] of [
    ['HEAD', IT],
    ['POST', `${IT}?_method=HEAD`],
    ['GET', `${IT}?status=204`],
    ['GET', `${IT}?status=304`],
  ] as const)
    assert.match((await wireRequest(site.home, method, path)).body.toString(), /^(?:0\r\n\r\n)?$/, `${method} ${path}`)
  using disconnected = openClient(site.home, head('GET', `${IT}?hold`))
  await held.promise
  disconnected.socket.destroy()
  await until(() => disconnected.isOver)
  await wireRequest(site.home, 'HEAD', IT)
  going.resolve()
  await site[Symbol.asyncDispose]()
  assert.equal(started, [])
})

streams('of pipelined requests start in turn, after earlier ones have ended', async () => {
  const { started, state, endpoint } = streaming((stream) => stream.write('here\n'))
  const behind = 20
  const arrived = Promise.withResolvers<void>()
  let dispatched = 0
  const plain = plugin('plain', ({ hooks }) => {
    hooks.rest_api_init.tap('plain', (server) => {
      const callback = () => arrived.promise.then(() => 'plain')
      server.registerRoute('plain/v1', 'it', { ...open, callback })
    })
    hooks.rest_post_dispatch.tap('plain', (response, _server, { route }) => {
      if (route === '/test/v1/it' && (dispatched += 1) === behind) arrived.resolve()
      return response
    })
  })
  await using site = await bare([routed(endpoint), plain])
  using client = openClient(site.home, head('GET', '/svc-json/plain/v1/it') + head('GET', IT).repeat(behind))
  await until(() => client.text.includes('here\n'))
  assert.match(client.text, /"plain"/)
  using other = openClient(site.home)
  await until(() => started.length === 2)
  client.socket.destroy()
  await until(() => state.over === 1)
  other.socket.destroy()
  await until(() => state.over === 2)
  assert.is(started.length, 2)
})

streams('end when the plugin of their endpoint is removed', async () => {
  const { started, state, endpoint } = streaming()
  const again = streaming()
  const mine = plugin('mine', ({ hooks }) =>
    hooks.rest_api_init.tap('mine', (server) => void server.registerRoute('mine/v1', 'it', again.endpoint)),
  )
  await using site = await bare([routed(endpoint), mine])
  using client = openClient(site.home)
  using other = openClient(site.home, head('GET', '/svc-json/mine/v1/it'))
  await until(() => started.length + again.started.length === 2)
  await removePlugin(site.kernel, 'test')
  await until(() => client.isOver)
  assert.equal([state.over, again.state.over], [1, 0])
  again.started[0]!.write('still here\n')
  await until(() => other.text.includes('still here\n'))
})

streams('let taps change status and headers, and are reported when they end', async () => {
  const { started, endpoint } = streaming((stream) => stream.write('five\n'))
  const sent: SentResponse[] = []
  const site = await bare([
    routed(endpoint, ({ hooks }) => {
      hooks.rest_post_dispatch.tap('test', (response) => {
        response.status = 202
        return response
      })
      hooks.rest_pre_serve_request.tap('test', (served, { response }) => {
        response.headers.set('X-Added', 'yes')
        response.headers.set('Content-Length', '3')
        return served
      })
      hooks.response_sent.tap('test', (response) => void sent.push(response))
    }),
  ])
  using complete = openClient(site.home)
  await until(() => complete.text.includes('five\n'))
  assert.match(complete.text, /^HTTP\/1\.1 202 [^]*X-Added: yes/i)
  assert.not.match(complete.text, /content-length/i)
  assert.is(sent.length, 0)
  started[0]!.end()
  await until(() => sent.length === 1)
  using left = openClient(site.home)
  await until(() => started.length === 2)
  left.socket.destroy()
  await until(() => sent.length === 2)
  assert.equal(
    sent.map(({ status, aborted }) => [status, aborted]),
    [
      [202, false],
      [202, true],
    ],
  )
  assert.ok(sent[0]!.bytes > 'five\n'.length)
  using old = openClient(site.home, `GET ${IT} HTTP/1.0\r\n\r\n`)
  await until(() => old.text.includes('five\n'))
  assert.not.match(old.text, /chunked/i)
  await site[Symbol.asyncDispose]()
  await until(() => old.isOver)
})

streams.run()
