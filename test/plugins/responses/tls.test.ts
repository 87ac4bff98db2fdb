import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { as, serve, type Site } from '../../helpers/site.ts'

const tls = suite('tls')

const OVER_TLS = { 'x-forwarded-proto': 'https' }
const WITHOUT_TLS = { 'x-forwarded-proto': 'http' }

/** Creates content to read. @returns paths of the REST API and of pages whose responses contain URLs of the REST API */
async function pathsOf(site: Site): Promise<string[]> {
  const write = async (route: string, fields: object) => {
    const headers = { ...as('administrator'), 'content-type': 'application/json' }
    const body = JSON.stringify({ ...fields, status: 'publish' })
    return (await (await site.request(route, { method: 'POST', headers, body })).json()) as { id: number; link: string }
  }
  const { id, link } = await write('/svc/v2/posts', { title: 'River', content: '<p>Water</p>' })
  const page = await write('/svc/v2/pages', { title: 'Bank' })
  await write('/svc/v2/comments', { post: id, content: 'Wet' })
  const routes = ['', '/svc/v2', '/svc/v2/posts', '/svc/v2/posts?_embed', '/svc/v2/posts?_fields=id,_links']
  routes.push(`/svc/v2/posts/${id}`, `/svc/v2/posts/${id}?_embed`, `/svc/v2/posts/${id}?_envelope`)
  routes.push('/svc/v2/pages', '/svc/v2/comments', '/svc/v2/types', '/svc/v2/types/post', '/svc/v2/taxonomies')
  routes.push('/svc/v2/statuses', '/svc/v2/users', '/svc/v2/categories', '/svc/v2/search?search=river')
  routes.push(`/oembed/1.0/embed?url=${encodeURIComponent(link)}`)
  return [...routes, `${site.listening}/`, link, page.link, `${link}embed/`]
}

/** Texts and headers of a response that contain the root of the REST API. */
async function rootsOf(response: Response, site: Site): Promise<string[]> {
  const { host } = new URL(site.listening)
  const text = `${response.headers.get('link')} ${(await response.text()).replaceAll('\\/', '/')}`
  const decoded = text.replaceAll('&#x2F;', '/').replaceAll('&#47;', '/')
  return [...new Set(decoded.match(new RegExp(`https?://${host.replaceAll('.', '\\.')}/svc-json`, 'g')))]
}

tls(
  'prints URLs of the REST API with the scheme of each request, also if a response is cached for the other scheme',
  async () => {
    await using site = await serve({ trust_proxy: true })
    const paths = await pathsOf(site)
    const { host } = new URL(site.listening)
    const check = async (path: string, scheme: 'http' | 'https', method = 'GET') => {
      const headers = scheme === 'https' ? OVER_TLS : WITHOUT_TLS
      const response = await site.request(path, { method, headers })
      const found = await rootsOf(response, site)
      assert.equal(found, [`${scheme}://${host}/svc-json`], `${method} ${path} over ${scheme} (${response.status})`)
      return response.headers.get('x-svc-cache')
    }
    for (const first of ['http', 'https'] as const) {
      site.kernel.server.reset()
      const second = (['https', 'http'] as const)[first === 'http' ? 0 : 1]
      for (const path of paths)
        for (const scheme of [first, second, first, second, second] as const) await check(path, scheme)
      // Requests in flight are shared only by requests of one scheme.
      site.kernel.server.reset()
      for (const path of paths) {
        const schemes = [first, second, first, second] as const
        await Promise.all(schemes.map((scheme) => check(path, scheme)))
      }
      for (const path of ['/svc/v2/posts', '/svc/v2/types']) {
        for (const scheme of [first, second] as const) await check(path, scheme, 'OPTIONS')
      }
    }
    assert.is(await check('/svc/v2/posts', 'https'), 'HIT')
    assert.is(await check('/svc/v2/posts', 'http'), 'HIT')
  },
)

tls('keeps the scheme of the config in the home URL, and in links to pages', async () => {
  await using site = await serve({ trust_proxy: true })
  const index = await site.json('/?_fields=url,home', OVER_TLS)
  assert.equal(index, { url: site.home, home: site.home })
})

tls('sets Location and page links with the scheme of the request', async () => {
  await using site = await serve({ trust_proxy: true })
  const headers = { ...as('administrator'), ...OVER_TLS, 'content-type': 'application/json' }
  for (const title of ['One', 'Two']) {
    const body = JSON.stringify({ title, status: 'publish' })
    const created = await site.request('/svc/v2/posts', { method: 'POST', headers, body })
    assert.match(created.headers.get('location')!, /^https:/)
  }
  const { headers: list } = await site.get('/svc/v2/posts?per_page=1', OVER_TLS)
  assert.match(list.get('link')!, /<https:[^>]*>; rel="next"/)
})

tls('keeps http for other hosts, and if no proxy is trusted', async () => {
  const linkOf = async (site: Site, host: string, headers = OVER_TLS) => {
    const url = site.listening.replace('127.0.0.1', host)
    return (await site.get(`${url}/svc-json/`, headers)).headers.get('link')!.slice(1, 7)
  }
  await using trusting = await serve({ trust_proxy: true })
  assert.is(await linkOf(trusting, '127.0.0.1'), 'https:')
  assert.is(await linkOf(trusting, 'localhost'), 'http:/')
  assert.is(await linkOf(trusting, '127.0.0.1', { 'x-forwarded-proto': 'https, http' }), 'http:/')
  assert.is(await linkOf(trusting, '127.0.0.1', { 'x-forwarded-proto': 'http, https' }), 'https:')
  await using other = await serve()
  assert.is(await linkOf(other, '127.0.0.1'), 'http:/')
  await using secure = await serve({ trust_proxy: true, home: 'https://site.test' })
  assert.is(await linkOf(secure, '127.0.0.1', WITHOUT_TLS), 'https:')
})

tls('passes the upgraded URL to taps of rest_url, in every form of URLs', async () => {
  for (const addresses of ['pretty', 'index', 'plain']) {
    for (const revision of ['4.4', 'latest']) {
      await using site = await serve({ trust_proxy: true, addresses, revision })
      const received: string[] = []
      site.kernel.hooks.rest_url.tap('test', (url) => {
        received.push(url)
        return url
      })
      await site.get('/', OVER_TLS)
      assert.ok(received.length > 0)
      assert.equal([...new Set(received.map((url) => url.slice(0, 6)))], ['https:'], `${addresses} ${revision}`)
    }
  }
})

tls('with force_admin, prints https for every request and redirects the admin and the log-in to TLS', async () => {
  await using site = await serve({ trust_proxy: true, plugins: { tls: { force_admin: true } } })
  const { host } = new URL(site.listening)
  const get = (path: string, headers: Record<string, string>) =>
    site.request(`${site.listening}${path}`, { headers, redirect: 'manual' })
  assert.match((await site.get('/', WITHOUT_TLS)).headers.get('link')!, /^<https:/)
  for (const path of ['/svc-login', '/svc-admin/', '/svc-admin', '/svc-admin/content/post?page=2']) {
    const redirected = await get(path, WITHOUT_TLS)
    assert.equal([redirected.status, redirected.headers.get('location')], [302, `https://${host}${path}`])
    assert.is.not((await get(path, OVER_TLS)).headers.get('location'), `https://${host}${path}`)
  }
  assert.is((await get('/', WITHOUT_TLS)).status, 200)
  await using withoutProxy = await serve({ plugins: { tls: { force_admin: true } } })
  assert.match((await withoutProxy.get('/')).headers.get('link')!, /^<https:/)
  assert.is((await withoutProxy.get(`${withoutProxy.home}/svc-login`)).status, 200)
})

tls.run()
