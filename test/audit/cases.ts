import type { Sent } from './client.ts'
import type { SiteUsers, Sender } from './users.ts'
import type { Sample } from './sample.ts'
import { PIXEL } from './uploading.ts'
import { createRandom, type Random } from './random.ts'
import { Values, type Manner, type Schema } from './values.ts'

/** An endpoint as the REST index describes it. */
export interface Endpoint {
  /** Pattern with named groups: `/svc/v2/posts/(?P<id>[\d]+)`. */
  route: string
  method: string
  args: Readonly<Record<string, Schema>>
}

/** A request of the fuzzer, determined by the seed and its number. */
export interface Case extends Sent {
  number: number
  sender: Sender
  /** Whether the bytes are not a valid HTTP request. */
  broken: boolean
}

/** Returns the endpoints of an index document. */
export function endpointsOf(index: unknown): Endpoint[] {
  const { routes } = index as {
    routes: Record<string, { endpoints: { methods: string[]; args: Record<string, Schema> }[] }>
  }
  return Object.entries(routes).flatMap(([route, { endpoints }]) =>
    endpoints.flatMap(({ methods, args }) =>
      methods.map((method) => ({ route, method, args: { ...args, ...EVERYWHERE } })),
    ),
  )
}

/** Arguments of all routes. */
const EVERYWHERE: Readonly<Record<string, Schema>> = {
  _fields: { type: 'string' },
  _embed: { type: 'string' },
  _envelope: { type: 'boolean' },
  _locale: { type: 'string' },
  _method: { type: 'string', enum: ['GET', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'x'] },
  _jsonp: { type: 'string' },
  rest_route: { type: 'string' },
}

const SENDERS: readonly Sender[] = ['visitor', 'subscriber', 'contributor', 'author', 'editor', 'administrator']
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'] as const
const TYPES = [
  'application/json',
  'APPLICATION/JSON; charset=utf-16',
  'application/json;',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=x; boundary=y',
  'application/xml',
  'application/json-patch+json',
  'image/png',
  'x',
  '',
  'application/octet-stream',
]
const CHARSETS = ['utf-8', 'utf-16le', 'utf-16be', 'latin1', 'utf-7', 'x', '', 'UTF-16LE; charset=utf-8'] as const
const RANGES = [
  'bytes=0-0',
  'bytes=-1',
  'bytes=9-1',
  'bytes=0-,0-,0-,0-',
  'bytes=99999999999999999999-',
  'x=1-2',
  'bytes=a-b',
  `bytes=${'0-0,'.repeat(500)}1-1`,
] as const
const OTHERS = [
  '/',
  '/?p=1',
  '/?rest_route=/svc/v2/posts',
  '/feed/',
  '/svc-login',
  '/hello/',
  '/robots.txt',
  '/index.php?p=-1',
  '/?attachment_id=1',
  '/uploads/',
  '/svc-content/uploads/x.png',
  '/authorize-application',
] as const

/** An argument that accepts a text or a list. */
type TextArgument = readonly [endpoint: Endpoint, name: string]

/** Returns the arguments that accept texts and lists, repeated more often the less their schema restricts them. */
function textArgumentsOf(endpoints: readonly Endpoint[]): TextArgument[] {
  return endpoints.flatMap((endpoint) =>
    Object.entries(endpoint.args).flatMap(([name, { type = 'string', enum: words, format }]): TextArgument[] => {
      const isOpen =
        words === undefined && format === undefined && !['integer', 'boolean', 'number'].includes(String(type))
      const weight = isOpen && endpoint.method === 'POST' ? 4 : 1
      return Array.from({ length: weight }, () => [endpoint, name])
    }),
  )
}

/** Generates the requests of one run. */
export class Cases {
  readonly #endpoints: readonly Endpoint[]
  readonly #takers: readonly TextArgument[]
  readonly #users: SiteUsers
  readonly #sample: Sample
  readonly #seed: number
  readonly #maxLength: number

  /**
   * @param maxLength maximum characters of a text; the maximum number of list entries is a tenth of it
   */
  constructor(endpoints: readonly Endpoint[], users: SiteUsers, sample: Sample, seed: number, maxLength: number) {
    this.#endpoints = endpoints
    this.#takers = textArgumentsOf(endpoints)
    this.#users = users
    this.#sample = sample
    this.#seed = seed
    this.#maxLength = maxLength
  }

  /** Returns the request with a number. */
  of(number: number): Case {
    const random = createRandom(this.#seed, number)
    const builder = new CaseBuilder(random, this.#users, this.#sample, Math.min(this.#maxLength, 3000))
    // Each endpoint in turn, so that all are tried.
    const endpoint = this.#endpoints[number % this.#endpoints.length]!
    // Large values are rare, because they take most of the time.
    if (!random.chance(0.01)) return { number, ...builder.make(endpoint) }
    const [of, name] = random.pick(this.#takers)
    return { number, ...builder.makeLarge(of, name, this.#maxLength) }
  }
}

/** Matches a named group of a route, including nested groups. */
const CAPTURE = /\(\?P<(\w+)>((?:\((?:\([^()]*\)|[^()])*\)|[^()])*)\)/g
/** Values for names in paths. */
const NAMES = [
  'post',
  'page',
  'category',
  'publish',
  'svc',
  'svc/paragraph',
  'svc/latest-posts',
  'me',
  'attachment',
  'a',
]
/** Arguments with IDs whose name differs from the route that lists the objects. */
const NAMED: Readonly<Record<string, string>> = {
  author: 'users',
  author_exclude: 'users',
  featured_media: 'media',
  icon: 'media',
  post: 'posts',
  include: 'posts',
  exclude: 'posts',
  reassign: 'users',
}
/** Valid values that cannot be derived from the schema of an argument. */
const VALID_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  page: [1],
  offset: [0, 1],
  context: ['view', 'embed', 'edit'],
  template: [''],
  timezone: ['UTC', 'Europe/Berlin'],
  force: [true, false],
  app_id: [''],
  username: Array.from({ length: 500 }, (_, index) => `login${index}`),
  name: Array.from({ length: 500 }, (_, index) => `Name ${index}`),
}
/** Parts of lists of names. */
const NAME_PIECES = ['.', 'a.', ',', 'a,', 'a.b,', 'content.', '_links,']
/** Parts of lists that are sent as one text. */
const LIST_PIECES = ['1,', ',', 'a,', '1 ', 'post,', '01,']
/** IDs of objects that may exist. */
const IDS = Array.from({ length: 40 }, (_, index) => index + 1)

class CaseBuilder {
  readonly #random: Random
  readonly #users: SiteUsers
  readonly #sample: Sample
  readonly #values: Values

  constructor(random: Random, users: SiteUsers, sample: Sample, maxLength: number) {
    this.#random = random
    this.#users = users
    this.#sample = sample
    this.#values = new Values(random, IDS, maxLength)
  }

  make(endpoint: Endpoint): Omit<Case, 'number'> {
    const random = this.#random
    const method = random.chance(0.93) ? endpoint.method : random.pick(METHODS)
    const path = random.chance(0.98) ? this.#path(endpoint) : random.pick(OTHERS)
    const sender = this.#pickSender(method, path)
    const args = this.#arguments(endpoint)
    const headers = { ...this.#users.by(sender), ...this.#headers() }
    const bare = method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
    const inBody = random.chance(bare ? 0.05 : 0.85)
    const query = this.#query(inBody ? args.filter(() => random.chance(0.1)) : args)
    // Truncated to the limit for headers. The body still contains the whole value.
    const short = query.length < 12_000 ? query : query.slice(0, 12_000).replace(/%[^%]?$/, '')
    const target = this.#target(path, short)
    const body = inBody || query.length >= 12_000 ? this.#body(args) : undefined
    const sent: Sent = {
      method,
      path: target,
      headers: { ...(body !== undefined && body.type !== '' && { 'content-type': body.type }), ...headers },
      ...(body !== undefined && { body: body.bytes }),
    }
    const broken = random.chance(0.02)
    return { sender, broken, ...sent, ...(broken && { raw: this.#broken(sent) }) }
  }

  /** Returns a valid request with one or two values of the maximum size of a body. */
  makeLarge(endpoint: Endpoint, argument: string, maxLength: number): Omit<Case, 'number'> {
    const random = this.#random
    const path = this.#path(endpoint)
    const safe = endpoint.method === 'GET'
    // A POST can override its method to GET, and its body can be larger than a URL.
    const method = safe && random.chance(0.7) ? 'POST' : endpoint.method
    const sender = this.#pickSender(method, path)
    const args: [name: string, value: unknown][] = Object.entries(endpoint.args)
      .filter(([name, { required }]) => required === true && name !== argument)
      .map(([name, schema]) => [name, this.#valid(name, schema)])
    const { type = 'string' } = endpoint.args[argument]!
    const pieces = argument.startsWith('_') ? NAME_PIECES : type === 'array' ? LIST_PIECES : undefined
    const value = this.#values.large(maxLength, pieces)
    const body = random.chance(0.7)
      ? this.#json([...args, [argument, value]])
      : random.chance(0.5)
        ? this.#multipart([...args, [argument, value]], maxLength)
        : this.#form([...args, [argument, value]])
    const override = method === endpoint.method ? {} : { 'x-http-method-override': 'GET' }
    const headers = { ...this.#users.by(sender), ...override, 'content-type': body.type }
    return { sender, broken: false, method, path: `/svc-json${path}`, headers, body: body.bytes }
  }

  /**
   * Selects a random user. Requests that change accounts use a spare account: otherwise an administrator would sooner or later
   * delete the users of the other requests.
   */
  #pickSender(method: string, path: string): Sender {
    const sender = this.#random.pick(SENDERS)
    if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return sender
    if (path.includes('/users/me')) return 'spare'
    if (path.includes('batch') && sender === 'administrator') return 'editor'
    const [, user] = /\/users\/(\d+)/.exec(path) ?? []
    const { spare: _, ...needed } = this.#users.ids
    return Object.values(needed).includes(Number(user)) &&
      (sender === 'administrator' || needed[sender as keyof typeof needed] === Number(user))
      ? 'spare'
      : sender
  }

  /** Returns a path of a route. Its groups mostly contain the ID or name of an existing object. */
  #path({ route, method }: Endpoint): string {
    const random = this.#random
    const [, base = ''] = /^\/svc\/v2\/([\w-]+)\//.exec(route) ?? []
    const some = this.#sample[base] ?? IDS
    // Otherwise all sample objects would soon be deleted.
    const own = method === 'DELETE' && random.chance(0.9) ? IDS : some
    const fill = (name: string) => {
      if (random.chance(0.05)) return encodeURIComponent(this.#values.hostileText().toWellFormed().slice(0, 3000))
      if (name === 'user_id') return random.pick(['me', ...own])
      if (name === 'id' && /revisions|autosaves/.test(route) && route.includes('parent'))
        return random.pick(this.#sample['versions'] ?? IDS)
      if (name === 'id' || name === 'parent')
        return random.chance(0.95) ? random.pick(own) : random.pick([0, 99_999, 2 ** 53, '9'.repeat(400)])
      return random.pick(NAMES)
    }
    return route.replace(CAPTURE, (_, name: string) => String(fill(name)))
  }

  #target(path: string, query: string): string {
    const random = this.#random
    if (OTHERS.includes(path as (typeof OTHERS)[number])) return path
    const odd = random.chance(0.02)
    const route = odd ? path.replaceAll('/', random.pick(['//', '/./', '%2f', '/%2e%2e/', '\\', ';/', '/%00'])) : path
    const begin = random.chance(0.95) ? '/svc-json' : '/index.php/svc-json'
    return `${begin}${route}${query === '' ? '' : `?${query}`}`
  }

  #headers(): Record<string, string> {
    const random = this.#random
    const headers: Record<string, string> = {}
    const perhaps = (name: string, share: number, value: () => string) => {
      if (random.chance(share)) headers[name] = value()
    }
    const text = () =>
      Buffer.from(this.#values.hostileText())
        .toString('latin1')
        .replace(/[^\x20-\x7e\xa0-\xff]/g, '')
        .slice(0, 2000)
    perhaps('x-http-method-override', 0.02, () => random.pick(METHODS))
    perhaps('range', 0.02, () => random.pick(RANGES))
    perhaps('if-none-match', 0.02, () => random.pick(['*', '""', 'W/"x"', text()]))
    perhaps('if-modified-since', 0.01, () => random.pick(['x', 'Sun, 06 Nov 1994 08:49:37 GMT', text()]))
    perhaps('origin', 0.03, () => random.pick(['null', 'https://evil.example', 'x', text()]))
    perhaps('cookie', 0.02, () => `svc_session=${text()}; a=${text()}`)
    perhaps('accept', 0.02, () => text())
    perhaps('accept-language', 0.01, () => text())
    perhaps('content-disposition', 0.03, () => `attachment; filename="${text().replaceAll('"', '')}.png"`)
    perhaps('content-md5', 0.01, text)
    perhaps('content-encoding', 0.01, () => random.pick(['gzip', 'deflate', 'x']))
    perhaps('x-forwarded-for', 0.02, () => random.pick(['127.0.0.1', text()]))
    perhaps('x-forwarded-host', 0.01, text)
    perhaps('x-svc-nonce', 0.02, text)
    perhaps('authorization', 0.02, () =>
      random.pick(['Basic', 'Basic !!!', 'Basic eDp5', 'Bearer x', `Basic ${'A'.repeat(5000)}`, text()]),
    )
    return headers
  }

  /** Returns a value that matches the schema. References mostly refer to existing objects. */
  #valid(name: string, schema: Schema): unknown {
    const random = this.#random
    const words = VALID_VALUES[name]
    if (words !== undefined && random.chance(0.9)) return random.pick(words)
    const ids = this.#sample[NAMED[name] ?? name]
    if (ids === undefined || !/integer|array/.test(String(schema.type))) return this.#values.valid(schema)
    return schema.type === 'array' ? Array.from({ length: random.below(4) }, () => random.pick(ids)) : random.pick(ids)
  }

  #manner(): Manner {
    return this.#random.chance(0.5) ? 'near' : 'hostile'
  }

  /** Returns arguments: all valid in half of the requests, otherwise one or several invalid. */
  #arguments({ args, route }: Endpoint): [name: string, value: unknown][] {
    const random = this.#random
    const share = random.pick([0.1, 0.3, 0.9])
    const chosen = Object.entries(args).filter(([name, { required }]) => {
      // Rarely, because a value that contradicts the path is rejected.
      if (Object.hasOwn(EVERYWHERE, name) || route.includes(`<${name}>`)) return random.chance(0.02)
      return required === true || random.chance(share)
    })
    const strangers = random.pick(['none', 'none', 'one', 'some'])
    const stranger = strangers === 'one' && chosen.length > 0 ? random.pick(chosen)[0] : undefined
    const list = chosen.map(([name, schema]): [string, unknown] => {
      const isStrange = strangers === 'some' ? random.chance(0.5) : name === stranger
      return [name, isStrange ? this.#values.of(schema, this.#manner()) : this.#valid(name, schema)]
    })
    if (random.chance(0.03)) list.push([this.#values.hostileText(), this.#values.hostile(1)])
    return list
  }

  /** Encodes arguments as a query: scalar, `a[]`, `a[k]`, sometimes with unclosed brackets. */
  #query(args: readonly [string, unknown][]): string {
    const parts: string[] = []
    const write = (name: string, value: unknown, depth: number) => {
      if (parts.length > 2000 || depth > 20) return
      if (isPlain(value)) parts.push(`${name}=${encode(value)}`)
      else if (Array.isArray(value)) {
        if (value.every(isPlain) && this.#random.chance(0.3)) parts.push(`${name}=${encode(value.join(','))}`)
        else for (const item of value) write(`${name}[]`, item, depth + 1)
      } else
        for (const [key, item] of Object.entries(value as object)) write(`${name}[${encode(key)}]`, item, depth + 1)
    }
    for (const [name, value] of args) write(this.#name(encode(name)), value, 0)
    return parts.join('&')
  }

  #name(name: string): string {
    if (this.#random.chance(0.97)) return name
    return this.#random.pick([
      `${name}[`,
      `${name}]`,
      `[${name}]`,
      `${name}[[]]`,
      `${name}[a][`,
      `${name}.a`,
      `${name}%00`,
      `%${name}`,
      `${name}[]`.repeat(20),
    ])
  }

  #body(args: readonly [string, unknown][]): { type: string; bytes: Buffer } {
    const random = this.#random
    if (random.chance(0.01)) return this.#bulk()
    const roll = random.next()
    const form = roll < 0.6 ? this.#json(args) : roll < 0.75 ? this.#form(args) : this.#multipart(args)
    if (random.chance(0.03)) form.type = random.pick(TYPES)
    if (random.chance(0.02)) form.bytes = form.bytes.subarray(0, random.below(form.bytes.length + 1))
    return form
  }

  #json(args: readonly [string, unknown][]): { type: string; bytes: Buffer } {
    const random = this.#random
    // Not with JSON.stringify, so that `__proto__` and duplicate names are possible.
    let text = `{${args.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value) ?? 'null'}`).join(',')}}`
    if (random.chance(0.02))
      text = random.pick([
        `[${text}]`,
        `\ufeff${text}`,
        `${text}x`,
        'null',
        '1',
        '"x"',
        '',
        '[',
        '{"a":',
        '[['.repeat(2000),
        '{"__proto__":{"x":1}}',
      ])
    const type = random.chance(0.9) ? 'application/json' : `application/json; charset=${random.pick(CHARSETS)}`
    return { type, bytes: Buffer.from(text) }
  }

  /** Returns a large body that consists only of structure. The server parses it before it checks permissions. */
  #bulk(): { type: string; bytes: Buffer } {
    const random = this.#random
    const size = random.pick([10_000, 65_000, 250_000, 1_000_000, 8_300_000])
    const depth = random.pick([1, 2, 8, 41])
    const { type, before = '', piece, after = '' } = random.pick(BULK)
    const pieces = [before]
    for (let [index, length] = [0, before.length + after.length]; length < size; index += 1) {
      const next = piece(depth, index)
      pieces.push(next)
      length += next.length
    }
    return { type, bytes: Buffer.from([...pieces, after].join('')) }
  }

  #form(args: readonly [string, unknown][]): { type: string; bytes: Buffer } {
    return { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(this.#query(args)) }
  }

  #multipart(args: readonly [string, unknown][], maxLength = 3000): { type: string; bytes: Buffer } {
    const random = this.#random
    const parts: Buffer[] = []
    const part = (head: string[], content: Buffer) =>
      parts.push(Buffer.from(`--bound\r\n${head.join('\r\n')}\r\n\r\n`), content, Buffer.from('\r\n'))
    for (const [name, value] of args) {
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
      const named = random.chance(0.95)
        ? `; name="${encodeName(name)}"`
        : random.pick(['', '; name', '; name=', "; name*=utf-8''%00", '; name="'])
      const type = random.chance(0.1) ? [`Content-Type: text/plain; charset=${random.pick(CHARSETS)}`] : []
      const bytes = type.length > 0 && random.chance(0.5) ? Buffer.from([0x00, 0xd8, 0x41, 0xff]) : Buffer.from(text)
      part([`Content-Disposition: form-data${named}`, ...type], bytes)
    }
    if (random.chance(0.6)) this.#file(part, maxLength)
    const end = random.chance(0.95) ? '--bound--\r\n' : random.pick(['', '--bound', '--bound\r\n', '\r\n'])
    return { type: 'multipart/form-data; boundary=bound', bytes: Buffer.concat([...parts, Buffer.from(end)]) }
  }

  #file(part: (head: string[], content: Buffer) => void, maxLength: number): void {
    const random = this.#random
    // Form parsers accept part headers of up to 80 kB.
    const long = maxLength > 3000 ? this.#values.long(60_000) : this.#values.hostileText()
    const name = random.chance(0.5) ? `f${random.below(1000)}` : long
    const ending = random.pick(['.png', '.txt', '.jpg', '.svg', '.php', '.html', '', '.', '.png.php', '.tar.gz'])
    const kind = random.pick(['image/png', 'text/plain', 'image/svg+xml', 'text/html', 'x', ''])
    const content = random.pick([
      PIXEL,
      Buffer.from('plain text'),
      Buffer.alloc(0),
      PIXEL.subarray(0, 30),
      Buffer.from('<svg onload=x>'),
    ])
    const field = random.chance(0.9) ? 'file' : this.#values.hostileText()
    part(
      [
        `Content-Disposition: form-data; name="${encodeName(field)}"; filename="${encodeName(name)}${ending}"`,
        `Content-Type: ${kind}`,
      ],
      content,
    )
  }

  /** Returns bytes that are not a valid request: truncated, doubled, or with invalid lines. */
  #broken({ method, path, headers, body = Buffer.alloc(0) }: Sent): Buffer {
    const random = this.#random
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const length = `content-length: ${body.length}`
    const hostile = this.#values.hostileText().slice(0, 2000)
    const head = (first: string, ...more: string[]) => Buffer.from(`${[first, ...more].join('\r\n')}\r\n\r\n`)
    const first = `${method} ${path} HTTP/1.1`
    const host = 'host: 127.0.0.1'
    switch (random.below(10)) {
      case 0:
        return Buffer.concat([head(first, host, ...lines, `content-length: ${body.length + 10}`), body])
      case 1:
        return Buffer.concat([head(first, host, ...lines, length, 'transfer-encoding: chunked'), body])
      case 2:
        return Buffer.concat([head(first, host, ...lines, 'transfer-encoding: chunked'), Buffer.from('5\r\nab')])
      case 3:
        return head(first, host, host, ...lines)
      case 4:
        return head(`${method} ${hostile} HTTP/1.1`, host)
      case 5:
        return head(first, `host: ${hostile}`)
      case 6:
        return head(first, host, `x-a: ${hostile}`, ` folded: ${hostile}`)
      case 7:
        return Buffer.from(first.slice(0, random.below(first.length)))
      case 8:
        return Buffer.concat([head(first, host, ...lines, length), body, head(first, host, ...lines, length), body])
      default:
        return head(first, host, 'expect: 100-continue', 'connection: upgrade', 'upgrade: websocket', ...lines)
    }
  }
}

/** As a query has it; half surrogates become what they become in any client. */
function encode(value: unknown): string {
  return encodeURIComponent(String(value).toWellFormed())
}

function encodeName(name: string): string {
  return name.replace(/["\r\n]/g, '')
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const FIELD = {
  type: 'multipart/form-data; boundary=bound',
  before: '--bound\r\nContent-Disposition: form-data; name="content"\r\n\r\n',
  after: '\r\n--bound--\r\n',
}

/** Large bodies: pieces, which depend on the maximum nesting depth and their index, between a start and an end. */
const BULK: readonly {
  type: string
  before?: string
  piece: (depth: number, index: number) => string
  after?: string
}[] = [
  { type: JSON_TYPE, before: '[', piece: (depth) => `${'['.repeat(depth)}${']'.repeat(depth)},`, after: '1]' },
  { type: JSON_TYPE, before: '{"title":[', piece: (depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`, after: ']}' },
  { type: JSON_TYPE, before: '[', piece: (depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)},`, after: '1]' },
  {
    type: JSON_TYPE,
    before: '[',
    piece: (depth, index) =>
      `${Array.from({ length: depth }, (_, level) => `{"k${index}_${level}":`).join('')}"\\u0001"${'}'.repeat(depth)},`,
    after: '1]',
  },
  { type: JSON_TYPE, before: '{', piece: (_, index) => `"k${index}":1,`, after: '"z":1}' },
  { type: JSON_TYPE, before: '{', piece: (_, index) => `"k${index}\\u0001":"\\b",`, after: '"z":1}' },
  { type: JSON_TYPE, before: '{"content":"', piece: () => '\\u0001\\ud800', after: '"}' },
  ...['a[]=%2B&', 'a[b][c]=1&', '&', '=', '%', 'a%5B', '%5Bb%5D', 'a[]=', 'a=1&'].map((text) => ({
    type: FORM_TYPE,
    piece: () => text,
  })),
  ...['+', '%20', '%00', '%ED%A0%80'].map((text) => ({ type: FORM_TYPE, before: 'a[]=', piece: () => text })),
  { type: FORM_TYPE, piece: (_, index) => `k${index}=&` },
  ...['\u00e9\u0001', '\r', '\n', '&', '%', '+'].map((text) => ({ ...FIELD, piece: () => text })),
]
