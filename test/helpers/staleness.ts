import { randomUUID } from 'node:crypto'
import type { Kernel } from '../../bin/config/index.ts'
import type { Owner } from '../../kernel/index.ts'
import { registerLate } from './random-plugins.ts'
import { randomOf } from './random.ts'
import { readOf, READS } from './random-reads.ts'
import { RandomWriter, type RandomWrite } from './random-site.ts'
import { RawReader, type RawAnswer } from './raw-read.ts'
import type { SiteWithUsers, UserIds } from './site-with-users.ts'

/** Headers that must be equal in cached and uncached responses. */
const COMPARED = ['link', 'x-svc-total', 'x-svc-totalpages', 'allow', 'content-type', 'location'] as const
/** `browser` is an editor with a cookie. All other users have application passwords. */
const READERS = ['visitor', 'sub', 'con', 'ann', 'ed', 'admin', 'browser'] as const
const ENCODINGS = ['', '', 'gzip', 'br, gzip', 'zstd'] as const
/** Number of requests that are repeated on all servers, so that their caches are used. */
const HOT_REQUESTS = 60

/** The servers and their reads and writes. */
export interface StaleOptions {
  readonly seed: number
  readonly writes: number
  /** Reads after each write. */
  readonly reads: number
  /** Waits until other servers must have received a write. */
  readonly follows: () => Promise<unknown>
  /** URLs of the servers that cache responses. */
  readonly roots: readonly string[]
  /** For each server, or for an external program, the site that writes. */
  readonly writers: readonly SiteWithUsers[]
  /** The same site without a response cache. */
  readonly fresh: SiteWithUsers
  /** Kernels of this process. Random registrations are added to and removed from all of them. */
  readonly kernels: readonly Kernel[]
}

/** The stale responses, and counts of reads and writes. */
export interface StaleReport {
  compared: number
  hits: number
  unchanged: number
  stale: string[]
}

interface ReadRequest {
  readonly reader: (typeof READERS)[number]
  readonly template: string
}

/** An earlier response that a client can revalidate. */
interface CachedResponse {
  readonly etag: string
  readonly modified: string | undefined
  readonly text: string
}

/** Performs random writes and reads, and compares the responses of servers with a cache to those of a server without. */
export async function findStale(options: StaleOptions): Promise<StaleReport> {
  const { seed, writes, roots, fresh } = options
  const random = randomOf(seed)
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const report: StaleReport = { compared: 0, hits: 0, unchanged: 0, stale: [] }
  const credentials = await credentialsOf(fresh)
  const switching = { ...fresh }
  const writer = new RandomWriter(switching, random, options.kernels)
  await writer.begin()
  using client = new RawReader()
  const draw = (): ReadRequest => ({ reader: one(READERS), template: one(READS) })
  const hot = Array.from({ length: Math.round(HOT_REQUESTS / roots.length) }, draw)
  const cached = new Map<string, CachedResponse>()

  let late: Owner[] = []
  const registerOrUndo = async () => {
    const before = late
    late = before.length > 0 ? [] : options.kernels.map(registerLate)
    for (const owner of before) await owner.remove()
  }
  const revoke = async () => {
    const login = one(['sub', 'con', 'ann', 'ed'] as const)
    await fresh.send('DELETE', `/svc/v2/users/${fresh.users[login]}/application-passwords`, {}, 'admin')
    // Half of the users get new credentials. The others are rejected until the next time.
    if (random() < 0.5) credentials.set(login, await credentialOf(fresh, login))
  }
  const logOut = async () => {
    await fresh.kernel.services.sessions.destroyAll(fresh.users.ed)
    if (random() < 0.7) credentials.set('browser', await sessionOf(fresh))
  }
  const rare = (): RandomWrite =>
    one([
      ...(options.kernels.length > 0 ? [{ name: 'register or undo', run: registerOrUndo }] : []),
      { name: 'revoke application passwords', run: revoke },
      { name: 'log out', run: logOut },
    ])

  const pathOf = ({ template }: ReadRequest) => readOf(template, writer.objects, fresh.users.ann)
  const headersOf = ({ reader }: ReadRequest): Record<string, string> => ({ ...credentials.get(reader) })
  const send = async (root: string, request: ReadRequest) => {
    const path = pathOf(request)
    const previous = cached.get(`${request.reader} ${path}`)
    const headers = headersOf(request)
    const encoding = one(ENCODINGS)
    if (encoding !== '') headers['accept-encoding'] = encoding
    const condition = random()
    if (previous !== undefined && condition < 0.3) headers['if-none-match'] = previous.etag
    else if (previous?.modified !== undefined && condition < 0.4) headers['if-modified-since'] = previous.modified
    const method = random() < 0.1 ? 'HEAD' : 'GET'
    return { request, path, previous, method, answer: await client.read(`${root}${path}`, headers, method) }
  }

  for (let count = 0; count < writes; count += 1) {
    const place = Math.floor(random() * options.writers.length)
    Object.assign(switching, options.writers[place])
    const { name, run } = random() < 0.1 ? rare() : writer.next()
    // Concurrent requests can get old or new responses, but the caches must not keep the old ones.
    const concurrentReads = Promise.all(Array.from({ length: 4 }, () => send(one(roots), one(hot))))
    await run()
    await concurrentReads
    // An external program is not one of the servers.
    const own = options.writers[place] === fresh ? undefined : roots[place]
    const answers: Awaited<ReturnType<typeof send>>[] = []
    hot[Math.floor(random() * hot.length)] = draw()
    const requests = Array.from({ length: options.reads }, () => (random() < 0.9 ? one(hot) : draw()))
    // The server that wrote must return the new state immediately.
    if (own !== undefined) for (const request of requests.slice(0, 5)) answers.push(await send(own, request))
    await options.follows()
    for (const request of requests.slice(5)) answers.push(await send(one(roots), request))
    for (const got of answers) {
      const right = await client.read(`${fresh.listening}/svc-json${got.path}`, headersOf(got.request))
      const wrong = difference(got, right)
      report.compared += 1
      if (got.answer.headers['x-svc-cache'] === 'HIT') report.hits += 1
      if (got.answer.status === 304) report.unchanged += 1
      const { etag, 'last-modified': modified } = got.answer.headers
      const id = `${got.request.reader} ${got.path}`
      if (got.method === 'GET' && got.answer.status === 200 && etag !== undefined)
        cached.set(id, { etag, modified, text: got.answer.text })
      if (wrong !== null)
        report.stale.push(
          `seed ${seed}, write ${count} (${name}): ${got.method} ${id} (${String(got.answer.headers['x-svc-cache'])}): ${wrong}`,
        )
    }
  }
  return report
}

/** Returns how a response differs from the correct one; null if they are equal. */
function difference(
  { answer, previous, method }: { answer: RawAnswer; previous: CachedResponse | undefined; method: string },
  right: RawAnswer,
): string | null {
  if (answer.status === 304) {
    if (right.status !== 200) return `304 in place of ${right.status}`
    return previous?.text === right.text ? null : `304 for ${part(previous?.text ?? '', right.text)}`
  }
  if (answer.status !== right.status) return `${answer.status} in place of ${right.status}`
  for (const name of COMPARED)
    if (String(answer.headers[name]) !== String(right.headers[name]))
      return `${name}: ${String(answer.headers[name])} in place of ${String(right.headers[name])}`
  if (plainTag(answer) !== plainTag(right)) return `ETag: ${part(answer.text, right.text)}`
  return method === 'HEAD' || answer.text === right.text ? null : part(answer.text, right.text)
}

/** Returns the entity tag of the body without the suffix of its encoding. */
const plainTag = ({ headers: { etag } }: RawAnswer) => etag?.replace(/-(?:br|gzip|zstd)"$/, '"')

/** Returns the parts of two texts around their first difference. */
function part(one: string, other: string): string {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const around = (text: string) => text.slice(Math.max(0, at - 60), at + 100)
  return `…${around(one)}… in place of …${around(other)}…`
}

type Credentials = Readonly<Record<string, string>>

/** Returns the authentication headers of each user. */
async function credentialsOf(site: SiteWithUsers): Promise<Map<string, Credentials>> {
  const credentials = new Map<string, Credentials>()
  for (const login of Object.keys(site.users) as (keyof UserIds)[])
    credentials.set(login, await credentialOf(site, login))
  return credentials.set('browser', await sessionOf(site))
}

async function credentialOf({ kernel, users }: SiteWithUsers, login: keyof UserIds): Promise<Credentials> {
  const { password } = await kernel.services.applicationPasswords.create(users[login], { name: randomUUID() })
  return { authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}` }
}

async function sessionOf({ kernel, users: { ed: id } }: SiteWithUsers): Promise<Credentials> {
  const { branding, services } = kernel
  const { token, id: session } = await services.sessions.create(id, { ip: '127.0.0.1', agent: 'test' })
  const nonce = services.nonces.create(branding.nonceAction, { id, session })
  return { cookie: `${services.sessionCookie.name}=${token}`, [branding.header('Nonce')]: nonce }
}
