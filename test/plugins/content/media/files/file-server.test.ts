import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve, type ServeOptions, type Site, startOnly } from '../../../../helpers/site.ts'

startOnly('media')

const files = suite('media files')

const PHOTO = '2025/01/photo.jpg'
const BYTES = Array.from({ length: 1000 }, (_, index) => String.fromCharCode(97 + (index % 26))).join('')
const WHEN = new Date('2025-01-06T10:00:00Z')

interface FileSite extends AsyncDisposable {
  site: Site
  folder: string
  writeUpload(name: string, content?: string): Promise<void>
}

/** A site with a photo in its uploads folder, next to a file outside of it. */
async function fileSite(options: ServeOptions = {}): Promise<FileSite> {
  const around = await mkdtemp(join(tmpdir(), 'media-test-'))
  const folder = join(around, 'uploads')
  const writeUpload = async (name: string, content = BYTES) => {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
    await utimes(join(folder, name), WHEN, WHEN)
  }
  await writeUpload(PHOTO)
  await writeUpload('../secret.txt', 'secret')
  const site = await serve({ uploads: folder, ...options })
  return {
    site,
    folder,
    writeUpload,
    async [Symbol.asyncDispose]() {
      await site.kernel.close()
      await rm(around, { recursive: true })
    },
  }
}

/** Requests a path exactly as it is written; fetch would normalize it. */
function raw(home: string, path: string): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
  const { hostname, port } = new URL(home)
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, agent: false }, (answer) => {
      let body = ''
      answer.setEncoding('latin1').on('data', (chunk: string) => (body += chunk))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }))
    })
    request.on('error', reject).end()
  })
}

files('are sent with their type, their length and the headers for caches', async () => {
  await using at = await fileSite()
  const { site } = at
  const answer = await fetch(`${site.home}/uploads/${PHOTO}?w=604`)
  assert.is(answer.status, 200)
  assert.is(await answer.text(), BYTES)
  const { headers } = answer
  assert.is(headers.get('content-type'), 'image/jpeg')
  assert.is(headers.get('content-length'), '1000')
  assert.match(headers.get('etag') ?? '', /^"[^"]+"$/)
  assert.is(headers.get('last-modified'), 'Mon, 06 Jan 2025 10:00:00 GMT')
  assert.is(headers.get('cache-control'), 'public, max-age=2592000')
  assert.is(headers.get('x-content-type-options'), 'nosniff')
  assert.is(headers.get('accept-ranges'), 'bytes')
  assert.is(headers.get('content-disposition'), null)
})

files('have the same headers for HEAD without a body', async () => {
  await using at = await fileSite()
  const url = `${at.site.home}/uploads/${PHOTO}`
  const [head, get] = [await fetch(url, { method: 'HEAD' }), await fetch(url)]
  await get.text()
  assert.is(head.status, 200)
  assert.is(await head.text(), '')
  const headersOf = (answer: Response) =>
    [...answer.headers].filter(([name]) => !/^(?:date|connection|keep-alive|x-request-id)$/.test(name))
  assert.equal(headersOf(head), headersOf(get))
})

files('are found under the URLs in imported content', async () => {
  await using at = await fileSite()
  for (const path of [`/wp-content/uploads/${PHOTO}`, `/wp-content/uploads/sites/3/${PHOTO}`]) {
    assert.is(await (await fetch(at.site.home + path)).text(), BYTES, path)
  }
})

files('are found below the path of a home URL', async () => {
  await using at = await fileSite({ home: 'http://site.example/blog' })
  const answer = await fetch(`http://127.0.0.1:${at.site.kernel.port}/blog/uploads/${PHOTO}`)
  assert.is(await answer.text(), BYTES)
})

files('have names in any script, encoded once', async () => {
  await using at = await fileSite()
  await at.writeUpload('2025/01/größe 100%.txt', 'hello')
  const answer = await fetch(`${at.site.home}/uploads/2025/01/gr%C3%B6%C3%9Fe%20100%25.txt`)
  assert.is(answer.headers.get('content-type'), 'text/plain; charset=UTF-8')
  assert.is(await answer.text(), 'hello')
})

files('are not sent again to clients with a current copy', async () => {
  await using at = await fileSite()
  const url = `${at.site.home}/uploads/${PHOTO}`
  const first = await fetch(url)
  await first.text()
  const etag = first.headers.get('etag')!
  const status = async (headers: Record<string, string>, method = 'GET') => {
    const answer = await fetch(url, { headers, method })
    const body = await answer.text()
    if (answer.status === 304)
      assert.equal([body, answer.headers.get('etag'), answer.headers.get('content-length')], ['', etag, null])
    return answer.status
  }
  assert.is(await status({ 'if-none-match': etag }), 304)
  assert.is(await status({ 'if-none-match': `"other", W/${etag}` }, 'HEAD'), 304)
  assert.is(await status({ 'if-none-match': '*' }), 304)
  assert.is(await status({ 'if-none-match': '"other"' }), 200)
  assert.is(await status({ 'if-modified-since': WHEN.toUTCString() }), 304)
  assert.is(await status({ 'if-modified-since': 'Mon, 06 Jan 2025 09:59:59 GMT' }), 200)
  assert.is(await status({ 'if-modified-since': 'yesterday' }), 200)
  assert.is(await status({ 'if-none-match': '"other"', 'if-modified-since': WHEN.toUTCString() }), 200)
  assert.is(await status({ 'if-match': '"other"' }), 412)
  assert.is(await status({ 'if-match': etag }), 200)
  assert.is(await status({ 'if-unmodified-since': 'Mon, 06 Jan 2025 09:59:59 GMT' }), 412)
})

files('have a different ETag after a change', async () => {
  await using at = await fileSite()
  const tag = async () => {
    const answer = await fetch(`${at.site.home}/uploads/${PHOTO}`, { method: 'HEAD' })
    return answer.headers.get('etag')
  }
  const before = await tag()
  await utimes(join(at.folder, PHOTO), WHEN, new Date(WHEN.getTime() + 1))
  assert.is.not(await tag(), before)
})

files('are sent in parts', async () => {
  await using at = await fileSite()
  const parts: [range: string, content: string, told: string][] = [
    ['bytes=0-9', BYTES.slice(0, 10), 'bytes 0-9/1000'],
    ['bytes=990-', BYTES.slice(990), 'bytes 990-999/1000'],
    ['bytes=-5', BYTES.slice(-5), 'bytes 995-999/1000'],
    ['bytes=-5000', BYTES, 'bytes 0-999/1000'],
    ['bytes=990-99999999999999999999', BYTES.slice(990), 'bytes 990-999/1000'],
    ['bytes=10-19,0-9, 5-12', BYTES.slice(0, 20), 'bytes 0-19/1000'],
    ['bytes=0-0,5000-', BYTES.slice(0, 1), 'bytes 0-0/1000'],
  ]
  for (const [range, content, contentRange] of parts) {
    const answer = await fetch(`${at.site.home}/uploads/${PHOTO}`, { headers: { range } })
    assert.is(answer.status, 206, range)
    assert.is(answer.headers.get('content-range'), contentRange)
    assert.is(answer.headers.get('content-type'), 'image/jpeg')
    assert.is(answer.headers.get('content-length'), String(content.length))
    assert.is(await answer.text(), content)
  }
})

files('S32: are sent in several parts in one response, up to a small number', async () => {
  await using at = await fileSite()
  const answer = await fetch(`${at.site.home}/uploads/${PHOTO}`, { headers: { range: 'bytes=100-104,-3' } })
  assert.is(answer.status, 206)
  const [, boundary] = /^multipart\/byteranges; boundary=(\S+)$/.exec(answer.headers.get('content-type') ?? '') ?? []
  assert.ok(boundary)
  const body = await answer.text()
  const part = (from: number, to: number) =>
    `--${boundary}\r\nContent-Type: image/jpeg\r\nContent-Range: bytes ${from}-${to}/1000\r\n\r\n${BYTES.slice(from, to + 1)}\r\n`
  assert.is(body, `${part(100, 104)}${part(997, 999)}--${boundary}--\r\n`)
  assert.is(answer.headers.get('content-length'), String(body.length))
  const range = `bytes=${Array.from({ length: 500 }, (_, at) => `${2 * at}-${2 * at}`).join()}`
  const whole = await fetch(`${at.site.home}/uploads/${PHOTO}`, { headers: { range } })
  assert.equal([whole.status, (await whole.text()).length], [200, BYTES.length])
})

files('S32: are sent whole for invalid ranges', async () => {
  await using at = await fileSite()
  const url = `${at.site.home}/uploads/${PHOTO}`
  const many = `bytes=${Array.from({ length: 20 }, (_, index) => `${index * 10}-${index * 10 + 1}`).join(',')}`
  for (const range of ['bytes=', 'bytes=-', 'bytes=9-1', 'bytes=a-b', 'lines=1-2', '0-5', 'bytes=0-1,x', many]) {
    const answer = await fetch(url, { headers: { range } })
    assert.is(answer.status, 200, range)
    assert.is((await answer.text()).length, 1000)
  }
  const stale = await fetch(url, { headers: { range: 'bytes=0-1', 'if-range': '"other"' } })
  assert.is((await stale.text()).length, 1000)
  const etag = stale.headers.get('etag')!
  for (const condition of [etag, WHEN.toUTCString()]) {
    const fresh = await fetch(url, { headers: { range: 'bytes=0-1', 'if-range': condition } })
    assert.is((await fresh.text()).length, 2)
  }
})

files('S32: return 416 for a range beyond their end', async () => {
  await using at = await fileSite()
  await at.writeUpload('empty.txt', '')
  for (const [path, range, size] of [
    [PHOTO, 'bytes=1000-', 1000],
    [PHOTO, 'bytes=-0', 1000],
    ['empty.txt', 'bytes=0-', 0],
  ] as const) {
    const answer = await fetch(`${at.site.home}/uploads/${path}`, { headers: { range } })
    assert.is(answer.status, 416)
    assert.is(answer.headers.get('content-range'), `bytes */${size}`)
    await answer.text()
  }
  const whole = await fetch(`${at.site.home}/uploads/empty.txt`)
  assert.equal([whole.status, await whole.text()], [200, ''])
})

files('S32: are sent as downloads if they could run scripts', async () => {
  await using at = await fileSite()
  const names = [
    'a.svg',
    'b.html',
    'c.xml',
    'd.xhtml',
    'e.htm',
    'f.svgz',
    'g.js',
    'h.php',
    'i',
    'j.swf',
    'k.mht',
    'l.rss',
    'M.SVG',
  ]
  for (const name of names) {
    await at.writeUpload(name, '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    const { headers, ...answer } = await fetch(`${at.site.home}/uploads/${name}`).then(async (one) => ({
      status: one.status,
      headers: one.headers,
      body: await one.text(),
    }))
    assert.is(answer.status, 200)
    assert.is(headers.get('content-disposition'), 'attachment', name)
    assert.match(headers.get('content-security-policy') ?? '', /sandbox/)
    assert.is(headers.get('x-content-type-options'), 'nosniff')
  }
  for (const name of ['a.png', 'b.webp', 'c.mp4', 'd.mp3', 'e.pdf', 'f.woff2', 'g.txt', 'h.avif']) {
    await at.writeUpload(name)
    const answer = await fetch(`${at.site.home}/uploads/${name}`, { method: 'HEAD' })
    assert.is(answer.headers.get('content-disposition'), null, name)
  }
})

files('S28: are not found outside the folder, as hidden files or as a listing', async () => {
  await using at = await fileSite()
  await at.writeUpload('.htpasswd', 'secret')
  await at.writeUpload('2025/.hidden/x.txt', 'secret')
  await symlink('../secret.txt', join(at.folder, 'link.txt'))
  await symlink('..', join(at.folder, 'up'))
  await symlink('.htpasswd', join(at.folder, 'plain.txt'))
  const paths = [
    '/uploads',
    '/uploads/',
    '/uploads/2025',
    '/uploads/2025/01/',
    '/uploads/../secret.txt',
    '/uploads/%2e%2e/secret.txt',
    '/uploads/..%2fsecret.txt',
    '/uploads/%2e%2e%2fsecret.txt',
    '/uploads/..%5csecret.txt',
    '/uploads/2025/..\\..\\..\\secret.txt',
    '/uploads/%252e%252e/secret.txt',
    '/uploads/2025/../../secret.txt',
    '/uploads//photo.jpg',
    '/uploads/2025//01/photo.jpg',
    '/uploads/./2025/01/photo.jpg',
    '/uploads/2025/01/photo.jpg/',
    '/uploads/2025/01/photo.jpg%0d%0aX-Injected:%201',
    '/uploads/.htpasswd',
    '/uploads/%2ehtpasswd',
    '/uploads/2025/.hidden/x.txt',
    '/uploads/link.txt',
    '/uploads/up/secret.txt',
    '/uploads/plain.txt',
    '/UPLOADS/2025/01/photo.jpg',
    `/uploads/${'a'.repeat(5000)}.jpg`,
    '/uploads/2025/01/photo.jpg.',
  ]
  for (const path of paths) {
    const { status, body, headers } = await raw(at.site.home, path)
    assert.is(status, 404, path)
    assert.not.match(body, 'secret')
    assert.is(headers['x-injected'], undefined)
  }
  assert.is((await raw(at.site.home, '/uploads/2025/01/photo.jpg%00.txt')).status, 400)
  assert.is((await raw(at.site.home, '/uploads/%c0%ae%c0%ae/secret.txt')).status, 400)
  assert.is((await raw(at.site.home, `/uploads%2f2025%2f01/photo.jpg`)).body, BYTES)
})

files('accept only GET and HEAD', async () => {
  await using at = await fileSite()
  const url = `${at.site.home}/uploads/${PHOTO}`
  const answer = await fetch(url, { method: 'DELETE' })
  assert.is(answer.status, 405)
  assert.is(answer.headers.get('allow'), 'GET, HEAD')
  assert.is((await fetch(`${url}x`, { method: 'POST', body: 'x' })).status, 404)
  assert.is((await fetch(url)).status, 200)
})

files('are cacheable for max_age seconds', async () => {
  await using at = await fileSite({ plugins: { media: { max_age: 60 } } })
  const answer = await fetch(`${at.site.home}/uploads/${PHOTO}`, { method: 'HEAD' })
  assert.is(answer.headers.get('cache-control'), 'public, max-age=60')
})

files('are streamed without filling the memory, also if the client disconnects', async () => {
  await using at = await fileSite()
  await at.writeUpload('big.mp4', 'x'.repeat(40_000_000))
  const leaving = new AbortController()
  const left = await fetch(`${at.site.home}/uploads/big.mp4`, { signal: leaving.signal })
  await left.body?.getReader().read()
  leaving.abort()
  const whole = await fetch(`${at.site.home}/uploads/big.mp4`)
  assert.is((await whole.arrayBuffer()).byteLength, 40_000_000)
})

files.run()
