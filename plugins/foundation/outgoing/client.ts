import { addDeprecatedMembers, renameDeprecatedKeys } from '../../library/deprecated-names/index.ts'
import {
  applySyncFilter,
  currentWork,
  HeaderMap,
  trace,
  tracing,
  unlessAborted,
  type Awaitable,
  type Hooks,
} from '../../../kernel/index.ts'
import type { OutgoingSpan } from './tracing.ts'
import { Agents, type Reach } from './agents.ts'
import { AllowList } from './allow-list.ts'
import { ACCEPT_ENCODING, readBody } from './body.ts'
import { Deadline } from './deadline.ts'
import { errors } from './errors.ts'
import { failureOf } from './failure.ts'
import { Guard } from './guard.ts'
import { checkedHeaders, firstHop, isSafe, nextHop, type Hop } from './hop.ts'
import type { OutgoingHop } from './hooks.ts'
import type { Requester, Outgoing, OutgoingOptions, OutgoingResponse } from './outgoing.ts'
import { Places } from './places.ts'
import { encodingOf, responseOf } from './response.ts'
import { targetOf } from './target.ts'
import { UserLimit } from './user-limit.ts'
import './tracing.ts'

/** Maximum redirects of a GET or HEAD request by default. */
const MAX_REDIRECTS = 5

/** Default limits of requests. */
export interface ClientLimits {
  /** Milliseconds for a whole request. */
  readonly time: number
  /** Bytes of a body. */
  readonly size: number
  /** Number of concurrent requests. */
  readonly concurrency: number
  /** Number of concurrent requests to one origin. */
  readonly perOrigin: number
  /** Number of requests per user and minute. */
  readonly perUser: number
}

/** Settings that all hops of a request share. */
interface Journey {
  readonly allow: readonly string[]
  readonly requester: Requester
  readonly signal: AbortSignal
  readonly background: boolean
  /** Called each time a hop leaves the queue. */
  readonly begin: () => void
  readonly size: number
  readonly redirects: number
  readonly onAnswer: ((status: number, headers: OutgoingResponse['headers']) => void) | undefined
}

/** Sends guarded and limited requests to other servers. */
export class OutgoingClient implements Outgoing {
  readonly #agents: Agents
  readonly #guard: Guard
  readonly #places: Places
  readonly #users: UserLimit
  readonly #limits: ClientLimits
  readonly #hooks: Hooks
  readonly #stopped = new AbortController()

  constructor(reach: Reach, limits: ClientLimits, hooks: Hooks) {
    this.#agents = new Agents(reach)
    this.#guard = new Guard(new AllowList(reach.allow, reach.ports), reach.home, reach.lookup)
    this.#places = new Places(limits.concurrency, limits.perOrigin)
    this.#users = new UserLimit(limits.perUser)
    this.#limits = limits
    this.#hooks = hooks
  }

  async request(url: string | URL, written: OutgoingOptions): Promise<OutgoingResponse> {
    const options = renameDeprecatedKeys(written, 'outgoing request', { asker: 'requester' })
    const requester = checkedRequester(options)
    const { method = 'GET', headers = {}, body = null, timeout = this.#limits.time, size = this.#limits.size } = options
    const { allow = [], redirects = isSafe(method) ? MAX_REDIRECTS : 0, signal = currentWork()?.signal } = options
    const { background = false, onAnswer } = options
    let hop: Hop | null = firstHop(url, { method, headers, body })
    if (requester !== 'site') this.#users.consume(requester)
    const { origin } = hop.url
    using deadline = new Deadline(timeout, () => errors.OUTGOING_TOO_SLOW(origin, timeout), [
      signal,
      this.#stopped.signal,
    ])
    if (!background) deadline.start()
    const begin = () => deadline.start()
    const journey = { allow, requester, signal: deadline.signal, background, begin, size, redirects, onAnswer }
    for (;;) {
      const reached: Hop | OutgoingResponse = await this.#sendHop(hop, journey)
      if (!('redirects' in reached)) return reached
      hop = reached
    }
  }

  admits(url: string): boolean {
    try {
      const { hostname, port, protocol } = targetOf(url)
      this.#guard.checkAddress(hostname, Number(port) || (protocol === 'https:' ? 443 : 80))
      return true
    } catch {
      return false
    }
  }

  /** Aborts all requests and closes all connections. */
  async stop(): Promise<void> {
    this.#stopped.abort(errors.OUTGOING_STOPPED())
    await this.#agents.destroy()
  }

  /** Sends a hop after queueing. Returns its response, or the hop that it redirects to. */
  async #sendHop(hop: Hop, journey: Journey): Promise<Hop | OutgoingResponse> {
    const { signal } = journey
    try {
      signal.throwIfAborted()
      return await (tracing.outgoing.hasSubscribers ? this.#traced(hop, journey) : this.#inTurn(hop, journey))
    } catch (error) {
      // The abort reason takes precedence over errors that the abort caused.
      if (signal.aborted) throw signal.reason
      throw error
    }
  }

  #inTurn(hop: Hop, journey: Journey, span?: OutgoingSpan): Promise<Hop | OutgoingResponse> {
    const { background, begin, signal } = journey
    return this.#places.run({ origin: hop.url.origin, background, signal }, () => {
      begin()
      return this.#send(hop, journey, span)
    })
  }

  #traced(hop: Hop, journey: Journey): Awaitable<Hop | OutgoingResponse> {
    const facts = { site: this.#hooks, method: hop.method, origin: hop.url.origin, status: null }
    return trace(tracing.outgoing, facts, (span) => this.#inTurn(hop, journey, span))
  }

  async #send(
    hop: Hop,
    { allow, requester, signal, size, redirects, onAnswer }: Journey,
    span?: OutgoingSpan,
  ): Promise<Hop | OutgoingResponse> {
    const { url, method, body } = hop
    const { origin } = url
    const agent = await this.#agents.agentFor(allow)
    const sending = agent.request({
      origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers: { 'user-agent': 'svc-rest', ...this.#headersOf(hop, requester), 'accept-encoding': ACCEPT_ENCODING },
      body,
      signal,
    })
    // `undici` handles the signal only after it has connected.
    const answer = await unlessAborted(sending, signal).catch((cause: unknown) =>
      Promise.reject(failureOf(origin, cause)),
    )
    if (span !== undefined) span.status = answer.statusCode
    const stream = answer.body
    // Errors are handled where the body is read; errors of an unread body do not matter.
    stream.on('error', () => {})
    try {
      const next = redirects === 0 ? null : nextHop(hop, answer.statusCode, answer.headers.location)
      if (next !== null) {
        if (next.redirects > redirects) throw errors.OUTGOING_REDIRECTS(origin, 'there are too many of them')
        return next
      }
      onAnswer?.(answer.statusCode, HeaderMap.received(answer.headers))
      const encoding = encodingOf(method, answer)
      return responseOf(answer.statusCode, answer.headers, url, await readBody(stream, encoding, { origin, size }))
    } finally {
      // Closes the connection unless the body was read completely.
      stream.destroy()
    }
  }

  #headersOf({ headers, method, redirects, url }: Hop, requester: Requester): Record<string, string> {
    const filtered = applySyncFilter(
      this.#hooks.outgoing_request_headers,
      headers,
      new HopFacts({ method, url: url.href, redirects, requester }),
    )
    return filtered === headers ? { ...headers } : checkedHeaders(filtered)
  }
}

/** A hop with the former name of its requester. */
class HopFacts implements OutgoingHop {
  declare readonly method: string
  declare readonly url: string
  declare readonly redirects: number
  declare readonly requester: Requester

  constructor(hop: OutgoingHop) {
    Object.assign(this, hop)
  }
}
addDeprecatedMembers(HopFacts.prototype, 'outgoing_request_headers', { asker: 'requester' })

/** Returns the requester of a request. @throws OUTGOING_REQUEST_INVALID without one: plugins in JavaScript have no compiler */
function checkedRequester(options: Partial<OutgoingOptions> | undefined): Requester {
  const requester = options?.requester
  if (requester === 'site' || (Number.isSafeInteger(requester) && Number(requester) >= 0)) return requester!
  throw errors.OUTGOING_REQUEST_INVALID('it has no requester: pass the ID of the user who causes it, or "site"')
}
