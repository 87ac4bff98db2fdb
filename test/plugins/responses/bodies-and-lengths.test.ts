import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { describeHooks, type HookListing } from '../../../bin/config/index.ts'
import { definePlugin, HeaderMap, RestResponse } from '../../../kernel/index.ts'
import type { SentResponse } from '../../../plugins/requests/request-hooks/index.ts'
import { stopClock } from '../../helpers/clock.ts'
import { serve, type Site } from '../../helpers/site.ts'
import { until } from '../../helpers/until.ts'
import { wireRequest, type WireResponse } from '../../helpers/wire.ts'

const lengths = suite('content lengths')

const TEXT = JSON.stringify('A text that is worth to be compressed. '.repeat(100))

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  br: promisify(brotliDecompress),
  gzip: promisify(gunzip),
}

/** Paths of the REST route, the page and the file. */
const KINDS = {
  rest: '/svc-json/text/v1/it',
  page: '/a-page',
  file: '/uploads/a.txt',
} as const

interface Texts extends AsyncDisposable {
  readonly site: Site
  readonly sent: SentResponse[]
  /** Names of the hooks that have run since it was last emptied. */
  readonly fired: string[]
}

/** A site with the same text as a route, as a page and as a file. */
async function texts(plugins: Record<string, object> = {}): Promise<Texts> {
  const folder = await mkdtemp(join(tmpdir(), 'lengths-test-'))
  await mkdir(join(folder, 'uploads'))
  await writeFile(join(folder, 'uploads', 'a.txt'), TEXT)
  const sent: SentResponse[] = []
  const fired: string[] = []
  const added = definePlugin({
    name: 'texts',
    apply({ hooks }) {
      hooks.rest_api_init.tap('texts', (server) => {
        const publicRoute = { permission_callback: () => true, cache: true }
        server.registerRoute('text/v1', 'it', { ...publicRoute, callback: () => JSON.parse(TEXT) as string })
        for (const status of [204, 304]) {
          const callback = () => {
            const response = new RestResponse({ ignored: true }, status)
            response.headers.set('Content-Length', 7)
            return response
          }
          server.registerRoute('text/v1', String(status), { ...publicRoute, callback })
        }
        server.registerRoute('text/v1', 'wrong', {
          ...publicRoute,
          callback: () => {
            const response = new RestResponse({ a: 1 })
            response.headers.set('Content-Length', 3)
            return response
          },
        })
      })
      hooks.site_request.tap('texts', (page, { path, headers: requestHeaders }) => {
        const status = Number(/^\/(\d+)$/.exec(path)?.[1] ?? 0)
        if (status > 0) return { status, headers: new HeaderMap({ 'Content-Length': '7' }), body: 'ignored' }
        if (path === '/wrong') return { status: 200, headers: new HeaderMap({ 'Content-Length': '3' }), body: 'longer' }
        if (path !== KINDS.page) return page
        const isKnown = requestHeaders.get('If-None-Match')?.includes('"1') === true
        const headers = new HeaderMap({ 'Content-Type': 'text/plain', ETag: '"1"' })
        return { status: isKnown ? 304 : 200, headers, body: TEXT }
      })
      hooks.response_sent.tap('texts', (response) => void sent.push(response))
    },
  })
  const site = await serve({ uploads: join(folder, 'uploads'), add: [added], plugins: plugins as never })
  for (const { kind, name } of describeHooks(site.kernel.registry).filter(({ name }) => !name.includes('*'))) {
    const isFilter = (kind satisfies HookListing['kind']).endsWith('filter')
    const hook = site.kernel.hooks[name as 'site_headers']
    hook.tap({ name: 'watcher', dependsOn: 'nothing' }, (value: unknown) => {
      fired.push(name)
      return (isFilter ? value : undefined) as never
    })
  }
  return {
    site,
    sent,
    fired,
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}

/** Checks the framing of a response (RFC 9110, 6.4.1, 8.6, 15.3.5, 15.4.5; RFC 9112, 6.1). */
function isFramed(method: string, { status, headers, body }: WireResponse, about: string): void {
  const length = headers['content-length']
  const isBodyless = status === 204 || status === 304
  if (isBodyless) assert.equal([length, headers['transfer-encoding']], [undefined, undefined], about)
  if (isBodyless || method === 'HEAD') assert.is(body.length, 0, about)
  else if (headers['transfer-encoding'] === undefined) assert.is(length, String(body.length), about)
  else assert.equal([headers['transfer-encoding'], length], ['chunked', undefined], about)
}

/** Decodes a chunked body. */
function unchunked({ headers, body }: WireResponse): Buffer {
  if (headers['transfer-encoding'] === undefined) return body
  const pieces: Buffer[] = []
  for (let at = 0; ;) {
    const end = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.subarray(at, end).toString(), 16)
    if (size === 0) return Buffer.concat(pieces)
    pieces.push(body.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
}

/** Headers that can differ between GET and HEAD. */
const OF_THE_MESSAGE = new Set([
  'x-request-id',
  'content-length',
  'transfer-encoding',
  'date',
  'x-svc-cache',
  'last-modified',
])

/** Returns the headers that GET and HEAD must share. Only GET has `Vary: Origin`. */
const shown = ({ headers }: WireResponse) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !OF_THE_MESSAGE.has(name))
      .map(([name, value]) => [name, name === 'vary' ? value.replace('Origin, ', '') : value]),
  )

for (const [kind, path] of Object.entries(KINDS)) {
  for (const isCached of kind === 'rest' ? [true, false] : [false]) {
    for (const coding of ['identity', 'gzip', 'br']) {
      lengths(`are correct for a ${kind} in ${coding}${isCached ? ', cached' : ''}: GET, HEAD and 304`, async () => {
        using clock = stopClock()
        await using at = await texts(isCached ? {} : { 'response-cache': { enabled: false } })
        const { home } = at.site
        const headers = { 'Accept-Encoding': coding }
        const send = (method: string, more: Record<string, string> = {}) =>
          wireRequest(home, method, path, { ...headers, ...more })
        // Cached first, and compressed after some hits.
        const rounds = isCached ? 4 : 1
        for (let round = 0; round < rounds; round += 1) {
          if (round === 2) clock.advance(1000)
          const about = `${kind} ${coding} ${round}`
          if (coding === 'br' && isCached && round === 3) {
            // Compressed in a thread after a response.
            let requestCount = at.sent.length
            await until(async () => {
              requestCount += 1
              return (await send('GET')).headers['content-encoding'] === 'br'
            })
            await until(() => at.sent.length === requestCount)
          }
          const before = at.sent.length
          const get = await send('GET')
          assert.is(get.status, 200, about)
          isFramed('GET', get, about)
          const encoding = get.headers['content-encoding']
          const plain = encoding === undefined ? unchunked(get) : await DECODERS[encoding]!(unchunked(get))
          assert.is(plain.toString(), TEXT, about)
          if (coding === 'gzip') assert.is(encoding, 'gzip', about)
          if (coding === 'identity') assert.is(encoding, undefined, about)
          if (coding === 'br' && isCached && round === 3) assert.is(encoding, 'br', about)
          const head = await send('HEAD')
          assert.is(head.status, 200, about)
          isFramed('HEAD', head, about)
          // HEAD has the headers of GET, except the length, which it can omit.
          if (encoding === head.headers['content-encoding']) assert.equal(shown(head), shown(get), about)
          const headLength = head.headers['content-length']
          // The body can have been compressed better between the two.
          const isBetter =
            ![headLength, get.headers['content-length']].includes(undefined) &&
            headLength !== get.headers['content-length']
          if (isBetter) assert.is(headLength, (await send('GET')).headers['content-length'], about)
          for (const method of ['GET', 'HEAD']) {
            const unchanged = await send(method, { 'If-None-Match': get.headers['etag']! })
            assert.equal([unchanged.status, unchanged.headers['content-encoding']], [304, undefined], about)
            assert.is(unchanged.headers['etag'], get.headers['etag'], about)
            isFramed(method, unchanged, about)
          }
          const count = isBetter ? 5 : 4
          await until(() => at.sent.length === before + count)
          const sent = at.sent.slice(before)
          if (isBetter) sent.splice(2, 1)
          const entries = sent.map(({ fromCache, bytes, status, method }) => [method, status, fromCache, bytes > 0])
          const isHit = isCached && round > 0
          assert.equal(
            entries,
            [
              ['GET', 200, isHit, true],
              ['HEAD', 200, isCached, true],
              ['GET', 304, isCached, true],
              ['HEAD', 304, isCached, true],
            ],
            about,
          )
        }
      })
    }
  }
}

lengths('ignore the Content-Length of handlers, and are omitted without a body', async () => {
  await using at = await texts({ 'response-cache': { enabled: false } })
  for (const coding of ['identity', 'gzip']) {
    for (const method of ['GET', 'HEAD']) {
      for (const path of [
        '/svc-json/text/v1/204',
        '/svc-json/text/v1/304',
        '/svc-json/text/v1/wrong',
        '/204',
        '/304',
        '/wrong',
        '/nowhere',
        '/svc-json/nowhere',
        '/uploads/none.txt',
      ]) {
        const answer = await wireRequest(at.site.home, method, path, { 'Accept-Encoding': coding })
        isFramed(method, answer, `${method} ${path} ${coding}`)
        if (/\d$/.test(path)) assert.is(answer.status, Number(path.slice(-3)))
      }
    }
  }
})

lengths('of HEAD run the same hooks as GET', async () => {
  await using at = await texts()
  const hooksOf = async (method: string, path: string, headers: Record<string, string>) => {
    at.fired.length = 0
    const { status } = await wireRequest(at.site.home, method, path, headers)
    await until(() => at.fired.includes('response_sent'))
    return [status, ...at.fired]
  }
  for (const path of [
    ...Object.values(KINDS),
    '/svc-json/svc/v2/posts',
    '/svc-json/',
    '/svc-json/nowhere',
    '/nowhere',
  ]) {
    // Routes, URLs and descriptions are created at their first use.
    await hooksOf('GET', path, {})
    // In the second round, the response can be cached.
    for (const round of [1, 2]) {
      for (const coding of ['identity', 'gzip']) {
        const headers = { 'Accept-Encoding': coding, 'X-Round': `${path} ${coding} ${round}` }
        if (round === 1) at.site.kernel.server.httpCache?.clear()
        const get = await hooksOf('GET', path, headers)
        if (round === 1) at.site.kernel.server.httpCache?.clear()
        assert.equal(await hooksOf('HEAD', path, headers), get, `${path} ${coding} ${round}`)
      }
    }
  }
})

lengths.run()
