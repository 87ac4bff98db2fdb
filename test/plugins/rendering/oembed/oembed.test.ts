import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../../../helpers/content.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'
import { startOnly } from '../../../helpers/site.ts'

startOnly('content-rendering', 'oembed')

const EMBED = '/oembed/1.0/embed'
const PROXY = '/oembed/1.0/proxy'

/** Starts a provider of pages below /watch/, which responds with the entries of `answers`. */
async function provide(answers: Record<string, unknown>) {
  const requestUrls: string[] = []
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://provider.test')
    if (pathname.startsWith('/page/')) {
      const { host } = request.headers
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end(`<link rel="alternate" type="application/json+oembed" href="http://${host}/oembed?of=${pathname}">`)
      return
    }
    requestUrls.push(request.url!)
    const path = new URL(searchParams.get('url') ?? 'http://none.test/').pathname
    const answer = answers[path]
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? null))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    requestUrls,
    plugins: {
      outgoing: { allow: [host], per_user: 20 },
      oembed: {
        providers: [
          { name: 'Test', urls: [`http://${host}/watch/*`], endpoint: `http://${host}/oembed`, frames: [host] },
        ],
        without: ['*'],
        discover: [host],
      },
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

for (const { name, place } of databases) {
  const oembed = suite(`oembed on ${name}`)

  oembed('embeds public posts, and reveals no others', async () => {
    await using site = await serveWithUsers(place)
    const author_id = site.users.ann
    const [open, draft, secret, locked] = (await addPosts(
      site.store,
      { title: 'A & <em>B</em>', slug: 'open', author_id, content: 'Read <b>this</b>.' },
      { title: 'Draft', slug: 'draft', status: 'draft', author_id },
      { title: 'Private', slug: 'private', status: 'private', author_id },
      { title: 'Locked', slug: 'locked', password: 'key', content: 'The secret text', author_id },
    )) as [number, number, number, number]
    const { link } = await site.json(`/svc/v2/posts/${open}`)
    const fetchEmbed = (url: string, more = '') => site.request(`${EMBED}?url=${encodeURIComponent(url)}${more}`)
    // oxlint-disable-next-line typescript/no-explicit-any -- assertions check the shape
    const read = async (response: Response): Promise<any> => response.json()
    const answer = await read(await fetchEmbed(link, '&maxwidth=320'))
    assert.equal([answer.title, answer.type, answer.width, answer.height], ['A & B', 'rich', 320, 200])
    assert.match(answer.html, 'sandbox=')
    assert.not.match(answer.html, '<em>')
    assert.is((await read(await fetchEmbed(`${site.home}/?p=${open}`))).title, 'A & B')
    for (const id of [draft, secret, 9999]) {
      for (const url of [`${site.home}/?p=${id}`, `${site.home}/draft/`, `${site.home}/private/`]) {
        const refused = await fetchEmbed(url)
        assert.equal([refused.status, (await read(refused)).code], [404, 'oembed_invalid_url'])
        const path = `${PROXY}?url=${encodeURIComponent(url)}`
        assert.is(
          (await site.request(path, { headers: site.by('admin') })).status,
          404,
          'not for administrators either',
        )
      }
    }
    for (const url of [
      'nonsense',
      'https://elsewhere.test/',
      `${site.home}/category/uncategorized/`,
      'x'.repeat(3000),
    ]) {
      assert.is((await fetchEmbed(url)).status, 404)
    }
    assert.is((await read(await fetchEmbed(`${site.home}/?p=${locked}`))).title, 'Protected: Locked')

    const page = await site.request(new URL(answer.html.match(/src="([^"]*)"/)[1].replaceAll('&amp;', '&')).href)
    assert.is(page.status, 200)
    assert.match(page.headers.get('content-security-policy')!, 'frame-ancestors *')
    assert.not(page.headers.has('x-frame-options'))
    assert.is(page.headers.get('cache-control'), 'no-cache')
    const html = await page.text()
    assert.match(html, 'Read this.')
    assert.match(html, 'application/json+oembed')
    const protectedPage = await (await site.request(`${site.home}/?p=${locked}&embed=true`)).text()
    assert.not.match(protectedPage, 'secret text')
    assert.not.match(await (await site.request(`${site.home}/?p=${draft}&embed=true`)).text(), 'Draft')
    assert.is((await site.request(`${site.home}/draft/embed/`)).status, 404)
  })

  oembed('responds in XML on request', async () => {
    await using site = await serveWithUsers(place)
    const [id] = await addPosts(site.store, { title: 'A & B', slug: 'open' })
    const url = encodeURIComponent(`${site.home}/?p=${id}`)
    const answer = await site.request(`${EMBED}?url=${url}&format=xml`)
    assert.is(answer.headers.get('content-type'), 'text/xml; charset=UTF-8')
    assert.match(await answer.text(), '<title>A &#38; B</title>')
  })

  oembed('refuses lists and objects as URL, and ignores them as size', async () => {
    await using site = await serveWithUsers(place)
    const [id] = await addPosts(site.store, { title: 'Open', slug: 'open' })
    const headers = site.by('con')
    for (const path of [EMBED, PROXY]) {
      for (const url of ['url[raw]=http://a.test/', 'url[]=http://a.test/', 'url[a][b]=c']) {
        const answer = await site.request(`${path}?${url}`, { headers })
        assert.equal([path, url, answer.status], [path, url, 400])
        assert.is(((await answer.json()) as { code: string }).code, 'rest_invalid_param')
      }
      const own = encodeURIComponent(`${site.home}/?p=${id}`)
      const answer = await site.request(`${path}?url=${own}&maxwidth[raw]=300&maxwidth[b]=1`, { headers })
      assert.equal([path, answer.status], [path, 200])
    }
  })

  oembed('requests each page once, for users who can edit posts, and accepts only frames of the provider', async () => {
    const answers: Record<string, unknown> = {}
    await using provider = await provide(answers)
    const { host } = provider
    const frame = (src: string) => ({
      type: 'video',
      title: '<b>x</b>',
      width: 640,
      height: 360,
      html: `<script>steal()</script><div><iframe src="${src}" width="640" height="360" onload="steal()" allow="fullscreen; camera"></iframe></div>`,
    })
    answers['/watch/good'] = frame(`http://${host}/player/1`)
    answers['/watch/foreign'] = frame('https://evil.test/player')
    answers['/watch/script'] = frame('javascript:alert(1)')
    answers['/watch/text'] = {
      type: 'rich',
      html: '<blockquote onclick="x()">Said <a href="javascript:x()">he</a></blockquote><script>x()</script>',
    }
    answers['/watch/photo'] = { type: 'photo', url: 'javascript:x()', width: 1, height: 1 }
    answers['/watch/broken'] = '{"type": "video", '
    answers['/watch/list'] = []
    answers['/watch/large'] = { type: 'rich', html: 'x'.repeat(300_000) }
    answers['/page/own'] = frame(`http://${host}/player/2`)
    await using site = await serveWithUsers(place, { plugins: provider.plugins })
    const fetchProxied = async (path: string, login: 'ann' | 'con' | 'sub' | null = 'con', more = '') => {
      const url = encodeURIComponent(`http://${host}${path}`)
      const headers = login === null ? {} : site.by(login)
      const response = await site.request(`${PROXY}?url=${url}${more}`, { headers })
      // oxlint-disable-next-line typescript/no-explicit-any -- assertions check the shape
      return { status: response.status, body: (await response.json()) as any }
    }
    assert.is((await fetchProxied('/watch/good', null)).status, 401)
    assert.is((await fetchProxied('/watch/good', 'sub')).status, 403)
    assert.is(provider.requestUrls.length, 0)
    const good = await fetchProxied('/watch/good')
    assert.equal([good.status, good.body.type, good.body.width, good.body.provider_name], [200, 'video', 640, 'Test'])
    assert.match(good.body.html, `<iframe src="http://${host}/player/1" width="640" height="360" allow="fullscreen"`)
    assert.not.match(good.body.html, /script>|onload|camera/)
    await Promise.all([fetchProxied('/watch/good', 'ann'), fetchProxied('/watch/good')])
    assert.is(provider.requestUrls.length, 1, 'the response is cached')
    const text = await fetchProxied('/watch/text')
    assert.match(text.body.html, /^<blockquote>Said/)
    assert.not.match(text.body.html, /javascript|onclick|script/)
    for (const path of ['foreign', 'script', 'photo', 'broken', 'list', 'large', 'gone']) {
      assert.equal([(await fetchProxied(`/watch/${path}`)).status, path], [404, path])
    }
    const count = provider.requestUrls.length
    await fetchProxied('/watch/gone')
    assert.is(provider.requestUrls.length, count, 'a failed request is not repeated immediately')
    assert.is((await fetchProxied('/page/own')).status, 200)
    assert.is((await fetchProxied('/page/own', 'con', '&discover=false&maxwidth=300')).status, 404)
    assert.is((await fetchProxied('/elsewhere')).status, 404)

    // Requests are limited per user, without affecting other users.
    let status = 200
    let next = ''
    for (let more = 0; status === 200 && more < 100; more += 1) {
      next = `/watch/more${more}`
      answers[next] = frame(`http://${host}/player/${more}`)
      status = (await fetchProxied(next)).status
    }
    assert.is(status, 429)
    assert.is((await fetchProxied(next, 'ann')).status, 200)
  })

  oembed.run()
}
