import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, HeaderMap, RestResponse } from '../../../kernel/index.ts'
import { serve, startOnly } from '../../helpers/site.ts'

startOnly('discovery')

/** Without the plugin `site-pages`, which replaces the plain front page. */
const PLAIN = { plugins: { 'site-pages': false } }
const discovery = suite('discovery')

discovery('links to the root on the front page with GET and HEAD, in the format that clients expect', async () => {
  await using site = await serve({ word: 'wp' })
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await site.request(`${site.home}/`, { method })
    assert.is(status, 200)
    assert.is(headers.get('link'), `<${site.home}/wp-json/>; rel="https://api.w.org/"`)
  }
})

discovery('shows the name of the site and the URL of the REST API on the front page', async () => {
  await using site = await serve(PLAIN)
  await site.kernel.services.options.set('title', 'Tom & <Jerry>')
  const answer = await site.get(`${site.home}/`)
  const html = await answer.text()
  assert.is(answer.headers.get('content-type'), 'text/html; charset=UTF-8')
  assert.match(html, '<h1>Tom &amp; &lt;Jerry&gt;</h1>')
  assert.match(html, `<link rel="urn:svc-rest:" href="${site.home}/svc-json/">`)
})

discovery('keeps the front page of another plugin and adds its link', async () => {
  const pages = definePlugin({
    name: 'pages',
    apply({ hooks }) {
      hooks.site_request.tap('pages', (page, { path }) => {
        const type = path === '/logo.png' ? 'image/png' : 'text/html'
        return (
          page ?? {
            status: 200,
            headers: new HeaderMap({ 'Content-Type': type, Link: '</a.css>; rel=preload' }),
            body: 'mine',
          }
        )
      })
    },
  })
  await using site = await serve({ add: [pages] })
  const page = await site.get(`${site.home}/`)
  assert.is(await page.text(), 'mine')
  assert.is(page.headers.get('link'), `<${site.home}/svc-json/>; rel="urn:svc-rest:", </a.css>; rel=preload`)
  assert.is((await site.get(`${site.home}/logo.png`)).headers.get('link'), '</a.css>; rel=preload')
})

discovery('links to the root on responses without links, including errors', async () => {
  const linked = definePlugin({
    name: 'linked',
    apply({ hooks }) {
      hooks.rest_api_init.tap('linked', (server) => {
        const callback = () => {
          const response = new RestResponse({})
          response.linkHeader('alternate', 'http://a/ü', { type: 'text/html' })
          return response
        }
        server.registerRoute('linked/v1', 'it', { permission_callback: () => true, callback })
      })
    },
  })
  await using site = await serve({ add: [linked] })
  const root = `<${site.home}/svc-json/>; rel="urn:svc-rest:"`
  for (const path of ['/svc/v2/types', '/nope']) assert.is((await site.get(path)).headers.get('link'), root)
  assert.is((await site.get('/linked/v1/it')).headers.get('link'), '<http://a/%C3%BC>; rel="alternate"; type=text/html')
  const envelope = await site.get('/linked/v1/it?_envelope')
  assert.is(envelope.headers.get('link'), root)
  assert.match(((await envelope.json()) as { headers: { Link: string } }).headers.Link, 'alternate')
})

discovery('serves the front page only', async () => {
  await using site = await serve(PLAIN)
  assert.is((await site.get(`${site.home}/about/`)).status, 404)
  assert.is((await site.request(`${site.home}/`, { method: 'POST' })).status, 404)
  assert.is((await site.get(`${site.home}/index.php`)).status, 200)
})

discovery('adds nothing if disabled', async () => {
  await using site = await serve({ plugins: { discovery: false, 'site-pages': false } })
  assert.is((await site.get('/svc/v2/types')).headers.get('link'), null)
  assert.is((await site.get(`${site.home}/`)).status, 404)
})

discovery.run()
