import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BusyError, definePlugin, errors, RestError } from '../../kernel/index.ts'
import { errors as storeErrors, queueFullError } from '../../plugins/storage/store/errors.ts'
import { serve } from '../helpers/site.ts'

const refusals = suite('log of refused requests')

/** The error that the handler, the page and the first hook throw. */
let thrown: Error = new Error('nothing')

const failing = definePlugin({
  name: 'failing',
  apply({ hooks }) {
    const fail = () => {
      throw thrown
    }
    hooks.rest_api_init.tap('failing', (server) => {
      server.registerRoute('test/v1', '/fails', { permission_callback: () => true, callback: fail })
      server.registerRoute('test/v1', '/body', {
        methods: 'POST',
        permission_callback: () => true,
        callback: () => null,
      })
    })
    hooks.site_request.tap('failing', (page, { path }) => (path === '/page' ? fail() : page))
    hooks.request_received.tap('failing', (page, { url }) => (url === '/first' ? fail() : page))
  },
})

interface Line {
  level: number
  msg: string
  status?: number
  code?: string
  request: string
}

async function linesOf(path: string, error: Error): Promise<{ status: number; lines: Line[] }> {
  const lines: Line[] = []
  await using site = await serve({ add: [failing], log: 'info', logTo: (line) => void lines.push(JSON.parse(line)) })
  thrown = error
  const before = lines.length
  const response = await site.get(path.startsWith('/test') ? path : `${site.home}${path}`)
  await response.text()
  return { status: response.status, lines: lines.slice(before) }
}

const PATHS = ['/test/v1/fails', '/page', '/first']

for (const [name, error, status, reason] of [
  ['429', new RestError('shop_crowded', 'Too many orders.', { status: 429 }), 429, 'Too many orders.'],
  ['503 without a cause', new RestError('shop_full', 'The shop is full.', { status: 503 }), 503, 'The shop is full.'],
  ['503 for a limit', errors.rest_unavailable({ cause: new BusyError('16 images wait') }), 503, '16 images wait'],
  [
    '503 for a queue of the store',
    queueFullError(),
    503,
    'The database is busy: too many requests are waiting for it.',
  ],
] as const) {
  refusals(`has one line at info with the reason of ${name}`, async () => {
    for (const path of PATHS) {
      if (path === '/first' && !(error instanceof RestError)) continue
      const found = await linesOf(path, error)
      assert.is(found.status, status, path)
      assert.equal(
        found.lines.map(({ level, msg, status: shown }) => [level, msg, shown]),
        [[30, `refused: ${reason}`, status]],
        path,
      )
      assert.ok(found.lines[0]!.request)
    }
  })
}

refusals('has refusals by limits of the server at info', async () => {
  const lines: Line[] = []
  const limits = { bodies: 1024, visitorBodies: 1024, bodyLimit: 2_000_000, visitor: 2_000_000 }
  const plugins = { 'change-feed': { streams: 0 } }
  const logTo = (line: string) => void lines.push(JSON.parse(line))
  await using site = await serve({ add: [failing], limits, plugins, log: 'info', logTo })
  const statuses = [(await site.get('/svc/v2/changes', { accept: 'text/event-stream' })).status]
  const headers = { 'content-type': 'application/json' }
  const bodies = Array.from({ length: 8 }, () =>
    site.request('/test/v1/body', { method: 'POST', headers, body: JSON.stringify('x'.repeat(500_000)) }),
  )
  statuses.push(...(await Promise.all(bodies)).map(({ status }) => status))
  const refused = statuses.filter((status) => status === 503).length
  assert.ok(refused > 1, statuses.join())
  const shown = lines.filter(({ level, status }) => level > 20 && status !== undefined)
  assert.is(shown.filter(({ status }) => status === 503).length, refused)
  assert.ok(shown.every(({ level, msg }) => level === 30 && /^refused: (?:Too many clients|The server is)/.test(msg)))
})

refusals('has nothing at info or above for other client errors', async () => {
  for (const path of PATHS) {
    const found = await linesOf(path, new RestError('shop_wrong', 'Wrong.', { status: 400 }))
    assert.equal([found.status, found.lines], [400, []], path)
  }
})

refusals('has an error with the reason if the database is unreachable or locked by another process', async () => {
  for (const error of [
    storeErrors.STORE_UNAVAILABLE('connect ECONNREFUSED'),
    storeErrors.STORE_BUSY('another process has locked it for too long'),
  ]) {
    for (const path of ['/test/v1/fails', '/page']) {
      const { status, lines } = await linesOf(path, error)
      assert.is(status, 503)
      assert.ok(lines.every(({ level }) => level === 50))
      assert.match(JSON.stringify(lines), error.message)
    }
  }
})

refusals.run()
