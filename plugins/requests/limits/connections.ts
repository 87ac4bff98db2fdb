import type { Connection, Limits } from '../../../kernel/index.ts'

/** The part of all connections that one network may have. */
const MAX_NETWORK_SHARE = 1 / 4

/**
 * Limits the connections of a server, in all and of each network. Where there is no room for a new one, the oldest idle
 * one is closed; where none is idle, the new one is closed.
 */
export class ConnectionLimit {
  readonly #most: number
  readonly #mostOfOne: number
  /** In the order in which they came. */
  readonly #all = new Set<Connection>()
  readonly #networks = new Map<string, Set<Connection>>()

  /** @param limits.trust_proxy whether a proxy in front makes all connections, for clients of all networks */
  constructor({ connections, trust_proxy }: Pick<Limits, 'connections'> & { trust_proxy: boolean }) {
    this.#most = connections
    this.#mostOfOne = trust_proxy ? connections : Math.max(1, Math.floor(connections * MAX_NETWORK_SHARE))
  }

  /** Returns whether there is room for a new connection. */
  accepts(connection: Connection): boolean {
    const { socket, network } = connection
    const others = this.#networks.get(network) ?? new Set()
    const isFull = others.size >= this.#mostOfOne || this.#all.size >= this.#most
    if (isFull && !this.#makeRoom(others.size >= this.#mostOfOne ? others : this.#all)) return false
    this.#all.add(connection)
    this.#networks.set(network, others.add(connection))
    socket.once('close', () => this.#forget(connection))
    return true
  }

  /** Closes the first idle one of these connections, if there is one. */
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
