import type { Connection, Limits } from '../../../kernel/index.ts'

/** Fraction of all connections that one network can have. */
const MAX_NETWORK_SHARE = 1 / 4

/**
 * Limits the open connections in total and per network. At a limit, a new connection replaces the oldest idle one; if
 * no connection is idle, the new one is closed.
 */
export class ConnectionLimit {
  readonly #maxConnections: number
  readonly #maxPerNetwork: number
  /** In order of arrival. */
  readonly #all = new Set<Connection>()
  readonly #networks = new Map<string, Set<Connection>>()

  /** @param limits.trust_proxy whether a proxy in front opens all connections on behalf of clients of all networks */
  constructor({ connections, trust_proxy }: Pick<Limits, 'connections'> & { trust_proxy: boolean }) {
    this.#maxConnections = connections
    this.#maxPerNetwork = trust_proxy ? connections : Math.max(1, Math.floor(connections * MAX_NETWORK_SHARE))
  }

  /** Returns whether there is room for a new connection. */
  accepts(connection: Connection): boolean {
    const { socket, network } = connection
    const others = this.#networks.get(network) ?? new Set()
    const isFull = others.size >= this.#maxPerNetwork || this.#all.size >= this.#maxConnections
    if (isFull && !this.#makeRoom(others.size >= this.#maxPerNetwork ? others : this.#all)) return false
    this.#all.add(connection)
    this.#networks.set(network, others.add(connection))
    socket.once('close', () => this.#forget(connection))
    return true
  }

  /** Closes the first idle connection. @returns whether one was idle */
  #makeRoom(connections: Iterable<Connection>): boolean {
    for (const connection of connections) {
      if (connection.latest?.writableFinished === false) continue
      this.#forget(connection)
      connection.socket.destroy()
      return true
    }
    return false
  }

  #forget(connection: Connection): void {
    if (!this.#all.delete(connection)) return
    const others = this.#networks.get(connection.network)
    others?.delete(connection)
    if (others?.size === 0) this.#networks.delete(connection.network)
  }
}
