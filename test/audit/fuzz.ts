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

/** How a run of the fuzzer is bounded. */
export interface FuzzOptions {
  seed: number
  requests: number
  /** The first request; others are passed over, so that one can be repeated. */
  from?: number
  /** A PostgreSQL server, else SQLite. */
  server?: string | undefined
  /** Requests under way at a time, of each server. */
  connections?: number
  /** Characters of the longest text. */
  longest?: number
  /** Milliseconds of processor time for which one request may keep everybody else waiting. */
  block?: number
  /** Milliseconds within which everything is answered. */
  patience?: number
  /** Bytes that the process may hold. */
  memory?: number
}

type Bounds = Required<Omit<FuzzOptions, 'server' | 'from'>>

/** How often a server that has ended is started again. */
const RESTARTS = 30
/** How many requests, suspected of having blocked or ended the server, are sent once more and alone. */
const SUSPECTS = 40
/** How many requests are remembered after their answer, since what ends the process may have been answered before. */
const REMEMBERED = 100
/** How many requests lie between two looks at the memory and at the accounts. */
const ROUND = 2000

/** How many requests a site gets at the most: what they make of it is to stay small. */
const SEGMENT = 50_000
/** Fewer than this are not worth a second server. */
const FEW = 2000
/** Config of the audited site. */
const METERED = { plugins: { [join(import.meta.dirname, 'stall-meter.ts')]: true } }

/** Sends requests made of the index document, by everybody, and checks each response. */
export async function fuzz(report: Report, options: FuzzOptions): Promise<void> {
  const { server, seed, requests, from = 0 } = options
  const line = report.line('fuzz', `requests made of the index, ${server === undefined ? 'SQLite' : 'PostgreSQL'}`)
  const standard = { connections: 8, longest: 2_000_000, block: 250, patience: 40_000, memory: 750e6 }
  const bounds = { ...standard, ...options }
  const findings = new Findings(seed)
  // This process takes about a third of what a server does.
  const lanes = requests <= FEW ? 1 : Math.max(1, Math.round(availableParallelism() * 0.75))
  const size = Math.min(SEGMENT, Math.ceil(requests / lanes))
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
  findings.tell(line, bounds.block)
}

/** Sends a part of the requests to one site. */
class Fuzzer {
  readonly #site: AuditSite
  readonly #users: SiteUsers
  readonly #findings: Findings
  readonly #options: Bounds
  readonly #underWay = new Set<Case>()
  /** What was answered last, since that may have ended the process all the same. */
  readonly #latest: { asked: Case; at: number }[] = []
  /** What may have kept others waiting, and for how long. */
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
      if (this.#underWay.size === 0) break
      await this.#findKiller(server)
      if (starts === RESTARTS) {
        this.#findings.note(`the server ended ${starts + 1} times; the run was given up at request ${next}`)
        break
      }
    }
    await this.#findBlocker()
  }

  async #makeCases(server: AuditServer): Promise<Cases> {
    const { seed, longest } = this.#options
    using api = createApi(server, this.#users)
    const sample = await makeSample(api, this.#users)
    return new Cases(endpointsOf((await api('GET', '/')).body), this.#users, sample, seed, longest)
  }

  /** Sends requests until the end, or until the server has ended; answers which is the next. */
  async #until(server: AuditServer, begin: number, end: number): Promise<number> {
    const { connections, patience, block } = this.#options
    using client = createClient(server.port, connections, patience)
    using stalls = createStalls(server, patience)
    this.#underWay.clear()
    this.#latest.length = 0
    // What the start has taken.
    await stalls.longest()
    await using _ = watchStalls(stalls, (milliseconds, since) => {
      if (milliseconds > block) this.#suspect(milliseconds, since)
    })
    let next = begin
    let ended = false
    while (next < end && !ended) {
      const round = Math.min(next + ROUND, end)
      const worker = async () => {
        while (next < round && !ended) ended = (await this.#send(server, client, this.#cases.of(next++))) || ended
      }
      await Promise.all(Array.from({ length: connections }, worker))
      if (!ended) await this.#look(server)
    }
    return next
  }

  /** Sends and checks one; returns whether the server has ended meanwhile. */
  async #send(server: AuditServer, client: Client, asked: Case): Promise<boolean> {
    this.#underWay.add(asked)
    const answer = await client.send(asked)
    // What was under way when the process ended is looked at alone.
    if (answer.status === 0 && !(await stillThere(server))) return true
    this.#underWay.delete(asked)
    if (this.#latest.push({ asked, at: performance.now() }) > REMEMBERED) this.#latest.shift()
    this.#findings.answered(answer.status, answer.took)
    const wrong = responseProblems(asked, answer)
    if (wrong.length === 0 && asked.who === 'visitor') wrong.push(...(await this.#checkBody(client, asked, answer)))
    const reason = answer.status === 500 ? reasonIn(server.output()) : ''
    for (const what of wrong) {
      this.#findings.note(`${reason}${what}`, () => this.#findings.curl([asked], server.home))
    }
    return false
  }

  /** A cache in front knows a GET by its URL: what is in a body must not change an answer that it may keep. */
  async #checkBody(client: Client, asked: Case, answer: Answer): Promise<string[]> {
    if (asked.method !== 'GET' || asked.body === undefined || asked.broken || answer.status !== 200) return []
    if (/no-store|private/.test(String(answer.headers['cache-control']))) return []
    const { body: _, ...bare } = asked
    for (let tries = 0; tries < 3; tries += 1) {
      const [one, other] = [await client.send(asked), await client.send(bare)]
      if (one.text === other.text) return []
    }
    return ['the body of a GET changed an answer that caches may keep']
  }

  /** What was under way while nobody else had a turn may be why. */
  #suspect(milliseconds: number, since: number): void {
    const answered = this.#latest.filter(({ at }) => at >= since).map(({ asked }) => asked)
    for (const asked of [...this.#underWay, ...answered]) {
      if (milliseconds > (this.#blocking.get(asked) ?? 0)) this.#blocking.set(asked, milliseconds)
    }
  }

  async #look(server: AuditServer): Promise<void> {
    const { now, most } = await server.memory()
    this.#findings.held(most)
    if (now > this.#options.memory) this.#findings.note(`the process holds ${Math.round(now / 1e6)} MB`)
    for (const who of ['administrator', 'editor', 'author', 'contributor', 'subscriber'] as const) {
      const { status } = await fetch(`${server.root}/svc/v2/users/me`, { headers: this.#users.by(who) })
      if (status !== 200) this.#findings.note(`${who} can no longer log in: ${status}. The run tells less from here`)
    }
  }

  /** Sends what was under way when the server ended again, each alone, and then what had just been answered. */
  async #findKiller(ended: AuditServer): Promise<void> {
    const said = ended.output().trim().split('\n').at(-1)?.slice(0, 600)
    const how = `the process ended: ${said}`
    // The same words again are the same mistake.
    if (this.#findings.knows(how)) return this.#findings.note(how)
    const answered = this.#latest.map(({ asked }) => asked).toReversed()
    for (const suspect of [...this.#underWay, ...answered].slice(0, SUSPECTS)) {
      await using server = await startServer(this.#site)
      using client = createClient(server.port, 1, this.#options.patience)
      await client.send(suspect)
      if (await stillThere(server)) continue
      return this.#findings.note(how, () => this.#findings.curl([suspect], server.home))
    }
    const all = () => `; none of these did it alone:${this.#findings.curl([...this.#underWay], ended.home)}`
    this.#findings.note(how, all)
  }

  /** Sends what may have blocked the server again, each alone, and tells what does. */
  async #findBlocker(): Promise<void> {
    const { block, patience } = this.#options
    const suspects = [...this.#blocking].sort(([, a], [, b]) => b - a).slice(0, SUSPECTS)
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

/** What the log last told of a failure. */
function reasonIn(output: string): string {
  const line = output
    .trim()
    .split('\n')
    .findLast((text) => text.includes('"level":50'))
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(line ?? '')?.[1]
  return message === undefined ? '' : `${message} `
}

/**
 * How long others wait while a request is answered alone. What seems long is tried again, since code that runs for the
 * first time is slow; unless the same request is answered otherwise by then, as when what it made is there.
 */
async function surelyWaited(client: Client, stalls: Stalls, asked: Case, block: number): Promise<number> {
  const first = await waitDuring(client, stalls, asked)
  if (first.milliseconds <= block) return first.milliseconds
  const second = await waitDuring(client, stalls, asked)
  return second.status === first.status ? Math.min(first.milliseconds, second.milliseconds) : first.milliseconds
}

/** How long others wait while a request is answered, and with what it is. */
async function waitDuring(client: Client, stalls: Stalls, asked: Case) {
  await stalls.longest()
  const { status } = await client.send(asked)
  return { milliseconds: await stalls.longest(), status }
}

/** Whether the server is still alive, also when it has just begun to end. */
async function stillThere(server: AuditServer): Promise<boolean> {
  if (!server.alive) return false
  const { status } = await fetch(`${server.root}/svc/v2/statuses`, { signal: AbortSignal.timeout(20_000) }).catch(
    () => ({ status: 0 }),
  )
  return status !== 0
}
