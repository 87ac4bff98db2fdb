import { createReadStream, type ReadStream } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { errors, HeaderMap, VISITOR, type RestRequest } from '../../../../kernel/index.ts'
import { FREE_BYTES } from '../../../../plugins/requests/bodies/incoming-body.ts'
import { stopClock, type Clock } from '../../../helpers/clock.ts'
import { until } from '../../../helpers/until.ts'
import { nextServerSocket } from '../../../helpers/wire.ts'
import { bare, plugin, type Bare } from '../../../kernel/bare.ts'

const bodies = suite('bodies')

const ECHO = '/svc-json/test/v1/echo'
const MULTIPART = { 'content-type': 'multipart/form-data; boundary=x' }
const BYTES = { 'content-type': 'video/mp4' }

/** A route that returns what it receives. The header `x-user` authenticates its users. */
function echoRoute() {
  const users: string[] = []
  const gate = { isHeld: false, released: Promise.withResolvers<void>() }
  const added = plugin('echo', ({ hooks }) => {
    hooks.determine_current_user.tap('echo', (_user, request) => {
      const name = request.headers.get('x-user') ?? ''
      users.push(name)
      return name === '' ? VISITOR : { ...VISITOR, id: name === 'ann' ? 1 : 2 }
    })
    hooks.rest_api_init.tap('echo', (server) => {
      const callback = async ({ form, json, raw, files, user }: RestRequest) => {
        const answer = {
          form,
          json,
          raw: raw?.size,
          files: files.map(({ name, filename, size }) => [name, filename, size]),
          user: user.id,
        }
        if (!gate.isHeld) return answer
        await gate.released.promise
        return answer
      }
      server.registerRoute('test/v1', 'echo', { methods: 'POST, PUT', callback, permission_callback: () => true })
    })
  })
  return { plugin: added, users, gate }
}

const post = (site: Bare, headers: Record<string, string>, body: string | Buffer, target = ECHO) =>
  site.raw(target, { method: 'POST', headers, body })

/** Encodes a multipart body from raw parts, each with its headers. */
function parts(...rawParts: (string | Buffer)[]): Buffer {
  const pieces = rawParts.flatMap((part) => [Buffer.from('--x\r\n'), Buffer.from(part), Buffer.from('\r\n')])
  return Buffer.concat([...pieces, Buffer.from('--x--\r\n')])
}

bodies('get 400 for JSON and forms that are not valid UTF-8', async () => {
  await using site = await bare([echoRoute().plugin])
  const json = { 'content-type': 'application/json' }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const broken = [
    Buffer.from([0xff]),
    Buffer.from([0xc3, 0x28]),
    Buffer.from([0xed, 0xa0, 0x80]),
    Buffer.from([0xe2, 0x82]),
  ]
  for (const bytes of broken) {
    const inJson = Buffer.concat([Buffer.from('{"a":"'), bytes, Buffer.from('"}')])
    const inForm = Buffer.concat([Buffer.from('a='), bytes])
    const inName = Buffer.concat([bytes, Buffer.from('=1')])
    for (const [headers, body] of [
      [json, inJson],
      [form, inForm],
      [form, inName],
    ] as const) {
      const { status, text } = await post(site, headers, body)
      assert.equal([status, (JSON.parse(text) as { code: string }).code], [400, 'rest_invalid_utf8'])
    }
  }
  assert.is((await post(site, json, '{"a":"\ufffd é 😀"}')).status, 200)
  assert.is((await post(site, form, 'a=%EF%BF%BD+é')).status, 200)
})

bodies('get 400 for escapes of forms, and parts of multipart forms, that are not valid UTF-8', async () => {
  await using site = await bare([echoRoute().plugin])
  const codeOf = async (type: typeof FORM, body: string | Buffer) => {
    const { status, json } = await post(site, type, body)
    return status === 200 ? status : json.code
  }
  for (const form of ['a=%ff', 'a=x&b=caf%e9', '%ff=1', 'a[%ff]=1', 'a=%C3', 'a=%C3&b=%A9', 'a=%ED%A0%80', 'a=%c0%af'])
    assert.is(await codeOf(FORM, form), 'rest_invalid_utf8', form)
  for (const form of ['a=%C3%A9', 'a=%EF%BF%BD', 'a=%zz%', 'a=%F0%9F%98%80'])
    assert.is(await codeOf(FORM, form), 200, form)
  const bytes = (text: string) => Buffer.from(text, 'latin1')
  const head = 'Content-Disposition: form-data; '
  for (const part of [
    bytes(`${head}name="a"\r\n\r\ncaf\xe9`),
    bytes(`${head}name="a"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\ncaf\xe9`),
    bytes(`${head}name="caf\xe9"\r\n\r\nx`),
    bytes(`${head}name="f"; filename="caf\xe9.txt"\r\n\r\nx`),
    bytes(`${head}name="f"; filename*=utf-8''caf%e9.txt\r\n\r\nx`),
  ])
    assert.is(await codeOf(MULTIPART, parts(part)), 'rest_invalid_utf8', part.toString('latin1'))
  for (const part of [
    `${head}name="a"\r\n\r\ncafé \uFFFD`,
    bytes(`${head}name="a"\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\ncaf\xe9`),
    bytes(`${head}name="f"; filename="a.bin"\r\n\r\n\xff\xfe`),
  ])
    assert.is(await codeOf(MULTIPART, parts(part)), 200, String(part))
})

bodies('S25: get 400 for an invalid multipart part', async () => {
  await using site = await bare([echoRoute().plugin])
  const nameless = parts('Content-Disposition: form-data\r\n\r\na')
  assert.equal(
    [(await post(site, MULTIPART, nameless)).status, (await post(site, MULTIPART, nameless)).json.code],
    [400, 'rest_invalid_body'],
  )
  const file = parts('Content-Disposition: form-data; filename="a.txt"\r\n\r\na')
  assert.is((await post(site, MULTIPART, file)).status, 400)
  const half = Buffer.concat([
    Buffer.from('Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=utf-16le\r\n\r\n'),
    Buffer.from([0x00, 0xd8]),
  ])
  assert.is((await post(site, MULTIPART, parts(half))).json.code, 'rest_invalid_utf8')
})

/** A deterministic random number generator. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}

bodies('S25: of malformed multipart forms get a response and do not crash the server', async () => {
  await using site = await bare([echoRoute().plugin], {
    limits: { text: 100_000, bodyLimit: 300_000, requestTimeout: 5000 },
  })
  const random = numbers(8)
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!
  const part = (): Buffer => {
    const head = Array.from({ length: random(4) }, () =>
      pick([
        'Content-Disposition: form-data; name="a"',
        'Content-Disposition: form-data; name=""',
        'Content-Disposition: form-data',
        'Content-Disposition: form-data; name="__proto__[x]"',
        'Content-Disposition: form-data; name="a"; filename="b\0.txt"',
        "Content-Disposition: form-data; name*=utf-16le''%00%D8; filename*=utf-16le''%00%D8",
        "Content-Disposition: form-data; name*=utf-8''%ff%00; filename*=x'y'%",
        'Content-Disposition: form-data; filename="c"',
        'Content-Disposition:',
        'Content-Disposition: ;;;="',
        `Content-Disposition: form-data; name="${'n'.repeat(random(90_000))}"`,
        'Content-Type: text/plain; charset=utf-16le',
        'Content-Type: text/plain; charset=base64',
        'Content-Type: text/plain; charset=none-such',
        'Content-Type: ;charset',
        'Content-Type: multipart/mixed; boundary=y',
        'Content-Type: application/octet-stream',
        'Content-Transfer-Encoding: base64',
        ': no name',
        'no colon',
        ' folded',
        '\0',
      ]),
    )
    const content = pick<() => Buffer>([
      () => Buffer.from([0x00, 0xd8]),
      () => Buffer.from('a\0b'),
      () => Buffer.from('--y\r\n\r\n--x-\r\n--y--'),
      () => Buffer.alloc(random(2000), random(256)),
      () => Buffer.alloc(random(120_000), 97),
      () => Buffer.from(''),
    ])()
    return Buffer.concat([
      Buffer.from(head.join(pick(['\r\n', '\r\n', '\r\n', '\n']))),
      Buffer.from(pick(['\r\n\r\n', '\r\n\r\n', '\r\n', ''])),
      content,
    ])
  }
  for (let round = 0; round < 60; round += 1) {
    const count = round % 10 === 0 ? 1200 : pick([0, 1, 2, 5])
    const whole = parts(...Array.from({ length: count }, count === 1200 ? () => Buffer.from('a') : part))
    const body = pick([whole, whole, whole.subarray(0, random(whole.length)), Buffer.concat([whole, whole])])
    const type = pick([
      'boundary=x',
      'boundary=x',
      'boundary=x',
      'boundary="x"',
      'boundary=',
      '',
      'boundary=z',
      'charset=utf-16le; boundary=x',
    ])
    const { status } = await post(site, { 'content-type': `multipart/form-data; ${type}` }, body)
    assert.ok((status >= 200 && status < 300) || (status >= 400 && status < 500), `round ${round}: ${status}`)
  }
  assert.is((await post(site, MULTIPART, parts('Content-Disposition: form-data; name="a"\r\n\r\n1'))).json.form.a, '1')
})

bodies('of visitors have a lower limit than of logged-in users, and are not stored on disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bodies-'))
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = join(folder, 'not-there')
  try {
    const { plugin: added, users } = echoRoute()
    await using site = await bare([added], { limits: { text: 600_000, visitor: 600_000, bodyLimit: 2_000_000 } })
    const file = (size: number) =>
      parts(`Content-Disposition: form-data; name="f"; filename="f"\r\n\r\n${'y'.repeat(size)}`)
    for (const [headers, body] of [
      [BYTES, 'y'.repeat(590_000)],
      [MULTIPART, file(590_000)],
    ] as const) {
      assert.is((await post(site, headers, body)).status, 200)
    }
    for (const more of [{}, { 'transfer-encoding': 'chunked' }]) {
      for (const [headers, body] of [
        [BYTES, 'y'.repeat(900_000)],
        [MULTIPART, file(900_000)],
      ] as const) {
        const { status, json } = await post(site, { ...headers, ...more }, body)
        assert.equal([status, json.code], [413, 'rest_body_too_large'])
      }
    }
    process.env['TMPDIR'] = folder
    users.length = 0
    const fromUser = await post(site, { ...BYTES, 'x-user': 'ann' }, 'y'.repeat(900_000))
    assert.equal([fromUser.status, fromUser.json.raw, fromUser.json.user, users], [200, 900_000, 1, ['ann']])
    await until(async () => (await readdir(folder)).length === 0)
  } finally {
    process.env['TMPDIR'] = before
    if (before === undefined) delete process.env['TMPDIR']
    await rm(folder, { recursive: true })
  }
})

bodies('are not read if no endpoint handles the request', async () => {
  const { plugin: added, users } = echoRoute()
  await using site = await bare([added])
  const large = Buffer.alloc(300_000, 97)
  for (const [method, target] of [
    ['POST', '/svc-json/test/v1/nothing'],
    ['PUT', '/svc-json/nothing'],
    ['DELETE', ECHO],
  ] as const) {
    users.length = 0
    const { status, json } = await site.raw(target, {
      method,
      headers: { ...BYTES, 'x-user': 'ann', 'content-length': String(large.length) },
      body: large,
    })
    assert.equal([status, json.code], [404, 'rest_no_route'], `${method} ${target}`)
  }
  assert.is((await post(site, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, large)).status, 415)
})

/** Starts a request and leaves out the last byte of its body. */
function begin(site: Bare, bytes: number, headers = '', type = 'video/mp4'): Socket {
  const socket = connect(Number(new URL(site.home).port), '127.0.0.1').on('error', () => {})
  socket.write(
    `POST ${ECHO} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\n${headers}Content-Length: ${bytes + 1}\r\n\r\n`,
  )
  socket.write(Buffer.alloc(bytes, 97))
  return socket
}

/** Returns the free bytes of a body plus some more. */
const beyond = (bytes: number) => FREE_BYTES + bytes

bodies('are limited in total, with a separate share for logged-in users', async () => {
  await using site = await bare([echoRoute().plugin], { limits: { visitorBodies: 200_000, bodies: 400_000 } })
  const started = [begin(site, beyond(90_000)), begin(site, beyond(90_000))]
  const more = () => post(site, BYTES, 'y'.repeat(beyond(50_000)))
  await until(async () => (await more()).status === 503)
  const { json, headers } = await more()
  assert.equal([json.code, headers['retry-after']], ['rest_too_many_bodies', '5'])
  const sendAsUser = (bytes: number) => post(site, { ...BYTES, 'x-user': 'ann' }, 'y'.repeat(bytes))
  assert.equal([(await sendAsUser(beyond(50_000))).status, (await sendAsUser(beyond(390_000))).status], [200, 200])
  assert.is((await sendAsUser(beyond(410_000))).status, 503)
  // Bodies of the size of login forms and comments are always accepted.
  assert.is((await post(site, BYTES, 'y'.repeat(FREE_BYTES))).status, 200)
  for (const socket of started) socket.destroy()
  await until(async () => (await more()).status === 200)
  for (let round = 0; round < 10; round += 1) {
    assert.equal([(await more()).status, (await sendAsUser(beyond(390_000))).status], [200, 200])
  }
})

bodies('of one sender cannot fill the whole share', async () => {
  const limits = { visitorBodies: 400_000, visitor: 100_000, bodies: 800_000, bodyLimit: 200_000 }
  await using site = await bare([echoRoute().plugin], { limits, trust_proxy: true })
  const from = (ip: string, user = '') => ({ ...BYTES, 'x-forwarded-for': ip, 'x-user': user })
  const asText = (headers: Record<string, string>) =>
    Object.entries(headers)
      .map((pair) => `${pair.join(': ')}\r\n`)
      .join('')
  const size = 90_000
  const send = async (ip: string, user = '') => (await post(site, from(ip, user), 'y'.repeat(size))).status
  // The limit is a quarter of 400 kB; each of these bodies holds 24 kB of it.
  const { 'content-type': _, ...stranger } = from('2001:db8::1')
  const started = Array.from({ length: 4 }, () => begin(site, size, asText(stranger)))
  await until(async () => (await send('2001:db8::2')) === 503)
  assert.equal([await send('2001:db8:0:1::1'), await send('192.0.2.1')], [200, 200])
  assert.equal([await send('2001:db8::2', 'ann'), await send('2001:db8::2', 'bob')], [200, 200])
  const { 'content-type': __, ...ann } = from('192.0.2.7', 'ann')
  started.push(...Array.from({ length: 4 }, () => begin(site, 190_000, asText(ann))))
  const large = async (user: string) => (await post(site, from('192.0.2.7', user), 'y'.repeat(190_000))).status
  await until(async () => (await large('ann')) === 503)
  assert.is(await large('bob'), 200)
  for (const socket of started) socket.destroy()
  await until(async () => (await large('ann')) === 200)
})

bodies('of disconnected clients are released immediately, for every type', async () => {
  // A stopped clock, so that no client counts as slow.
  using _ = stopClock()
  await using site = await bare([echoRoute().plugin], { limits: { visitorBodies: 200_000, bodies: 400_000 } })
  const another = async () => (await post(site, BYTES, 'y'.repeat(beyond(90_000)))).status
  for (const { 'content-type': type } of [BYTES, JSON_BODY, FORM, MULTIPART]) {
    for (const leave of ['destroy', 'end', 'resetAndDestroy'] as const) {
      let started = begin(site, beyond(120_000), '', type).resume()
      await until(async () => {
        // The body was refused while the other one was there: start it again.
        if (started.destroyed) started = begin(site, beyond(120_000), '', type).resume()
        return (await another()) === 503
      })
      started[leave]()
      await until(async () => (await another()) === 200)
    }
  }
})

const JSON_BODY = { 'content-type': 'application/json' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

bodies('S25: of JSON are refused before parsing if they contain too many values', async () => {
  await using site = await bare([echoRoute().plugin])
  const of: [kind: string, text: (count: number) => string][] = [
    ['lists', (count) => `[${Array.from({ length: count / 2 - 0.5 }, () => '[]').join()}]`],
    ['lists within lists', (count) => `[${'['.repeat(40)}${']'.repeat(40)}${',[]'.repeat((count - 41) / 2)}]`],
    ['objects', (count) => `[${Array.from({ length: count / 2 - 0.5 }, () => '{}').join()}]`],
    ['numbers', (count) => `[${Array.from({ length: count }, () => '1').join()}]`],
    ['names', (count) => `{${Array.from({ length: count / 2 }, (_, at) => `"${at}":1`).join()}}`],
  ]
  for (const [kind, text] of of) {
    const accepted = await post(site, JSON_BODY, text(49_000))
    const refused = await post(site, JSON_BODY, text(51_000))
    assert.is(accepted.status, 200, kind)
    assert.equal([refused.status, refused.json.code], [400, 'rest_invalid_body'], kind)
    assert.match(refused.json.message, '50000 values and names', kind)
  }
  // Brackets inside a string are not values.
  assert.is((await post(site, JSON_BODY, `["${'[{,:'.repeat(20_000)}\\"[[["]`)).status, 200)
})

bodies('S25: count with the size of their parsed values until the response', async () => {
  const { plugin: added, gate } = echoRoute()
  const limits = { visitorBodies: 2_000_000, visitor: 100_000, bodies: 16_000_000 }
  await using site = await bare([added], { limits, trust_proxy: true })
  // Counts as 1.3 MB.
  const lists = `[${Array.from({ length: 5000 }, () => '[]').join()}]`
  const fields = (name: (at: number) => string) => Array.from({ length: 900 }, (_, at) => `${name(at)}=1`).join('&')
  const whole = parts(...Array.from({ length: 900 }, () => 'Content-Disposition: form-data; name="a"\r\n\r\n1'))
  const from = (ip: string, type: Record<string, string>, user = '') => ({
    ...type,
    'x-forwarded-for': ip,
    'x-user': user,
  })
  const heavy = (ip: string, user = '') => post(site, from(ip, JSON_BODY, user), lists)
  for (let round = 0; round < 2; round += 1) {
    gate.isHeld = true
    gate.released = Promise.withResolvers()
    const held = heavy('192.0.2.1')
    await until(async () => (await heavy('192.0.2.2')).json?.code === 'rest_too_many_bodies')
    assert.is((await heavy('192.0.2.1')).status, 503)
    for (const [type, body] of [
      [FORM, fields((at) => `a${at}`)],
      [MULTIPART, whole],
    ] as const) {
      // A single network cannot use more than its quarter, once it holds anything.
      assert.is((await post(site, from('192.0.2.1', type), body)).status, 503, type['content-type'])
    }
    gate.isHeld = false
    assert.is((await heavy('192.0.2.1', 'ann')).status, 200)
    assert.is((await post(site, from('192.0.2.2', JSON_BODY), '{"a":1}')).status, 200)
    gate.released.resolve()
    assert.is((await held).status, 200)
    // The whole budget is released.
    for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) assert.is((await heavy(ip)).status, 200)
  }
  // The budget of unreadable and aborted bodies is released, too.
  for (let round = 0; round < 5; round += 1) {
    assert.is((await post(site, from('192.0.2.1', JSON_BODY), `${lists}]`)).json.code, 'rest_invalid_json')
    assert.is((await post(site, from('192.0.2.1', FORM), `${'a'.repeat(9000)}=1&b=${'c'.repeat(80_000)}`)).status, 400)
    begin(site, 90_000, 'X-Forwarded-For: 192.0.2.1\r\n').destroy()
  }
  await until(async () => (await heavy('192.0.2.1')).status === 200)
})

bodies('S25: of forms get 400 if a field name is longer than 8,192 bytes', async () => {
  await using site = await bare([echoRoute().plugin])
  const send = (name: string) => post(site, FORM, `b=1&${name}=2`)
  assert.equal((await send('a'.repeat(8192))).json.form, { b: '1', ['a'.repeat(8192)]: '2' })
  for (const name of ['a'.repeat(8193), `a${'%5Bb%5D'.repeat(10_000)}`, `a${'[b]'.repeat(300_000)}`]) {
    const { status, json } = await send(name)
    assert.equal([status, json.code], [400, 'rest_invalid_body'])
    assert.match(json.message, '8192 bytes')
  }
  assert.is((await post(site, FORM, `${'a'.repeat(300_000)}`)).status, 400)
})

bodies('of forms are parsed as browsers encode them, and control characters are removed', async () => {
  await using site = await bare([echoRoute().plugin])
  const random = numbers(3)
  const signs = ['a', 'b', '=', '&', '+', '%', '%2', '%41', '%C3%A9', '%F0%9F%98%80', '%26', '%0A', ' ', '%%']
  for (let round = 0; round < 100; round += 1) {
    const text = Array.from({ length: random(30) }, () => signs[random(signs.length)]!).join('')
    const { json } = await post(site, FORM, text)
    // A percent sign and two letters can also form a byte that is not UTF-8.
    if (new URLSearchParams(text).toString().includes('%EF%BF%BD')) assert.is(json.code, 'rest_invalid_utf8', text)
    else assert.equal(json.form ?? {}, Object.fromEntries(new URLSearchParams(text)), text)
  }
  const letters = ['a', 'é', '中', '\u0001', '\b', '\n', '\t', '\x7f', '\x9f', '\xa0', '\ud800', '\udc00', '😀']
  for (const count of [1, 5, letters.length]) {
    const text = Array.from({ length: 10_000 }, () => letters[random(count)]!).join('')
    const controls = /(?![\t\n\r])\p{Cc}/gu
    const clean = text.toWellFormed().replace(controls, '')
    const name = text.toWellFormed().replace(controls, '\uFFFD')
    assert.equal((await post(site, JSON_BODY, JSON.stringify({ [text]: text }))).json.json, { [name]: clean })
    const multipart = parts(`Content-Disposition: form-data; name="a"\r\n\r\n${text}`)
    assert.is((await post(site, MULTIPART, multipart)).json.form.a, clean)
  }
  assert.is((await post(site, JSON_BODY, JSON.stringify(['\b'.repeat(10_000)]))).json.json[0], '\uFFFD')
})

/** Advances the clock until the server has ended the connection or its response. */
async function pass(clock: Clock, isEnded: () => boolean): Promise<void> {
  await until(() => {
    clock.advance(1000)
    return isEnded()
  })
}

const SLOW = { connectionTimeout: 100, rate: 1000, requestTimeout: 600_000 }

bodies('that arrive too slowly get 408', async () => {
  using clock = stopClock('kernel/http', 'plugins/requests/limits')
  await using site = await bare([echoRoute().plugin], { limits: SLOW })
  const socket = begin(site, 100)
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await pass(clock, () => text.includes('\r\n\r\n'))
  assert.match(text, 'HTTP/1.1 408')
  assert.match(text, errors.rest_request_timeout().code)
  socket.destroy()
})

bodies('of responses are aborted if the client receives them too slowly', async () => {
  using clock = stopClock('kernel/http', 'plugins/requests/limits')
  const HUGE = 16_000_000
  const folder = await mkdtemp(join(tmpdir(), 'bodies-'))
  const path = join(folder, 'file')
  await writeFile(path, Buffer.alloc(HUGE, 'x'))
  const files: ReadStream[] = []
  const large = plugin('large', ({ hooks }) => {
    hooks.rest_api_init.tap('large', (server) => {
      server.registerRoute('test/v1', 'large', { callback: () => 'x'.repeat(HUGE), permission_callback: () => true })
    })
    hooks.site_request.tap('large', (page, request) => {
      const respond = (body: string | ReadStream) => ({ status: 200, headers: new HeaderMap(), body })
      if (request.path === '/page') return respond('x'.repeat(HUGE))
      if (request.path !== '/file') return page
      files.push(createReadStream(path))
      return respond(files.at(-1)!)
    })
  })
  await using site = await bare([large, echoRoute().plugin], { limits: SLOW })
  for (const target of ['/svc-json/test/v1/large', '/page', '/file']) {
    const serving = nextServerSocket()
    const socket = connect(Number(new URL(site.home).port), '127.0.0.1').on('error', () => {})
    let receivedBytes = 0
    socket.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length
      socket.pause()
    })
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await until(() => receivedBytes > 0)
    const served = await serving
    await pass(clock, () => served.destroyed)
    socket.removeAllListeners('data')
    socket.on('data', (chunk: Buffer) => (receivedBytes += chunk.length))
    socket.resume()
    await closed
    assert.ok(receivedBytes < HUGE, target)
    // All files are closed.
    await until(() => files.every((file) => file.closed))
    // A faster client receives the whole response.
    assert.ok((await site.raw(target)).text.length >= HUGE, target)
  }
  assert.is(files.length, 2)
  await rm(folder, { recursive: true })
})

bodies.run()
