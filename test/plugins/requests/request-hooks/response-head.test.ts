import { Readable } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { HeaderMap, RestResponse } from '../../../../kernel/index.ts'
import { until } from '../../../helpers/until.ts'
import { head, wire, wireRequest } from '../../../helpers/wire.ts'
import { bare, IT, open as publicRoute, plugin, routed, type Bare } from '../../../kernel/bare.ts'

const heads = suite('response head')

type Headers = readonly (readonly [name: string, value: string])[]

/** A site whose route and pages have the headers `own`, and a tap of `request_received` that adds others. */
function site(own: Headers, added: Headers): Promise<Bare> {
  const fill = (headers: HeaderMap) => own.forEach(([name, value]) => headers.append(name, value))
  const pageOf = (body: string | Readable | null, status = 200) => {
    const headers = new HeaderMap({ 'Content-Type': 'text/plain' })
    fill(headers)
    return { status, headers, body }
  }
  const callback = () => {
    const response = new RestResponse({ it: 'works' })
    fill(response.headers)
    return response
  }
  const served = routed({ ...publicRoute, callback }, ({ hooks }) => {
    hooks.site_request.tap('test', (found, { path }) => {
      if (path === '/page') return pageOf('hello')
      if (path === '/stream') return pageOf(Readable.from(['one', 'two']))
      if (path === '/204') return pageOf(null, 204)
      return path === '/304' ? pageOf(Readable.from(['ignored']), 304) : found
    })
  })
  const gate = plugin('gate', ({ hooks }) => {
    hooks.request_received.tap('gate', (page, { responseHeaders }) => {
      for (const [name, value] of added) responseHeaders.append(name, value)
      return page
    })
  })
  return bare([served, gate])
}

const PATHS = [IT, '/page', '/stream', '/204', '/304', '/nowhere', '/svc-json/%ff', '/svc-json/nowhere']

/** Returns all values of a header in order. */
async function valuesOf({ home }: Bare, method: string, path: string, name: string): Promise<string[]> {
  const text = (await wire(home, head(method, path, { Connection: 'close' }))).toString('latin1')
  const lines = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n')
  return lines.flatMap((line) => (line.toLowerCase().startsWith(`${name}: `) ? [line.slice(name.length + 2)] : []))
}

heads('lists in Vary the headers of the response and of taps', async () => {
  await using at = await site([['Vary', 'Cookie']], [['Vary', 'X-Tenant, cookie']])
  for (const method of ['GET', 'HEAD']) {
    for (const path of PATHS) {
      const [vary = '', ...more] = await valuesOf(at, method, path, 'vary')
      assert.equal(more, [], path)
      const names = vary.toLowerCase().split(', ')
      assert.ok(names.includes('x-tenant') && names.includes('cookie'), `${method} ${path}: ${vary}`)
      assert.is(new Set(names).size, names.length, vary)
    }
  }
})

heads('has one line per cookie, and a Cache-Control that forbids shared caching', async () => {
  const theirs = ['a=1; Path=/', 'b=2; Expires=Wed, 21 Oct 2037 07:28:00 GMT']
  const own: Headers = [
    ['Set-Cookie', 'c=3'],
    ['Set-Cookie', 'd=4'],
    ['Cache-Control', 'public, s-maxage=60, max-age=5'],
  ]
  await using at = await site(
    own,
    theirs.map((cookie) => ['Set-Cookie', cookie]),
  )
  for (const path of PATHS) {
    const isOwn = /^\/(?:page|stream|\d+)$/.test(path) || path === IT
    const cookies = await valuesOf(at, 'GET', path, 'set-cookie')
    assert.equal(cookies.toSorted(), [...theirs, ...(isOwn ? ['c=3', 'd=4'] : [])], path)
    const [control] = await valuesOf(at, 'GET', path, 'cache-control')
    assert.match(control ?? '', isOwn ? /^private, max-age=5$/ : /private|no-store/, path)
  }
  // Without an additional cookie, the other headers do not change.
  await using without = await site(own, [['X-More', 'yes']])
  assert.equal(await valuesOf(without, 'GET', '/page', 'cache-control'), ['public, s-maxage=60, max-age=5'])
  assert.equal(await valuesOf(without, 'GET', '/page', 'set-cookie'), ['c=3', 'd=4'])
})

for (const [name, value] of [
  ['Content-Length', '3'],
  ['content_length', '3'],
  ['Transfer-Encoding', 'chunked'],
  ['Content-Encoding', 'gzip'],
  ['Content-Range', 'bytes 0-1/2'],
  ['Trailer', 'X-Trailer'],
  ['Connection', 'close'],
  ['Keep-Alive', 'timeout=1'],
  ['Upgrade', 'h2c'],
] as const) {
  heads(`is not affected by a tap that adds ${name}: ${value}`, async () => {
    await using at = await site([], [[name, value]])
    await using plain = await site([], [])
    for (const method of ['GET', 'HEAD']) {
      for (const path of PATHS) {
        const [one, other] = [await wireRequest(at.home, method, path), await wireRequest(plain.home, method, path)]
        const shown = ({ headers, ...rest }: typeof one) => [
          rest.status,
          rest.body.toString(),
          { ...headers, date: '', 'x-request-id': '' },
        ]
        assert.equal(shown(one), shown(other), `${method} ${path}`)
      }
    }
    assert.ok(at.lines.some(({ msg }) => msg === 'gate failed in hook request_received.'))
  })
}

heads('has one valid framing header even if a handler or a page sets others', async () => {
  await using at = await site([['Transfer-Encoding', 'chunked']], [])
  for (const method of ['GET', 'HEAD']) {
    for (const path of PATHS) {
      const { headers, status, body } = await wireRequest(at.home, method, path)
      const about = `${method} ${path}`
      const isChunked = path === '/stream' && method === 'GET'
      assert.is(headers['transfer-encoding'], isChunked ? 'chunked' : undefined, about)
      if (isChunked || status === 204 || status === 304) assert.is(headers['content-length'], undefined, about)
      else if (method === 'GET') assert.is(headers['content-length'], String(body.length), about)
    }
  }
})

heads('has no body if the status forbids one', async () => {
  const reset = plugin('reset', ({ hooks }) => {
    hooks.rest_api_init.tap('reset', (server) => {
      server.registerRoute('reset/v1', 'it', { ...publicRoute, callback: () => new RestResponse({ a: 1 }, 205) })
    })
    hooks.site_request.tap('reset', (found, { path }) => {
      const headers = new HeaderMap({ 'Content-Length': '7' })
      if (path === '/text') return { status: 205, headers, body: 'ignored' }
      return path === '/stream' ? { status: 205, headers, body: Readable.from(['ignored']) } : found
    })
  })
  await using at = await bare([reset])
  for (const path of ['/svc-json/reset/v1/it', '/text', '/stream']) {
    const { status, headers, body } = await wireRequest(at.home, 'GET', path)
    assert.equal(
      [status, headers['content-length'], headers['transfer-encoding'], body.length],
      [205, '0', undefined, 0],
    )
  }
})

heads('has the same Content-Length for HEAD and GET', async () => {
  const wrong = plugin('wrong', ({ hooks }) => {
    hooks.site_request.tap('wrong', () => ({
      status: 200,
      headers: new HeaderMap({ 'Content-Length': '3' }),
      body: 'longer',
    }))
  })
  await using at = await bare([wrong])
  for (const method of ['GET', 'HEAD'])
    assert.is((await wireRequest(at.home, method, '/')).headers['content-length'], '6', method)
})

/**
 * Bodies whose length differs from their Content-Length. Clients would read excess bytes as the next response, or the
 * next response as missing bytes.
 */
const NEXT = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
for (const [about, length, pieces] of [
  ['shorter', '5', ['ab']],
  ['empty', '5', []],
  ['longer by a piece', '2', ['ab', NEXT]],
  ['longer within a piece', '2', [`ab${NEXT}`]],
  ['longer in bytes alone', '2', ['äö']],
] as const) {
  heads(`closes the connection and logs the error if the body is ${about}`, async () => {
    const streams = plugin('streams', ({ hooks }) => {
      hooks.site_request.tap('streams', (found, { path }) => {
        if (path !== '/stream') return found
        const headers = new HeaderMap({ 'Content-Type': 'text/plain', 'Content-Length': length })
        return { status: 200, headers, body: Readable.from(pieces) }
      })
    })
    await using at = await bare([streams])
    const text = (await wire(at.home, head('GET', '/stream') + head('GET', '/nowhere')).catch(() => '')).toString()
    assert.not.match(text, '404')
    assert.is(text.split('HTTP/1.1').length - 1 <= 1, true, text)
    await until(() => at.lines.some(({ msg }) => msg === 'a response was aborted: its body failed'))
    const line = at.lines.find(({ msg }) => msg === 'a response was aborted: its body failed')!
    assert.match(JSON.stringify(line['err']), `than its Content-Length of ${length} bytes`)
    assert.is(line['url'], '/stream')
  })
}

heads('is followed by a body of exactly its length', async () => {
  const streams = plugin('streams', ({ hooks }) => {
    hooks.site_request.tap('streams', () => ({
      status: 200,
      headers: new HeaderMap({ 'Content-Type': 'text/plain', 'Content-Length': '6' }),
      body: Readable.from(['äö', 'xy']),
    }))
  })
  await using at = await bare([streams])
  const bytes = await wire(at.home, head('GET', '/') + head('GET', '/', { Connection: 'close' }))
  assert.is(bytes.toString().split('äöxy').length, 3)
})

heads.run()
