import { LRUCache } from 'lru-cache'
import type { Agent, Pool } from 'undici'
import { AllowList } from './allow-list.ts'
import { guardedConnector } from './connector.ts'
import { Guard, type Lookup } from './guard.ts'

/** Of how many lists of allowed hosts the connections are kept open. */
const MOST_LISTS = 32
/** Milliseconds that a connection is kept open for the next request. */
const KEEP_ALIVE_MS = 10_000
/** Bytes of the headers of a response, at most. */
export const HEADER_BYTES = 32_768

/** By what requests may go where. */
export interface Reach {
  /** The option `allow` of the plugin. */
  readonly allow: readonly string[]
  readonly ports: readonly number[]
  /** URL of the site, which is known once its port is. */
  readonly home: () => string
  readonly lookup: Lookup
}

/**
 * Connections that are kept open for the next request, apart for each list of allowed hosts: none that was opened for
 * somebody who may reach a private network is used for somebody who may not.
 */
export class Agents {
  readonly #reach: Reach
  readonly #agents = new LRUCache<string, { agent: Promise<Agent> }>({
    max: MOST_LISTS,
    dispose: ({ agent }) => void agent.then((unused) => unused.close()).catch(() => {}),
  })

  constructor(reach: Reach) {
    this.#reach = reach
  }

  /**
   * What sends requests by a list of allowed hosts, beside those of the plugin's option.
   * @throws OUTGOING_ALLOW_INVALID
   */
  agentFor(allow: readonly string[]): Promise<Agent> {
    const list = [...new Set(allow)].sort()
    const key = JSON.stringify(list)
    let kept = this.#agents.get(key)
    if (kept === undefined) {
      const { home, lookup, ports } = this.#reach
      kept = { agent: makeAgent(new Guard(new AllowList([...this.#reach.allow, ...list], ports), home, lookup)) }
      this.#agents.set(key, kept)
    }
    return kept.agent
  }

  /** Closes all connections, those in use too. */
  async destroy(): Promise<void> {
    const agents = [...this.#agents.values()].map(({ agent }) => agent)
    await Promise.all(agents.map(async (agent) => (await agent).destroy()))
    this.#agents.clear()
  }
}

async function makeAgent(guard: Guard): Promise<Agent> {
  // A server that asks nobody never loads it.
  const undici = await import('undici')
  return new undici.Agent({
    maxHeaderSize: HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // What bounds the time bounds all of it: see `Deadline`.
    headersTimeout: 0,
    bodyTimeout: 0,
    factory: (origin, options) =>
      new undici.Pool(origin, {
        ...(options as Pool.Options),
        connect: guardedConnector(undici.buildConnector, new URL(origin), guard),
      }),
  })
}
