import { setTimeout as delay } from 'node:timers/promises'
import type { Case } from './cases.ts'
import { bodyOf, Contestant, type Load, type Round } from './contestant.ts'
import { CONSTANT_ROUTE, type RecordedAnswer } from './server.ts'
import { tableHead, tableLine } from './table.ts'

/** Durations of a measurement. */
export interface Pace {
  connections: number
  /** Seconds of the warm-up before the first round, and of each round. */
  warmUp: number
  rounds: number
  seconds: number
}

interface Measured {
  subject: Case
  bytes: number
  statements: number
  rounds: Round[]
  bare: Round[]
}

/** The servers for the cases, each started on first use. */
export class Servers implements AsyncDisposable {
  readonly #database: string
  readonly #profiles: string | undefined
  readonly #started = new Map<Case['server'], Contestant>()

  constructor(database: string, profiles: string | undefined) {
    this.#database = database
    this.#profiles = profiles
  }

  async get(kind: Case['server']): Promise<Contestant> {
    let server = this.#started.get(kind)
    if (server !== undefined) return server
    server = await Contestant.start([kind, this.#database], this.#profiles)
    this.#started.set(kind, server)
    if (kind !== 'fastify') {
      await waitUntilIdle(server)
      return server
    }
    // It sends the body and the headers of the site.
    const { answer } = await record(await this.get('cold'), { path: CONSTANT_ROUTE })
    await server.query({ path: CONSTANT_ROUTE, answer })
    return server
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#started.values()) await server[Symbol.asyncDispose]()
  }
}

/** Waits until the server has finished its work after a start, such as updating an index. */
async function waitUntilIdle(server: Contestant): Promise<void> {
  for (let before = 0, quiet = 0; quiet < 3;) {
    await delay(700)
    const now = await server.query('cpu')
    quiet = now - before < 35_000 ? quiet + 1 : 0
    before = now
  }
}

/** Headers that Node adds to every response. */
const OF_NODE: ReadonlySet<string> = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding'])

async function record({ url }: Contestant, load: Load): Promise<{ answer: RecordedAnswer; etag: string | null }> {
  const { path, headers = {}, method = 'GET' } = load
  // Uncompressed, like the requests of the load, so that the bare server can send the same bytes and headers.
  const requestHeaders = { 'accept-encoding': 'identity', ...headers }
  const response = await fetch(`${url}${path}`, { headers: requestHeaders, method, body: bodyOf(load) ?? null })
  const body = await response.text()
  if (!response.ok) throw new Error(`answered with ${response.status}: ${body.slice(0, 200)}`)
  const head = [...response.headers].flatMap(([name, value]) => (OF_NODE.has(name) ? [] : [name, value]))
  return { answer: { head, body }, etag: response.headers.get('etag') }
}

/**
 * Measures a case and the bare server in alternating rounds.
 * @param barePath path at which the bare server sends the same response
 * @throws Error for an error response
 */
export async function measure(
  subject: Case,
  server: Contestant,
  bare: Contestant,
  barePath: string,
  { connections: usual, warmUp, rounds, seconds }: Pace,
): Promise<Measured> {
  await record(server, subject)
  if (subject.server !== 'fastify') await server.query('statements')
  const start = performance.now()
  const { answer, etag } = await record(server, subject)
  const alone = performance.now() - start
  const statements = await server.query('statements')
  await server.query('uncounted')
  await bare.query({ path: barePath, answer })
  if (subject.revalidates === true && etag === null) throw new Error('the answer has no ETag')
  const request =
    etag !== null && subject.revalidates === true ? { ...subject, headers: { 'if-none-match': etag } } : subject
  const { connections = usual } = subject
  // Long enough for at least two responses on each connection.
  const enough = (2 * connections * alone) / 1000
  const load = (least: number) => server.load(request, connections, Math.max(least, enough))
  const loadBare = (least: number) => bare.load({ path: barePath }, connections, least)
  await load(warmUp)
  await loadBare(warmUp)
  const one: Measured = { subject, bytes: Buffer.byteLength(answer.body), statements, rounds: [], bare: [] }
  for (let round = 0; round < rounds; round += 1) {
    // Alternates the order, so that the load of the machine affects both equally.
    if (round % 2 === 0) one.bare.push(await loadBare(seconds))
    one.rounds.push(await load(seconds))
    if (round % 2 === 1) one.bare.push(await loadBare(seconds))
  }
  return one
}

const HEAD = ['case', 'kB', 'req/s', 'bare req/s', 'ratio', 'by CPU', 'budget', 'p50 ms', 'p99 ms', 'CPU µs', 'SQL']
const WIDTHS = [38, 6, 7, 10, 5, 6, 6, 7, 7, 7, 4]

/** Returns the head of the table of cases. Its lines are printed as soon as they are measured. */
export function caseHead(): string {
  return tableHead(HEAD, WIDTHS)
}

export function caseLine({ subject, bytes, statements, rounds, bare }: Measured): string {
  const number = (value: number, digits = 0) =>
    value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  const of = (list: readonly Round[], key: keyof Round) => median(list.map((round) => round[key]))
  const cells = [
    subject.name,
    number(bytes / 1000, 1),
    number(of(rounds, 'rate')),
    number(of(bare, 'rate')),
    number(of(rounds, 'rate') / of(bare, 'rate'), 2),
    number(of(bare, 'cpu') / of(rounds, 'cpu'), 2),
    subject.budget === undefined ? '' : `≥ ${number(subject.budget, 2)}`,
    number(of(rounds, 'p50'), 2),
    number(of(rounds, 'p99'), 2),
    number(of(rounds, 'cpu')),
    subject.server === 'fastify' ? '' : String(statements),
  ]
  return tableLine(cells, WIDTHS)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2
}
