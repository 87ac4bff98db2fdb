import { request as httpRequest } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers, type SiteWithUsers } from '../helpers/site-with-users.ts'
import { add, requestAs, dump, POSTS, stored, V2 } from './request-as.ts'

for (const { name, place } of databases) {
  const all = suite(`request handling on ${name}`)

  /** Sends it as it is, `Host` and whatever else included; answers all but the date. */
  const raw = (site: SiteWithUsers, method: string, path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
      const { port } = new URL(site.listening)
      const request = httpRequest({ port, path: `/svc-json${path}`, method, headers, agent: false }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => (text += part))
        // Whether it was kept, and from which second on it says so, is the same response.
        const { date: _, 'x-request-id': __, 'x-svc-cache': ___, 'last-modified': ____, ...rest } = answer.headers
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: rest, text }))
      })
      request.on('error', reject).end()
    })

  all('S30: never writes for a safe method, with any method override', async () => {
    await using site = await serveWithUsers(place)
    const post = await add(site, { title: 'kept', author_id: site.users.ed })
    const before = await dump(site)
    const paths = [
      `${POSTS}/${post}`,
      POSTS,
      `${V2}/tags`,
      `${V2}/users/${site.users.sub}`,
      `${V2}/settings`,
      `${V2}/comments`,
    ]
    const named = ['POST', 'PUT', 'PATCH', 'DELETE', 'delete', 'x', 'POST, GET']
    for (const path of paths) {
      for (const method of ['GET', 'HEAD', 'OPTIONS']) {
        for (const other of named) {
          const query = `force=true&title=x&name=x&reassign=1&_method=${encodeURIComponent(other)}`
          for (const header of ['x-http-method-override', 'x-method-override', 'x-http-method']) {
            const { status } = await requestAs(site, 'admin', method, `${path}?${query}`, undefined, {
              [header]: other,
            }).catch(() => ({ status: 200 }))
            assert.ok(status < 500, `${status} for ${method} ${path} as ${other}`)
          }
        }
      }
    }
    assert.is(await dump(site), before)
  })

  all('S30: overrides the method of a POST only with a known method', async () => {
    await using site = await serveWithUsers(place)
    const post = await add(site, { title: 'kept', author_id: site.users.ed })
    const others = ['TRACE', 'CONNECT', 'PROPFIND', '__proto__', 'constructor', 'DELETE\u00a0', 'x'.repeat(2000)]
    for (const other of others) {
      const path = `${POSTS}/${post}?force=true&_method=${encodeURIComponent(other)}`
      const { status } = await requestAs(site, 'admin', 'POST', path)
      assert.ok(status < 500, `${status} for ${other}`)
      assert.is((await stored(site, post)).title, 'kept', other)
    }
    assert.is((await requestAs(site, 'admin', 'POST', `${POSTS}/${post}?force=true&_method=delete`)).status, 200)
    assert.is(await stored(site, post), undefined)
  })

  all('S35: ignores inputs outside of the cache key in cacheable responses', async () => {
    await using site = await serveWithUsers(place)
    const post = await add(site, { title: 'A', slug: 'a', author_id: site.users.ed })
    const claims: Record<string, string>[] = [
      { 'x-forwarded-host': 'evil.example' },
      { 'x-forwarded-proto': 'https', 'x-forwarded-port': '444', 'x-forwarded-prefix': '/evil' },
      { forwarded: 'host=evil.example;proto=https' },
      { 'x-host': 'evil.example', 'x-original-url': '/svc-json/svc/v2/settings', 'x-rewrite-url': '/nope' },
      { 'x-http-method-override': 'DELETE', 'x-method-override': 'POST' },
      { 'accept-language': 'de', 'user-agent': 'evil', referer: 'https://evil.example/', accept: 'text/html' },
      { range: 'bytes=0-1', 'x-real-ip': '10.0.0.1' },
      { cookie: 'locale=de; _fields=id' },
      { host: 'evil.example' },
    ]
    for (const path of ['/', POSTS, `${POSTS}/${post}?_embed`, `${V2}/types`, `${V2}/search?search=A`, '/nope']) {
      const plain = await raw(site, 'GET', path)
      assert.not.match(JSON.stringify(plain), 'evil')
      for (const claim of claims) {
        const claimed = await raw(site, 'GET', path, claim)
        // Errors and uncacheable responses cannot poison a cache.
        const isCacheable = claimed.status < 400 && !/no-store|private/.test(String(claimed.headers['cache-control']))
        if (isCacheable) assert.equal(claimed, plain, `${path} with ${JSON.stringify(claim)}`)
        assert.not.match(JSON.stringify(claimed), 'evil')
      }
    }
  })

  all.run()
}
