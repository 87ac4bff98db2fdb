import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, HeaderMap, RestResponse, type SitePage } from '../../../kernel/index.ts'
import { createPicker } from '../../../plugins/responses/compression/negotiate.ts'
import { serve, type Site, CONTENT_PLUGINS, startOnly } from '../../helpers/site.ts'
import { until } from '../../helpers/until.ts'

startOnly('compression', ...CONTENT_PLUGINS)

const compression = suite('compression')

interface Received {
  status: number
  headers: IncomingHttpHeaders
  /** Raw bytes, which fetch would decode. */
  bytes: Buffer
}

function send(
  { home }: Site,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body?: string,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${home}${path}`, { headers, method, agent: false }, (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(pieces) }),
      )
      answer.on('error', reject)
    })
    request.on('error', reject).end(body)
  })
}

const gzip = { 'accept-encoding': 'gzip' }
const decode = { gzip: gunzipSync, zstd: zstdDecompressSync, br: brotliDecompressSync }
const LONG_TEXT = 'All work and no play. '.repeat(200)
/** Names of streams that have been destroyed. */
const ended: string[] = []

/** REST responses and pages of many kinds. */
const kinds = definePlugin({
  name: 'kinds',
  apply({ hooks }) {
    hooks.rest_api_init.tap('kinds', (server) => {
      const route = (path: string, callback: () => unknown) =>
        server.registerRoute('kinds/v1', path, { methods: 'GET, POST', permission_callback: () => true, callback })
      route('long', () => ({ text: LONG_TEXT }))
      route('short', () => ({ text: 'short' }))
      route('image', () => new RestResponse({ text: LONG_TEXT }, 200, { 'Content-Type': 'image/png' }))
      route('coded', () => new RestResponse({ text: LONG_TEXT }, 200, { 'Content-Encoding': 'x-own' }))
      route('as-it-is', () => new RestResponse({ text: LONG_TEXT }, 200, { 'Cache-Control': 'no-transform' }))
      route('nothing', () => new RestResponse(null, 204))
      route('refused', () => new RestResponse({ text: LONG_TEXT }, 418))
      route('huge', () => {
        server.responseBudget.take(5_000_000)
        return { text: Array.from({ length: 300 }, (_, index) => `${index} ${LONG_TEXT}`) }
      })
    })
    const pages: Record<string, () => SitePage> = {
      '/page': () => page({ 'Content-Type': 'text/html' }, LONG_TEXT),
      '/bytes': () => page({ 'Content-Type': 'image/svg+xml', ETag: '"a"' }, Buffer.from(LONG_TEXT)),
      '/picture': () => page({ 'Content-Type': 'image/png' }, LONG_TEXT),
      '/form': () => page({ 'Content-Type': 'text/html', 'Cache-Control': 'private, no-store' }, LONG_TEXT),
      '/cookie': () => page({ 'Content-Type': 'text/html', 'Set-Cookie': 'a=b' }, LONG_TEXT),
      '/endless': () => page({ 'Content-Type': 'text/css' }, Readable.from(endless())),
    }
    hooks.site_request.tap('kinds', (found, { path }) => pages[path]?.() ?? found)
  },
})

const page = (headers: Record<string, string>, body: SitePage['body']): SitePage => ({
  status: 200,
  headers: new HeaderMap(headers),
  body,
})

async function* endless() {
  try {
    for (;;) yield Buffer.from(Math.random().toString(36).repeat(1000))
  } finally {
    ended.push('endless')
  }
}

compression('encodes long bodies in an accepted encoding, and sets Vary', async () => {
  await using site = await serve({ add: [kinds] })
  const plain = await send(site, '/svc-json/kinds/v1/long')
  assert.is(plain.headers['content-encoding'], undefined)
  assert.match(plain.headers.vary ?? '', 'Accept-Encoding')
  assert.is(plain.headers['content-length'], String(plain.bytes.length))
  for (const encoding of ['gzip', 'zstd'] as const) {
    const { headers, bytes } = await send(site, '/svc-json/kinds/v1/long', { 'accept-encoding': encoding })
    assert.is(headers['content-encoding'], encoding)
    assert.match(headers.vary ?? '', 'Accept-Encoding')
    assert.is(headers['content-length'], String(bytes.length))
    assert.ok(bytes.length < plain.bytes.length / 10)
    assert.equal(decode[encoding](bytes), plain.bytes)
    assert.is(headers.etag, plain.headers.etag!.replace(/"$/, `-${encoding}"`))
  }
  const browser = await send(site, '/svc-json/kinds/v1/long', { 'accept-encoding': 'gzip, deflate, br, zstd' })
  assert.is(browser.headers['content-encoding'], 'zstd')
  // br is slow and only used for cached bodies.
  const slow = await send(site, '/svc-json/kinds/v1/long', { 'accept-encoding': 'br' })
  assert.is(slow.headers['content-encoding'], undefined)
  const refused = await send(site, '/svc-json/kinds/v1/refused', gzip)
  assert.equal([refused.status, refused.headers['content-encoding']], [418, 'gzip'])
})

compression('ignores short bodies, ranges, other types and encoded bodies', async () => {
  await using site = await serve({ add: [kinds] })
  for (const path of ['short', 'image', 'as-it-is', 'nothing']) {
    assert.is((await send(site, `/svc-json/kinds/v1/${path}`, gzip)).headers['content-encoding'], undefined, path)
  }
  assert.match((await send(site, '/svc-json/kinds/v1/short', gzip)).headers.vary ?? '', 'Accept-Encoding')
  assert.not.match((await send(site, '/svc-json/kinds/v1/image', gzip)).headers.vary ?? '', 'Accept-Encoding')
  assert.is((await send(site, '/svc-json/kinds/v1/coded', gzip)).headers['content-encoding'], 'x-own')
  const part = await send(site, '/svc-json/kinds/v1/long', { ...gzip, range: 'bytes=0-9' })
  assert.is(part.headers['content-encoding'], undefined)
})

compression('sends the headers of GET with HEAD, without a length or body', async () => {
  await using site = await serve({ add: [kinds] })
  for (const path of ['/svc-json/kinds/v1/long', '/svc-json/kinds/v1/short', '/page', '/bytes']) {
    const get = await send(site, path, gzip)
    const head = await send(site, path, gzip, 'HEAD')
    assert.is(head.bytes.length, 0)
    const sharedHeaders = ({ headers }: Received) =>
      ['content-encoding', 'etag', 'content-type'].map((name) => headers[name])
    assert.equal(sharedHeaders(head), sharedHeaders(get), path)
    assert.match(head.headers.vary ?? '', 'Accept-Encoding')
    if (head.headers['content-encoding'] !== undefined) assert.is(head.headers['content-length'], undefined)
  }
  // A POST overridden to HEAD has no body either.
  const overridden = await send(site, '/svc-json/kinds/v1/long', { ...gzip, 'x-http-method-override': 'HEAD' }, 'POST')
  assert.equal([overridden.status, overridden.bytes.length], [200, 0])
})

compression('encodes very long bodies piece by piece', async () => {
  await using site = await serve({ add: [kinds] })
  const plain = await send(site, '/svc-json/kinds/v1/huge')
  assert.ok(plain.bytes.length > 1_000_000)
  for (const encoding of ['gzip', 'zstd'] as const) {
    const { headers, bytes } = await send(site, '/svc-json/kinds/v1/huge', { 'accept-encoding': encoding })
    assert.is(headers['content-length'], String(bytes.length))
    assert.equal(decode[encoding](bytes), plain.bytes)
    assert.is(headers.etag, plain.headers.etag!.replace(/"$/, `-${encoding}"`))
  }
  // The budget is released.
  for (let round = 0; round < 20; round++) {
    assert.is((await send(site, '/svc-json/kinds/v1/huge', gzip)).status, 200)
  }
})

compression('encodes public pages, but no pages that can contain a secret', async () => {
  await using site = await serve({ add: [kinds] })
  for (const path of ['/page', '/bytes']) {
    const { headers, bytes } = await send(site, path, gzip)
    assert.is(headers['content-encoding'], 'gzip', path)
    assert.match(headers.vary ?? '', 'Accept-Encoding')
    assert.is(String(gunzipSync(bytes)), LONG_TEXT)
  }
  assert.is((await send(site, '/bytes', gzip)).headers.etag, '"a-gzip"')
  assert.match((await send(site, '/page')).headers.vary ?? '', 'Accept-Encoding')
  for (const path of ['/picture', '/form', '/cookie', '/svc-login']) {
    assert.is((await send(site, path, gzip)).headers['content-encoding'], undefined, path)
  }
})

compression('destroys the source stream of an encoded page after a disconnect', async () => {
  await using site = await serve({ add: [kinds] })
  ended.length = 0
  const request = httpRequest(`${site.home}/endless`, { headers: gzip, agent: false }, (answer) => {
    assert.is(answer.headers['content-encoding'], 'gzip')
    answer.once('data', () => request.destroy())
  })
  request.on('error', () => {}).end()
  await until(() => ended.length > 0)
})

compression('encodes text files, supports ranges and matches the tags of all variants', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'compression-'))
  await writeFile(join(folder, 'notes.txt'), LONG_TEXT)
  await using site = await serve({ uploads: folder })
  try {
    const plain = await send(site, '/uploads/notes.txt')
    assert.is(plain.headers['accept-ranges'], 'bytes')
    const coded = await send(site, '/uploads/notes.txt', gzip)
    assert.equal([coded.headers['content-encoding'], coded.headers['content-length']], ['gzip', undefined])
    assert.is(coded.headers['accept-ranges'], undefined)
    assert.is(String(gunzipSync(coded.bytes)), LONG_TEXT)
    const etag = coded.headers.etag!
    assert.is(etag, plain.headers.etag!.replace(/"$/, '-gzip"'))

    for (const tag of [etag, plain.headers.etag!, `"x", W/${etag}`]) {
      const same = await send(site, '/uploads/notes.txt', { ...gzip, 'if-none-match': tag })
      assert.equal([same.status, same.headers.etag], [304, tag.replace('"x", W/', '')])
      assert.match(same.headers.vary ?? '', 'Accept-Encoding')
    }
    const range = await send(site, '/uploads/notes.txt', { ...gzip, range: 'bytes=4-7' })
    assert.equal([range.status, range.headers['content-encoding'], String(range.bytes)], [206, undefined, 'work'])
    // A range of the plain bytes does not continue encoded ones.
    const resumed = await send(site, '/uploads/notes.txt', { ...gzip, range: 'bytes=4-7', 'if-range': etag })
    assert.equal([resumed.status, resumed.headers['content-encoding']], [200, undefined])
    const head = await send(site, '/uploads/notes.txt', gzip, 'HEAD')
    assert.equal([head.headers.etag, head.headers['content-encoding']], [etag, 'gzip'])
  } finally {
    await rm(folder, { recursive: true })
  }
})

compression('uses its options, and does nothing if disabled', async () => {
  await using site = await serve({
    add: [kinds],
    plugins: { compression: { minBytes: 10, encodings: ['gzip'] } },
  })
  const both = { 'accept-encoding': 'gzip, zstd' }
  assert.is((await send(site, '/svc-json/kinds/v1/short', both)).headers['content-encoding'], 'gzip')
  const service = site.kernel.services.compression
  assert.equal([service.pickEncoding('gzip, br'), service.pickEncoding('br'), service.minBytes], ['gzip', null, 10])
  await using off = await serve({ add: [kinds], plugins: { compression: { enabled: false } } })
  const { headers } = await send(off, '/svc-json/kinds/v1/long', gzip)
  assert.is(headers['content-encoding'], undefined)
  assert.not.match(headers.vary ?? '', 'Accept-Encoding')
  assert.is(off.kernel.services.compression.pickEncoding('gzip'), null)
})

compression('compresses bodies for plugins in every encoding', async () => {
  await using site = await serve()
  const { compress, pickEncoding } = site.kernel.services.compression
  for (const encoding of ['br', 'zstd', 'gzip'] as const) {
    for (const effort of ['quick', 'best'] as const) {
      const bytes = await compress(Buffer.from(LONG_TEXT), encoding, effort)
      assert.is(String(decode[encoding](bytes)), LONG_TEXT)
    }
  }
  assert.is(pickEncoding('gzip, deflate, br, zstd'), 'br')
})

compression('parses Accept-Encoding, including malformed and very long values', () => {
  const pick = createPicker(['br', 'zstd', 'gzip'])
  const cases: [string | null, string | null][] = [
    [null, null],
    ['', null],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['deflate', null],
    ['*', 'br'],
    ['br;q=0, *', 'zstd'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['gzip;q=0', null],
    ['gzip;q=0.001', 'gzip'],
    ['gzip ; q=0.5 , zstd ; q = 0.5', 'zstd'],
    ['identity, gzip;q=0.5', null],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0', null],
    ['identity;q=0, gzip', 'gzip'],
    ['*;q=0', null],
    ['gzip;q=2, br;q=x, zstd;q=', null],
    ['gzip;level=9', null],
    [',,;;,gzip', 'gzip'],
    ['gzip'.repeat(10_000), null],
    [';'.repeat(499), null],
  ]
  for (const [header, expected] of cases) {
    for (let time = 0; time < 2; time++) assert.is(pick(header), expected, String(header).slice(0, 50))
  }
  for (let index = 0; index < 1000; index++) assert.is(pick(`gzip, x${index}`), 'gzip')
})

compression.run()
