import { LRUCache } from 'lru-cache'
import type { Agent, Pool } from 'undici'
import { AllowList } from './allow-list.ts'
import { guardedConnector } from './connector.ts'
import { Guard, type Lookup } from './guard.ts'

/** Maximum number of allow lists whose connections are kept open. */
const MAX_ALLOW_LISTS = 32
/** Milliseconds for which an idle connection is kept open. */
const KEEP_ALIVE_MS = 10_000
/** Maximum bytes of response headers. */
export const HEADER_BYTES = 32_768

/** Limits of the hosts and ports that requests can reach. */
export interface Reach {
  /** The `allow` option of the plugin. */
  readonly allow: readonly string[]
  readonly ports: readonly number[]
  /** URL of the site, which is known once its port is. */
  readonly home: () => string
  readonly lookup: Lookup
}

/**
 * Keeps connections open per allow list, so that a connection to a private network is never reused for a request that
 * may not reach it.
 */
export class Agents {
  readonly #reach: Reach
  readonly #agents = new LRUCache<string, { agent: Promise<Agent> }>({
    max: MAX_ALLOW_LISTS,
    dispose: ({ agent }) => void agent.then((unused) => unused.close()).catch(() => {}),
  })

  constructor(reach: Reach) {
    this.#reach = reach
  }

  /**
   * Returns the agent for an allow list, which extends the plugin option.
   * @throws OUTGOING_ALLOW_INVALID
   */
  agentFor(allow: readonly string[]): Promise<Agent> {
    const list = [...new Set(allow)].sort()
    const key = JSON.stringify(list)
    let entry = this.#agents.get(key)
    if (entry === undefined) {
      const { home, lookup, ports } = this.#reach
      entry = { agent: makeAgent(new Guard(new AllowList([...this.#reach.allow, ...list], ports), home, lookup)) }
      this.#agents.set(key, entry)
    }
    return entry.agent
  }

  /** Closes all connections, including active ones. */
  async destroy(): Promise<void> {
    const agents = [...this.#agents.values()].map(({ agent }) => agent)
    await Promise.all(agents.map(async (agent) => (await agent).destroy()))
    this.#agents.clear()
  }
}

async function makeAgent(guard: Guard): Promise<Agent> {
  // Not loaded by servers that send no requests.
  const undici = await import('undici')
  return new undici.Agent({
    maxHeaderSize: HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // `Deadline` limits the total time instead.
    headersTimeout: 0,
    bodyTimeout: 0,
    factory: (origin, options) =>
      new undici.Pool(origin, {
        ...(options as Pool.Options),
        connect: guardedConnector(undici.buildConnector, new URL(origin), guard),
      }),
  })
}
