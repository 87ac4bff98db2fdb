import { connect, type Socket } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../../helpers/until.ts'
import { bare, plugin, type Bare } from '../../../kernel/bare.ts'

const connections = suite('connections')

interface Opened {
  readonly socket: Socket
  text: string
  closed: boolean
}

function open(site: Bare, bytes = ''): Opened {
  const socket = connect(Number(new URL(site.home).port), '127.0.0.1')
  const opened: Opened = { socket, text: '', closed: false }
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => (opened.text += chunk.toString()))
  socket.once('close', () => (opened.closed = true))
  socket.write(bytes)
  return opened
}

const requestFor = (path: string) => `GET /svc-json/test/v1/${path} HTTP/1.1\r\nHost: x\r\n\r\n`

/** A route that responds immediately, and a route that waits for `released`. */
function routes() {
  const released = Promise.withResolvers<void>()
  const started: (string | null)[] = []
  const added = plugin('routes', ({ hooks }) => {
    hooks.rest_api_init.tap('routes', (server) => {
      const permission_callback = () => true
      server.registerRoute('test/v1', 'now', { callback: () => 'done', permission_callback })
      server.registerRoute('test/v1', 'wait', {
        methods: 'GET, POST',
        permission_callback,
        callback: async (request) => {
          started.push(request.headers.get('x-forwarded-for'))
          await released.promise
          return 'done'
        },
      })
    })
  })
  return { added, released, started }
}

connections('that are idle are closed for new ones of their network, the oldest first', async () => {
  const { added, released, started } = routes()
  await using site = await bare([added], { limits: { connections: 16 } })
  const busy = open(site, requestFor('wait'))
  await until(() => started.length === 1)
  const answered = open(site, requestFor('now'))
  await until(() => answered.text.includes('done'))
  const silent = open(site)
  const half = open(site, 'GET /svc-json/ HTTP/1.1\r\nHost')
  const later = open(site, requestFor('now'))
  await until(() => later.text.includes('done'))
  assert.equal([busy.closed, answered.closed, later.closed], [false, true, false])
  for (let count = 0; count < 100; count += 1) {
    const next = open(site, requestFor('now'))
    await until(() => next.text.includes('done'))
  }
  assert.equal([busy.closed, silent.closed, half.closed], [false, true, true])
  released.resolve()
  await until(() => busy.text.includes('done'))
})

connections('are refused if all connections of their network are in use', async () => {
  const { added, released, started } = routes()
  await using site = await bare([added], { limits: { connections: 16 } })
  const busy = Array.from({ length: 4 }, () => open(site, requestFor('wait')))
  await until(() => started.length === 4)
  const refused = open(site, requestFor('now'))
  await until(() => refused.closed)
  assert.is(refused.text, '')
  released.resolve()
  await until(() => busy.every(({ text }) => text.includes('done')))
  const next = open(site, requestFor('now'))
  await until(() => next.text.includes('done'))
})

connections('of a trusted proxy are only limited in total', async () => {
  const { added, released, started } = routes()
  await using site = await bare([added], { limits: { connections: 8 }, trust_proxy: true })
  const busy = Array.from({ length: 8 }, () => open(site, requestFor('wait')))
  await until(() => started.length === 8)
  const refused = open(site, requestFor('now'))
  await until(() => refused.closed)
  released.resolve()
  await until(() => busy.every(({ text }) => text.includes('done')))
})

connections('receive the response to a pending request before invalid bytes close them', async () => {
  const { added, released, started } = routes()
  await using site = await bare([added])
  const opened = open(site, `${requestFor('wait')}no request\r\n\r\n`)
  await until(() => started.length === 1)
  released.resolve()
  await until(() => opened.closed)
  assert.match(opened.text, 'HTTP/1.1 200')
  assert.match(opened.text, 'done')
})

connections(
  'of one network can run only limits.atOnce requests concurrently, without delaying other networks',
  async () => {
    const { added, released, started } = routes()
    await using site = await bare([added], { limits: { atOnce: 2 }, trust_proxy: true })
    const from = (ip: string, method = 'GET') => {
      const init = { method, headers: { 'x-forwarded-for': ip }, ...(method === 'POST' && { body: 'x' }) }
      return site.raw('/svc-json/test/v1/wait', init)
    }
    const answers = ['1', '2', '3', '4'].flatMap((last) => [
      from(`2001:db8::${last}`),
      from(`2001:db8::${last}`, 'POST'),
    ])
    await until(() => started.length === 2)
    answers.push(from('192.0.2.1', 'POST'), from('2001:db8:0:1::1'))
    await until(() => started.length === 4)
    assert.equal(new Set(started.slice(2)), new Set(['192.0.2.1', '2001:db8:0:1::1']))
    released.resolve()
    assert.equal(new Set((await Promise.all(answers)).map(({ status }) => status)), new Set([200]))
    assert.is(started.length, 10)
  },
)

connections('that send or receive slowly do not delay others of their network', async () => {
  const { added, released } = routes()
  const large = plugin('large', ({ hooks }) => {
    hooks.rest_api_init.tap('large', (server) => {
      const callback = async () => 'x'.repeat(16_000_000)
      server.registerRoute('test/v1', 'large', { callback, permission_callback: () => true })
    })
  })
  await using site = await bare([added, large], { limits: { atOnce: 1 } })
  released.resolve()
  const head = 'POST /svc-json/test/v1/wait HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf'
  const slow = [open(site, head), open(site, head), open(site, requestFor('large')), open(site, requestFor('large'))]
  for (const { socket } of slow) socket.pause()
  await until(() => slow.every(({ socket }) => socket.bytesWritten > 0))
  for (let round = 0; round < 5; round += 1) assert.is((await site.raw('/svc-json/test/v1/wait')).status, 200)
  for (const { socket } of slow) socket.destroy()
})

connections('release their place in the queue after a timeout or a disconnect', async () => {
  const { added, started } = routes()
  await using site = await bare([added], { limits: { atOnce: 2, requestTimeout: 600 } })
  const leaving = [open(site, requestFor('wait')), open(site, requestFor('wait'))]
  await until(() => started.length === 2)
  for (const { socket } of leaving) socket.destroy()
  assert.is((await site.raw('/svc-json/test/v1/now')).status, 200)
  const late = await Promise.all(['wait', 'wait', 'wait'].map((path) => site.raw(`/svc-json/test/v1/${path}`)))
  assert.equal(new Set(late.map(({ status }) => status)), new Set([503]))
  assert.is((await site.raw('/svc-json/test/v1/now')).status, 200)
})

connections.run()
