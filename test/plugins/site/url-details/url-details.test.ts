import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodePage, readPage } from '../../../../plugins/site/url-details/read-page.ts'
import { discoveredEndpoint, frameIn } from '../../../../plugins/rendering/oembed/markup.ts'
import { addPosts } from '../../../helpers/content.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'

const details = suite('details of URLs')

details('are read from the head of a page, with any other content in it', () => {
  const page = `<!doctype html><head><title> A &amp; B\n</title><link rel="shortcut icon" href="/i.ico">
    <meta name=description content="About &lt;it&gt;"><meta property="og:image" content="//cdn.test/a.png">
    <meta property="og:image" content="second.png"></head><body><title>no</title><meta name="x" content="y">`
  assert.equal(readPage(page, 'https://a.test/b/'), {
    title: 'A & B',
    icon: 'https://a.test/i.ico',
    description: 'About <it>',
    image: 'https://cdn.test/a.png',
  })
  const unsafe = readPage(
    '<link rel=icon href="javascript:x()"><meta property=og:image content="data:x">',
    'https://a.test/',
  )
  assert.equal([unsafe.icon, unsafe.image], ['', ''])
  const before = performance.now()
  readPage('<meta <'.repeat(200_000), 'https://a.test/')
  readPage(`<title>${'a&'.repeat(500_000)}`, 'https://a.test/')
  for (const part of ['<b>', '<svg>', '<p>', '<title>', '<a b', '&lt;', '<!--']) {
    const left = part.repeat(150_000)
    for (const html of [left, `${left}${'</i>'.repeat(150_000)}`]) {
      readPage(html, 'https://a.test/')
      discoveredEndpoint(html, 'https://a.test/')
      frameIn(html, () => true)
    }
  }
  assert.ok(performance.now() - before < 15_000, 'in a time that grows with the text alone')
})

details('are decoded with the encoding of the page or its header', () => {
  assert.match(decodePage(Buffer.from('<title>\xe4</title>', 'latin1'), 'text/html; charset=iso-8859-1'), 'ä')
  assert.match(decodePage(Buffer.from('<meta charset="windows-1252"><title>\xe4', 'latin1'), null), 'ä')
  assert.match(decodePage(Buffer.from('ä'), 'text/html; charset=nonsense'), 'ä')
})

details('require permission to write, and a public host', async () => {
  let requestCount = 0
  const server = createServer(({ url }, response) => {
    requestCount += 1
    if (url === '/empty') response.writeHead(200, { 'content-type': 'text/html' }).end('')
    else if (url === '/private') response.writeHead(302, { location: 'http://192.168.0.1/' }).end()
    else if (url === '/image') response.writeHead(200, { 'content-type': 'image/png' }).end('x')
    else if (url!.startsWith('/page'))
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Page</title>')
    else response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    await using site = await serveWithUsers(databases[0]!.place, {
      plugins: { outgoing: { allow: [host], per_user: 10 } },
    })
    const fetchDetails = async (url: string, login?: 'con' | 'sub' | 'ed') => {
      const path = `/svc-block-editor/v1/url-details?url=${encodeURIComponent(url)}`
      const response = await site.request(path, { headers: login === undefined ? {} : site.by(login) })
      const body = (await response.json()) as { code?: string; title?: string }
      return [response.status, body.code ?? body.title]
    }
    const page = `http://${host}/page`
    assert.equal(await fetchDetails(page), [401, 'rest_cannot_view_url_details'])
    assert.equal(await fetchDetails(page, 'sub'), [403, 'rest_cannot_view_url_details'])
    assert.is(requestCount, 0)
    assert.equal(await fetchDetails(page, 'con'), [200, 'Page'])
    assert.equal(await fetchDetails(page, 'con'), [200, 'Page'])
    assert.is(requestCount, 1)
    assert.equal(await fetchDetails(`http://${host}/empty`, 'con'), [404, 'no_content'])
    assert.equal(await fetchDetails(`http://${host}/image`, 'con'), [404, 'no_content'])
    assert.equal(await fetchDetails(`http://${host}/gone`, 'con'), [404, 'no_response'])
    assert.equal(await fetchDetails(`http://${host}/private`, 'con'), [400, 'rest_invalid_url'])
    for (const url of [
      'http://10.0.0.1/',
      'http://[::1]/',
      'http://2130706433/',
      'file:///etc/passwd',
      'x'.repeat(3000),
    ]) {
      assert.equal(await fetchDetails(url, 'con'), [400, 'rest_invalid_param'], url)
    }
    const [open, draft] = await addPosts(site.store, { title: 'Own' }, { title: 'Draft', status: 'draft' })
    assert.equal(await fetchDetails(`${site.home}/?p=${open}`, 'con'), [200, 'Own'])
    assert.equal(await fetchDetails(`${site.home}/?p=${draft}`, 'con'), [404, 'no_response'])

    // A user cannot make the server request an unlimited number of hosts.
    let status: unknown = 200
    let next = ''
    for (let more = 0; status === 200 && more < 100; more += 1)
      [status] = await fetchDetails((next = `${page}?${more}`), 'con')
    assert.is(status, 429)
    assert.ok(requestCount < 100)
    assert.equal(await fetchDetails(page, 'con'), [200, 'Page'], 'what is known is told')
    assert.equal(await fetchDetails(next, 'ed'), [200, 'Page'], 'others may ask')
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

details.run()
