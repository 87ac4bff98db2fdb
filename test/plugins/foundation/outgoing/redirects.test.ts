import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nextHop, type Hop } from '../../../../plugins/foundation/outgoing/hop.ts'
import { addresses, codeOf, makeClient, receive } from './asking.ts'

const redirects = suite('outgoing: redirects')

/** Redirects with the status and the target in the query: `/?302=/there`. */
const redirector: RequestListener = (request, response) => {
  const [[status, location] = ['200', '']] = new URL(request.url!, 'http://x').searchParams
  response.writeHead(Number(status), location === '' ? {} : { location }).end('body')
}

redirects('S36: each redirect target is checked again', async () => {
  await using server = await receive(redirector)
  await using inside = await receive((_, response) => response.end('inside'), '127.0.0.2', server.port)
  const { port } = server
  await using client = makeClient({
    allow: [`127.0.0.1:${port}`, `friend.test:${port}`],
    lookup: async (host) => addresses(host === 'friend.test' ? '127.0.0.1' : '127.0.0.2'),
  })
  const places = [
    '127.0.0.2',
    '127.2',
    '2130706434',
    '0x7f000002',
    '[::ffff:127.0.0.2]',
    '169.254.169.254',
    '[::1]',
    'inside.test',
    '0.0.0.0',
    '10.0.0.1',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '[64:ff9b::7f00:2]',
  ]
  for (const host of places) {
    for (const status of [301, 302, 303, 307, 308]) {
      const url = `${server.url}/?${status}=${encodeURIComponent(`http://${host}:${port}/`)}`
      assert.is(await codeOf(client.request(url)), 'OUTGOING_ADDRESS_REFUSED', url)
    }
  }
  for (const place of ['ftp://a.test/', 'file:///etc/passwd', 'http://u:p@friend.test/', 'http://']) {
    const url = `${server.url}/?302=${encodeURIComponent(place)}`
    assert.is(await codeOf(client.request(url)), 'OUTGOING_URL_INVALID', place)
  }
  assert.is(inside.connections(), 0)
  const followed = await client.request(`${server.url}/?302=${encodeURIComponent(`http://friend.test:${port}/there`)}`)
  assert.equal([followed.status, followed.url], [200, `http://friend.test:${port}/there`])
  assert.is((await client.request(`${server.url}/a/?302=../b`)).url, `${server.url}/b`)
})

redirects('S36: stops after the maximum number of redirects, and follows none if redirects are disabled', async () => {
  let count = 0
  await using server = await receive((_, response) => response.writeHead(302, { location: `/${(count += 1)}` }).end())
  await using client = makeClient({ allow: [`127.0.0.1:${server.port}`] })
  const request = (options: object) => {
    count = 0
    return codeOf(client.request(server.url, options).then(({ status }) => status))
  }
  assert.is(await request({}), 'OUTGOING_REDIRECTS')
  assert.is(count, 6)
  assert.is(await request({ redirects: 2 }), 'OUTGOING_REDIRECTS')
  assert.is(count, 3)
  assert.is(await request({ redirects: 0 }), 'resolved: 302')
  assert.is(await request({ method: 'POST', body: 'a' }), 'resolved: 302')
  assert.is(count, 1)
})

redirects('307 and 308 preserve method and body, and other redirects become a GET', async () => {
  const requests: string[] = []
  await using server = await receive((request, response) => {
    void (async () => {
      requests.push(`${request.method} ${request.headers['content-type'] ?? '-'} ${await text(request)}`)
      redirector(request, response)
    })()
  })
  await using client = makeClient({ allow: [`127.0.0.1:${server.port}`] })
  const sendRequest = async (method: string, status: number) => {
    requests.length = 0
    const body = ['GET', 'HEAD'].includes(method) ? {} : { body: 'b', headers: { 'content-type': 'text/x' } }
    const answer = await client.request(`${server.url}/?${status}=/there`, { method, redirects: 1, ...body })
    return `${answer.status} ${requests[1] ?? '-'}`
  }
  const cases: [method: string, status: number, expected: string][] = [
    ['GET', 301, '200 GET - '],
    ['GET', 303, '200 GET - '],
    ['GET', 308, '200 GET - '],
    ['HEAD', 303, '200 HEAD - '],
    ['POST', 301, '200 GET - '],
    ['POST', 302, '200 GET - '],
    ['POST', 303, '200 GET - '],
    ['POST', 307, '200 POST text/x b'],
    ['POST', 308, '200 POST text/x b'],
    ['PUT', 307, '200 PUT text/x b'],
    ['PUT', 303, '200 GET - '],
    ['PUT', 302, '302 -'],
    ['DELETE', 301, '301 -'],
    ['GET', 300, '300 -'],
    ['GET', 304, '304 -'],
  ]
  for (const [method, status, expected] of cases) {
    assert.is(await sendRequest(method, status), expected, `${method} ${status}`)
  }
})

redirects('S36: another origin receives no secret headers', async () => {
  const receivedHeaders: Record<string, unknown>[] = []
  await using other = await receive((request, response) => {
    receivedHeaders.push(request.headers)
    redirector(request, response)
  })
  await using server = await receive((request, response) => {
    receivedHeaders.push(request.headers)
    redirector(request, response)
  })
  await using client = makeClient({ allow: ['127.0.0.1:*'] })
  const headers = {
    authorization: 'Bearer s',
    cookie: 'a=s',
    'x-api-key': 's',
    'webhook-signature': 's',
    accept: 'text/x',
    'content-type': 'text/y',
  }
  const secrets = ['authorization', 'cookie', 'x-api-key', 'webhook-signature']
  const names = (at: number) => secrets.filter((name) => name in receivedHeaders[at]!)
  const requestVia = (location: string) =>
    client.request(`${server.url}/?307=${encodeURIComponent(location)}`, {
      method: 'POST',
      body: 'b',
      redirects: 3,
      headers,
    })
  await requestVia('/same')
  assert.equal([names(0), names(1)], [secrets, secrets])
  receivedHeaders.length = 0
  await requestVia(`${other.url}/`)
  assert.equal([names(0), names(1)], [secrets, []])
  assert.equal([receivedHeaders[1]!['accept'], receivedHeaders[1]!['content-type']], ['text/x', 'text/y'])
  receivedHeaders.length = 0
  // Headers are not restored after a redirect back.
  await requestVia(`${other.url}/?307=${encodeURIComponent(`${server.url}/back`)}`)
  assert.equal([names(0), names(1), names(2)], [secrets, [], []])
})

redirects('S36: redirects from https to http are refused', () => {
  const hop: Hop = { url: new URL('https://a.test/'), method: 'GET', headers: {}, body: null, redirects: 0 }
  assert.throws(() => nextHop(hop, 302, 'http://a.test/'), /from https to http/)
  assert.is(nextHop(hop, 302, '//b.test/x')?.url.href, 'https://b.test/x')
  assert.is(nextHop({ ...hop, url: new URL('http://a.test/') }, 302, 'https://a.test/')?.url.href, 'https://a.test/')
  assert.throws(() => nextHop(hop, 302, ['https://a.test/', 'https://b.test/']), /several places/)
  assert.is(nextHop(hop, 302, undefined), null)
})

redirects.run()
