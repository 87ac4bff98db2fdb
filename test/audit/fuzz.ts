import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createApi } from './api.ts'
import { Cases, endpointsOf, type Case } from './cases.ts'
import { createClient, type Answer, type Client } from './client.ts'
import { Findings } from './findings.ts'
import { responseProblems } from './check-response.ts'
import { addUsers, type SiteUsers } from './users.ts'
import type { Report } from './report.ts'
import { makeSample } from './sample.ts'
import { makeSite, startServer, type AuditServer, type AuditSite } from './server.ts'
import { createStalls, watchStalls, type Stalls } from './stalls.ts'

/** Limits of a run of the fuzzer. */
export interface FuzzOptions {
  seed: number
  requests: number
  /** Number of the first request. Earlier requests are skipped, so that one can be repeated. */
  from?: number
  /** A PostgreSQL server, else SQLite. */
  server?: string | undefined
  /** Maximum number of concurrent requests for each server. */
  connections?: number
  /** Maximum characters of a text. */
  maxLength?: number
  /** Milliseconds of processor time for which one request can block all others. */
  block?: number
  /** Timeout of a request in milliseconds. */
  patience?: number
  /** Maximum memory of the process in bytes. */
  memory?: number
}

type Bounds = Required<Omit<FuzzOptions, 'server' | 'from'>>

/** Maximum number of restarts of a server that has ended. */
const MAX_RESTARTS = 30
/** Maximum number of suspect requests, which may have blocked or ended the server, that are repeated alone. */
const MAX_SUSPECTS = 40
/** Number of remembered requests after their response: a request can end the process after it got its response. */
const REMEMBERED_REQUESTS = 100
/** Number of requests between two checks of the memory and the accounts. */
const REQUESTS_PER_CHECK = 2000

/** Maximum number of requests for one site, to limit the size of its content. */
const REQUESTS_PER_SITE = 50_000
/** Minimum number of requests for a second server. */
const MIN_REQUESTS_FOR_LANES = 2000
/** Config of the audited site. */
const METERED = { plugins: { [join(import.meta.dirname, 'stall-meter.ts')]: true } }

/** Sends requests generated from the index document as all kinds of users, and checks each response. */
export async function fuzz(report: Report, options: FuzzOptions): Promise<void> {
  const { server, seed, requests, from = 0 } = options
  const line = report.line(
    'fuzz',
    `requests generated from the index, ${server === undefined ? 'SQLite' : 'PostgreSQL'}`,
  )
  const standard = { connections: 8, maxLength: 2_000_000, block: 250, patience: 40_000, memory: 750e6 }
  const bounds = { ...standard, ...options }
  const findings = new Findings(seed)
  // This process uses about a third of the processor time of a server.
  const lanes = requests <= MIN_REQUESTS_FOR_LANES ? 1 : Math.max(1, Math.round(availableParallelism() * 0.75))
  const size = Math.min(REQUESTS_PER_SITE, Math.ceil(requests / lanes))
  let next = from
  const lane = async () => {
    while (next < from + requests) {
      const begin = next
      next = Math.min(begin + size, from + requests)
      const end = next
      await using site = await makeSite({ server, config: METERED })
      await new Fuzzer(site, await addUsers(site), bounds, findings).run(begin, end)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  findings.addTo(line, bounds.block)
}

/** Sends some of the requests to one site. */
class Fuzzer {
  readonly #site: AuditSite
  readonly #users: SiteUsers
  readonly #findings: Findings
  readonly #options: Bounds
  readonly #inProgress = new Set<Case>()
  /** The latest requests with a response, one of which may have ended the process. */
  readonly #latest: { request: Case; at: number }[] = []
  /** Requests that may have blocked others, and for how long. */
  readonly #blocking = new Map<Case, number>()
  #cases!: Cases

  constructor(site: AuditSite, users: SiteUsers, options: Bounds, findings: Findings) {
    this.#site = site
    this.#users = users
    this.#options = options
    this.#findings = findings
  }

  async run(begin: number, end: number): Promise<void> {
    let next = begin
    for (let starts = 0; next < end; starts += 1) {
      await using server = await startServer(this.#site)
      this.#cases ??= await this.#makeCases(server)
      next = await this.#until(server, next, end)
      if (this.#inProgress.size === 0) break
      await this.#findKiller(server)
      if (starts === MAX_RESTARTS) {
        this.#findings.note(`the server ended ${starts + 1} times; the run was given up at request ${next}`)
        break
      }
    }
    await this.#findBlocker()
  }

  async #makeCases(server: AuditServer): Promise<Cases> {
    const { seed, maxLength } = this.#options
    using api = createApi(server, this.#users)
    const sample = await makeSample(api, this.#users)
    return new Cases(endpointsOf((await api('GET', '/')).body), this.#users, sample, seed, maxLength)
  }

  /** Sends requests until `end`, or until the server has ended. Returns the number of the next request. */
  async #until(server: AuditServer, begin: number, end: number): Promise<number> {
    const { connections, patience, block } = this.#options
    using client = createClient(server.port, connections, patience)
    using stalls = createStalls(server, patience)
    this.#inProgress.clear()
    this.#latest.length = 0
    // Discards the time of the start.
    await stalls.readLongestBlock()
    await using _ = watchStalls(stalls, (milliseconds, since) => {
      if (milliseconds > block) this.#suspect(milliseconds, since)
    })
    let next = begin
    let ended = false
    while (next < end && !ended) {
      const round = Math.min(next + REQUESTS_PER_CHECK, end)
      const worker = async () => {
        while (next < round && !ended) ended = (await this.#send(server, client, this.#cases.of(next++))) || ended
      }
      await Promise.all(Array.from({ length: connections }, worker))
      if (!ended) await this.#checkServer(server)
    }
    return next
  }

  /** Sends a request and checks its response. Returns whether the server has ended in the meantime. */
  async #send(server: AuditServer, client: Client, request: Case): Promise<boolean> {
    this.#inProgress.add(request)
    const answer = await client.send(request)
    // Requests in progress when the process ended are repeated alone.
    if (answer.status === 0 && !(await stillThere(server))) return true
    this.#inProgress.delete(request)
    if (this.#latest.push({ request, at: performance.now() }) > REMEMBERED_REQUESTS) this.#latest.shift()
    this.#findings.answered(answer.status, answer.took)
    const wrong = responseProblems(request, answer)
    if (wrong.length === 0 && request.sender === 'visitor')
      wrong.push(...(await this.#checkBody(client, request, answer)))
    const reason = answer.status === 500 ? reasonIn(server.output()) : ''
    for (const problem of wrong) {
      this.#findings.note(`${reason}${problem}`, () => this.#findings.curl([request], server.home))
    }
    return false
  }

  /** Checks that the body of a GET does not change a cacheable response: shared caches identify a GET by its URL. */
  async #checkBody(client: Client, request: Case, answer: Answer): Promise<string[]> {
    if (request.method !== 'GET' || request.body === undefined || request.broken || answer.status !== 200) return []
    if (/no-store|private/.test(String(answer.headers['cache-control']))) return []
    const { body: _, ...bare } = request
    for (let tries = 0; tries < 3; tries += 1) {
      const [one, other] = [await client.send(request), await client.send(bare)]
      if (one.text === other.text) return []
    }
    return ['the body of a GET changed an answer that caches may keep']
  }

  /** Marks the requests in progress during a block as suspects. */
  #suspect(milliseconds: number, since: number): void {
    const answered = this.#latest.filter(({ at }) => at >= since).map(({ request }) => request)
    for (const request of [...this.#inProgress, ...answered]) {
      if (milliseconds > (this.#blocking.get(request) ?? 0)) this.#blocking.set(request, milliseconds)
    }
  }

  async #checkServer(server: AuditServer): Promise<void> {
    const { now, peak } = await server.memory()
    this.#findings.held(peak)
    if (now > this.#options.memory) this.#findings.note(`the process holds ${Math.round(now / 1e6)} MB`)
    for (const sender of ['administrator', 'editor', 'author', 'contributor', 'subscriber'] as const) {
      const { status } = await fetch(`${server.root}/svc/v2/users/me`, { headers: this.#users.by(sender) })
      if (status !== 200) this.#findings.note(`${sender} can no longer log in: ${status}. The run tells less from here`)
    }
  }

  /** Finds the request that ended the server: repeats those in progress alone, then the latest ones. */
  async #findKiller(ended: AuditServer): Promise<void> {
    const lastLine = ended.output().trim().split('\n').at(-1)?.slice(0, 600)
    const how = `the process ended: ${lastLine}`
    // The same text is the same mistake.
    if (this.#findings.has(how)) return this.#findings.note(how)
    const answered = this.#latest.map(({ request }) => request).toReversed()
    for (const suspect of [...this.#inProgress, ...answered].slice(0, MAX_SUSPECTS)) {
      await using server = await startServer(this.#site)
      using client = createClient(server.port, 1, this.#options.patience)
      await client.send(suspect)
      if (await stillThere(server)) continue
      return this.#findings.note(how, () => this.#findings.curl([suspect], server.home))
    }
    const all = () => `; none of these did it alone:${this.#findings.curl([...this.#inProgress], ended.home)}`
    this.#findings.note(how, all)
  }

  /** Repeats each suspect alone, and reports those that block the server. */
  async #findBlocker(): Promise<void> {
    const { block, patience } = this.#options
    const suspects = [...this.#blocking].sort(([, a], [, b]) => b - a).slice(0, MAX_SUSPECTS)
    for (let index = 0; index < suspects.length;) {
      await using server = await startServer(this.#site)
      using client = createClient(server.port, 1, patience)
      using stalls = createStalls(server, patience)
      for (; index < suspects.length && server.alive; index += 1) {
        const suspect = suspects[index]![0]
        const waited = await surelyWaited(client, stalls, suspect, block)
        this.#findings.stalled(waited)
        if (waited <= block) continue
        const curl = () => this.#findings.curl([suspect], server.home)
        this.#findings.note(
          `${suspect.method} ${suspect.path.slice(0, 40)}: everybody waits ${Math.round(waited)} ms`,
          curl,
        )
      }
    }
  }
}

/** Returns the last error in the log. */
function reasonIn(output: string): string {
  const line = output
    .trim()
    .split('\n')
    .findLast((text) => text.includes('"level":50'))
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(line ?? '')?.[1]
  return message === undefined ? '' : `${message} `
}

/**
 * Returns how long a request blocks others when it runs alone. Repeats a long measurement, because code is slow on its first
 * run, unless the response changes, for example because the object already exists.
 */
async function surelyWaited(client: Client, stalls: Stalls, request: Case, block: number): Promise<number> {
  const first = await waitDuring(client, stalls, request)
  if (first.milliseconds <= block) return first.milliseconds
  const second = await waitDuring(client, stalls, request)
  return second.status === first.status ? Math.min(first.milliseconds, second.milliseconds) : first.milliseconds
}

/** Returns how long a request blocks others, and its response. */
async function waitDuring(client: Client, stalls: Stalls, request: Case) {
  await stalls.readLongestBlock()
  const { status } = await client.send(request)
  return { milliseconds: await stalls.readLongestBlock(), status }
}

/** Whether the server is still alive. Waits in case it is just exiting. */
async function stillThere(server: AuditServer): Promise<boolean> {
  if (!server.alive) return false
  const { status } = await fetch(`${server.root}/svc/v2/statuses`, { signal: AbortSignal.timeout(20_000) }).catch(
    () => ({ status: 0 }),
  )
  return status !== 0
}
