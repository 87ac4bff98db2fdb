import { createApi } from './api.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { Cases, endpointsOf, type Case } from './cases.ts'
import { createClient, type Answer, type Client } from './client.ts'
import { curlOf } from './curl.ts'
import { judge } from './judge.ts'
import { addPeople, type People } from './people.ts'
import { startProbe, type Wait } from './probe.ts'
import type { Line, Report } from './report.ts'
import { makeSample } from './sample.ts'
import { makeSite, startServer, type AuditServer, type AuditSite } from './server.ts'

/** How a run of the fuzzer is bounded. */
export interface FuzzOptions {
  seed: number
  requests: number
  /** The first request; others are passed over, so that one can be repeated. */
  from?: number
  /** A PostgreSQL server, else SQLite. */
  server?: string | undefined
  /** Requests under way at a time. */
  connections?: number
  /** Characters of the longest text. */
  longest?: number
  /** Milliseconds for which one request may keep everybody else waiting. */
  block?: number
  /** Milliseconds within which everything is answered. */
  patience?: number
  /** Bytes that the process may hold. */
  memory?: number
}

/** How often a server that has ended is started again. */
const RESTARTS = 30
/** How many requests, suspected of having blocked or ended the server, are sent once more and alone. */
const SUSPECTS = 40
/** How many requests are remembered after their answer, since what ends the process may have been answered before. */
const REMEMBERED = 24
/** How many requests lie between two looks at the memory and at the accounts. */
const ROUND = 2000

/** Sends requests made of the index document, by everybody, and judges each answer. */
export async function fuzz(report: Report, options: FuzzOptions): Promise<void> {
  const kind = options.server === undefined ? 'SQLite' : 'PostgreSQL'
  await using site = await makeSite({ server: options.server })
  const people = await addPeople(site)
  const line = report.line('fuzz', `requests made of the index, ${kind}`)
  await new Fuzzer(site, people, options, line).run()
}

class Fuzzer {
  readonly #site: AuditSite
  readonly #people: People
  readonly #line: Line
  readonly #options: Required<Omit<FuzzOptions, 'server'>>
  readonly #underWay = new Map<Case, number>()
  /** What broke, by what is the same about it. */
  readonly #broken = new Map<string, { times: number; first: string }>()
  readonly #latest: Case[] = []
  readonly #blocking = new Map<number, { case: Case; milliseconds: number }>()
  readonly #statuses = new Map<number, number>()
  #slowest = 0
  #most = 0
  #cases!: Cases

  constructor(site: AuditSite, people: People, options: FuzzOptions, line: Line) {
    this.#site = site
    this.#people = people
    this.#line = line
    const standard = { from: 0, connections: 8, longest: 2_000_000, block: 250, patience: 40_000, memory: 750e6 }
    this.#options = { ...standard, ...options }
  }

  async run(): Promise<void> {
    const { from, requests } = this.#options
    let next = from
    const end = from + requests
    for (let starts = 0; next < end; starts += 1) {
      await using server = await startServer(this.#site)
      this.#cases ??= await this.#makeCases(server)
      next = await this.#until(server, next, end)
      if (this.#underWay.size === 0) break
      await this.#findKiller(server)
      if (starts === RESTARTS) {
        this.#line.broken.push(`the server ended ${starts + 1} times; the run was given up at request ${next}`)
        break
      }
    }
    await this.#findBlocker()
    for (const { times, first } of this.#broken.values()) {
      this.#line.broken.push(times === 1 ? first : `${first}\n  (and ${times - 1} more like it)`)
    }
    const told = [...this.#statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${status || 'none'}: ${times}`)
    this.#line.note = `${told.join(', ')}; slowest ${Math.round(this.#slowest)} ms; ${Math.round(this.#most / 1e6)} MB${this.#line.note}`
  }

  async #makeCases(server: AuditServer): Promise<Cases> {
    const { seed, longest } = this.#options
    using api = createApi(server, this.#people)
    const sample = await makeSample(api, this.#people)
    return new Cases(endpointsOf((await api('GET', '/')).body), this.#people, sample, seed, longest)
  }

  /** Sends requests until the end, or until the server has ended; answers which is the next. */
  async #until(server: AuditServer, begin: number, end: number): Promise<number> {
    const { connections, patience, block } = this.#options
    using client = createClient(server.port, connections, patience)
    const probe = startProbe(server.home, block, (wait) => this.#suspect(wait))
    this.#underWay.clear()
    this.#latest.length = 0
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
    await probe[Symbol.asyncDispose]()
    return next
  }

  /** Sends and judges one; answers whether the server has ended meanwhile. */
  async #send(server: AuditServer, client: Client, asked: Case): Promise<boolean> {
    this.#underWay.set(asked, performance.now())
    const answer = await client.send(asked)
    // What was under way when the process ended is looked at alone.
    if (answer.status === 0 && !(await stillThere(server))) return true
    this.#underWay.delete(asked)
    if (this.#latest.push(asked) > REMEMBERED) this.#latest.shift()
    this.#line.times += 1
    this.#slowest = Math.max(this.#slowest, answer.took)
    this.#statuses.set(answer.status, (this.#statuses.get(answer.status) ?? 0) + 1)
    const wrong = judge(asked, answer)
    if (wrong.length === 0 && asked.who === 'visitor') wrong.push(...(await this.#judgeBody(client, asked, answer)))
    const reason = answer.status === 500 ? reasonIn(server.output()) : ''
    for (const what of wrong) this.#note(`${reason}${what}`, asked, server)
    return false
  }

  #note(what: string, asked: Case, server: AuditServer): void {
    const same = what.replace(/\d+/g, '0').slice(0, 80)
    const known = this.#broken.get(same)
    if (known === undefined) this.#broken.set(same, { times: 1, first: `${what}\n  ${this.#curl(asked, server)}` })
    else known.times += 1
  }

  /** A cache in front knows a GET by its URL: what is in a body must not change an answer that it may keep. */
  async #judgeBody(client: Client, asked: Case, answer: Answer): Promise<string[]> {
    if (asked.method !== 'GET' || asked.body === undefined || asked.broken || answer.status !== 200) return []
    if (/no-store|private/.test(String(answer.headers['cache-control']))) return []
    const { body: _, ...bare } = asked
    for (let tries = 0; tries < 3; tries += 1) {
      const [one, other] = [await client.send(asked), await client.send(bare)]
      if (one.text === other.text) return []
    }
    return ['the body of a GET changed an answer that caches may keep']
  }

  /** What was under way while somebody waited may be why. */
  #suspect({ begun, milliseconds }: Wait): void {
    for (const [asked, since] of this.#underWay) {
      const before = this.#blocking.get(asked.number)?.milliseconds ?? 0
      if (since <= begun + milliseconds && milliseconds > before) {
        this.#blocking.set(asked.number, { case: asked, milliseconds })
      }
    }
  }

  async #look(server: AuditServer): Promise<void> {
    const { now, most } = await server.memory()
    this.#most = Math.max(this.#most, most)
    if (now > this.#options.memory) this.#line.broken.push(`the process holds ${Math.round(now / 1e6)} MB`)
    for (const who of ['administrator', 'editor', 'author', 'contributor', 'subscriber'] as const) {
      const { status } = await fetch(`${server.root}/svc/v2/users/me`, { headers: this.#people.by(who) })
      if (status !== 200) this.#line.broken.push(`${who} can no longer log in: ${status}. The run tells less from here`)
    }
  }

  /** Sends what was under way when the server ended again, each alone, and then what had just been answered. */
  async #findKiller(ended: AuditServer): Promise<void> {
    const said = ended.output().trim().split('\n').at(-1)?.slice(0, 600)
    const how = `the process ended: ${said}`
    // The same words again are the same mistake.
    const same = how.replace(/\d+/g, '0')
    const known = this.#broken.get(same)
    if (known !== undefined) return void (known.times += 1)
    for (const suspect of [...this.#underWay.keys(), ...this.#latest.toReversed()].slice(0, SUSPECTS)) {
      await using server = await startServer(this.#site)
      using client = createClient(server.port, 1, this.#options.patience)
      await client.send(suspect)
      if (await stillThere(server)) continue
      return void this.#broken.set(same, { times: 1, first: `${how}\n  ${this.#curl(suspect, server)}` })
    }
    const all = [...this.#underWay.keys()].map((suspect) => `\n  ${this.#curl(suspect, ended)}`).join('')
    this.#broken.set(same, { times: 1, first: `${how}; none of these did it alone:${all}` })
  }

  /** Sends what may have blocked the server again, each alone, and tells of the worst. */
  async #findBlocker(): Promise<void> {
    const { block, patience } = this.#options
    const suspects = [...this.#blocking.values()].sort((a, b) => b.milliseconds - a.milliseconds).slice(0, SUSPECTS)
    let worst = 0
    for (let index = 0; index < suspects.length;) {
      await using server = await startServer(this.#site)
      using client = createClient(server.port, 1, patience)
      for (; index < suspects.length && server.alive; index += 1) {
        const suspect = suspects[index]!.case
        const waited = await surelyWaited(server, client, suspect, block)
        worst = Math.max(worst, waited)
        if (waited > block) {
          this.#line.broken.push(`everybody waited ${Math.round(waited)} ms for\n  ${this.#curl(suspect, server)}`)
        }
      }
    }
    this.#line.note = `; longest wait of others ${worst === 0 ? `below ${block}` : Math.round(worst)} ms`
  }

  #curl(asked: Case, { home }: AuditServer): string {
    return curlOf(asked, home, this.#options.seed)
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
 * How long others wait while a request is answered alone. What seems long is tried again, since the machine may have been
 * busy; unless the same request is answered otherwise by then, as when what it made is there.
 */
async function surelyWaited(server: AuditServer, client: Client, asked: Case, block: number): Promise<number> {
  const first = await waitDuring(server, client, asked)
  if (first.milliseconds <= block) return first.milliseconds
  const second = await waitDuring(server, client, asked)
  return second.status === first.status ? Math.min(first.milliseconds, second.milliseconds) : first.milliseconds
}

/** How long others wait while a request is answered, and with what it is. */
async function waitDuring(server: AuditServer, client: Client, asked: Case) {
  await using probe = startProbe(server.home)
  await delay(60)
  probe.reset()
  const { status } = await client.send(asked)
  await delay(60)
  return { milliseconds: probe.longest.milliseconds, status }
}

/** Whether the server is still alive, also when it has just begun to end. */
async function stillThere(server: AuditServer): Promise<boolean> {
  if (!server.alive) return false
  const { status } = await fetch(`${server.root}/svc/v2/statuses`, { signal: AbortSignal.timeout(20_000) }).catch(
    () => ({ status: 0 }),
  )
  return status !== 0
}
