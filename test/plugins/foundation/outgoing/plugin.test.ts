import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, tracing } from '../../../../kernel/index.ts'
import { listenTo } from '../../../../plugins/operations/trace/listen-to.ts'
import type { OutgoingSpan } from '../../../../plugins/foundation/outgoing/index.ts'
import type { TracedRequest } from '../../../../plugins/operations/trace/record.ts'
import { Recorder } from '../../../../plugins/operations/trace/recorder.ts'
import { serve, startOnly } from '../../../helpers/site.ts'
import { until } from '../../../helpers/until.ts'
import { codeOf, receive } from './asking.ts'
import { removePlugin } from '../../../helpers/remove-plugin.ts'

startOnly('outgoing')

const plugin = suite('plugin outgoing')

/** A route that requests the URL in its query. */
const proxy = definePlugin({
  name: 'asker',
  needs: ['outgoing'],
  apply({ hooks, services }) {
    hooks.rest_api_init.tap('asker', (server) =>
      server.registerRoute('ask/v1', '/ask', {
        permission_callback: () => true,
        callback: async (request) =>
          (await services.outgoing.request(String(request.get('url')), { requester: 'site' })).text(),
      }),
    )
  },
})

plugin('S36: a plugin can request allowed hosts, and clients see no details of a refused request', async () => {
  await using inside = await receive((_, response) => response.end('inside'))
  const lines: string[] = []
  const log = { log: 'error', logTo: (line: string) => lines.push(line) }
  const path = `/ask/v1/ask?url=${encodeURIComponent(`${inside.url}/secret`)}`
  {
    await using site = await serve({ add: [proxy], ...log })
    const refused = await site.get(path)
    assert.is(refused.status, 500)
    assert.is(((await refused.json()) as { code: string }).code, 'rest_internal_error')
    assert.match(lines.join(''), 'OUTGOING_ADDRESS_REFUSED')
    assert.is(inside.connections(), 0)
    const own = await site.get(`/ask/v1/ask?url=${encodeURIComponent(site.home)}`)
    assert.is(own.status, 500)
  }
  await using site = await serve({ add: [proxy], plugins: { outgoing: { allow: [`127.0.0.1:${inside.port}`] } } })
  assert.is(await site.json(path), 'inside')
})

plugin('a disconnecting client aborts the outgoing requests of its request', async () => {
  await using server = await receive(() => {})
  await using site = await serve({ add: [proxy], plugins: { outgoing: { allow: [`127.0.0.1:${server.port}`] } } })
  const leaving = new AbortController()
  const request = site
    .request(`/ask/v1/ask?url=${encodeURIComponent(server.url)}`, { signal: leaving.signal })
    .catch(() => null)
  await until(() => server.requestLines.length === 1)
  leaving.abort()
  await request
  await until(() => server.open.size === 0)
})

plugin('closes all connections when it is removed', async () => {
  await using server = await receive((request, response) => {
    if (request.url === '/quick') response.end('ok')
  })
  await using site = await serve({ plugins: { outgoing: { allow: [`127.0.0.1:${server.port}`] } } })
  const { outgoing } = site.kernel.services
  assert.is((await outgoing.request(`${server.url}/quick`, { requester: 'site' })).text(), 'ok')
  const slow = codeOf(outgoing.request(`${server.url}/slow`, { requester: 'site' }))
  await until(() => server.requestLines.length === 2)
  await removePlugin(site.kernel, 'outgoing')
  assert.is(await slow, 'OUTGOING_STOPPED')
  await until(() => server.open.size === 0)
})

plugin('a trace shows which hosts a request waited for, without paths', async () => {
  await using server = await receive((_, response) => response.writeHead(404).end('gone'))
  const { port, url } = server
  await using site = await serve({ add: [proxy], plugins: { outgoing: { allow: [`127.0.0.1:${port}`] } } })
  const spans: OutgoingSpan[] = []
  const requests: TracedRequest[] = []
  const stopRecording = new Recorder(site.kernel.hooks, (request) => requests.push(request)).listen()
  const stop = listenTo(
    tracing.outgoing,
    () => {},
    (span) => spans.push(span),
  )
  try {
    await site.get(`/ask/v1/ask?url=${encodeURIComponent(`${url}/secret`)}`)
    await site.get(`/ask/v1/ask?url=${encodeURIComponent(`http://127.0.0.1:${port + 1}/secret`)}`)
    await until(() => requests.length === 2)
  } finally {
    stop()
    stopRecording()
  }
  const summaries = spans.map(({ site: spanSite, method, origin, status, error }) => [
    spanSite === site.kernel.hooks,
    method,
    origin,
    status,
    error !== undefined,
  ])
  assert.equal(summaries, [
    [true, 'GET', url, 404, false],
    [true, 'GET', `http://127.0.0.1:${port + 1}`, null, true],
  ])
  const steps = requests.flatMap(({ steps: all }) => all.filter(({ kind }) => kind === 'outgoing'))
  assert.equal(
    steps.map(({ name, status, failed }) => [name, status, failed !== undefined]),
    [
      [`GET ${url}`, 404, false],
      [`GET http://127.0.0.1:${port + 1}`, undefined, true],
    ],
  )
})

plugin('an invalid entry in the list of allowed hosts is an error at the start', async () => {
  const code = await codeOf(serve({ plugins: { outgoing: { allow: ['10.0.0.0/40'] } } }))
  assert.is(code, 'OUTGOING_ALLOW_INVALID')
})

plugin('idle connections do not keep a process alive', async () => {
  await using server = await receive((_, response) => response.end('ok'))
  const moduleUrl = new URL('asking.ts', import.meta.url).href
  const script = `const { makeClient } = await import(${JSON.stringify(moduleUrl)})
    const answer = await makeClient({ allow: ['127.0.0.1:${server.port}'] }).request('${server.url}')
    console.log(answer.text())`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: fileURLToPath(new URL('../../../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = text(child.stdout)
  const [code] = (await once(child, 'exit')) as [number]
  assert.equal([code, await output], [0, 'ok\n'])
})

plugin.run()
