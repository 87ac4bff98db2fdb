import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Limits } from '../site-config.ts'
import { peerOf } from './client.ts'
import { networksOf } from './networks.ts'

/** What is known of a connection. */
export interface Connection {
  /** IP address of its other side. */
  readonly peer: string
  /** The network of that address. */
  readonly network: string
  /** The response to its latest request; null before the first one. */
  latest: ServerResponse | null
  /** ID of its latest request; '' before the first one. */
  latestId: string
  /** How many responses wait for an earlier one. */
  queued: number
}

/** The part of all connections that one network may have. */
const MAX_NETWORK_SHARE = 1 / 4
/** Pipelined requests of one connection that may wait. */
const MOST_PIPELINED = 1000

/**
 * Limits the connections of a server, in all and of each network. Where there is no room for a new one, the oldest idle
 * one is closed; where none is idle, the new one is closed.
 */
export class Connections {
  readonly #most: number
  readonly #mostOfOne: number
  /** In the order in which they came. */
  readonly #all = new Map<Socket, Connection>()
  readonly #networks = new Map<string, Set<Socket>>()

  /** @param limits.trust_proxy whether a proxy in front makes all connections, for clients of all networks */
  constructor({ connections, trust_proxy }: Pick<Limits, 'connections'> & { trust_proxy: boolean }) {
    this.#most = connections
    this.#mostOfOne = trust_proxy ? connections : Math.max(1, Math.floor(connections * MAX_NETWORK_SHARE))
  }

  /** Accepts a new connection, or closes it. */
  open(socket: Socket): void {
    const peer = peerOf(socket)
    const network = networksOf(peer).client
    const others = this.#networks.get(network) ?? new Set()
    const isFull = others.size >= this.#mostOfOne || this.#all.size >= this.#most
    if (isFull && !this.#makeRoom(others.size >= this.#mostOfOne ? others : this.#all.keys())) {
      socket.destroy()
      return
    }
    this.#all.set(socket, { peer, network, latest: null, latestId: '', queued: 0 })
    this.#networks.set(network, others.add(socket))
    socket.once('close', () => this.#forget(socket))
  }

  /** Notes a request. Too many pipelined ones end their connection. @returns the connection; null when it does not go on */
  addRequest({ socket }: IncomingMessage, outgoing: ServerResponse): Connection | null {
    const known = this.#all.get(socket)
    if (known === undefined) return null
    known.latest = outgoing
    if (outgoing.socket !== null) return known
    known.queued += 1
    outgoing.once('close', () => (known.queued -= 1))
    if (known.queued > MOST_PIPELINED) socket.destroy()
    return known.queued <= MOST_PIPELINED ? known : null
  }

  /** The connection of a socket; undefined if it was closed. */
  find(socket: Socket): Connection | undefined {
    return this.#all.get(socket)
  }

  /**
   * Closes the idle connections that have received nothing since the last call.
   * @param before what the last call returned
   * @returns the bytes that each connection which is still open has received
   */
  closeIdle(before: ReadonlyMap<Socket, number>): Map<Socket, number> {
    const bytes = new Map<Socket, number>()
    for (const socket of this.#all.keys()) {
      const { bytesRead } = socket
      if (this.#isIdle(socket) && before.get(socket) === bytesRead) socket.destroy()
      else bytes.set(socket, bytesRead)
    }
    return bytes
  }

  #isIdle(socket: Socket): boolean {
    const latest = this.#all.get(socket)?.latest ?? null
    return latest === null || latest.writableFinished
  }

  /** Closes the first idle one of these connections, if there is one. */
  #makeRoom(sockets: Iterable<Socket>): boolean {
    for (const socket of sockets) {
      if (!this.#isIdle(socket)) continue
      this.#forget(socket)
      socket.destroy()
      return true
    }
    return false
  }

  #forget(socket: Socket): void {
    const known = this.#all.get(socket)
    if (known === undefined) return
    this.#all.delete(socket)
    const others = this.#networks.get(known.network)
    others?.delete(socket)
    if (others?.size === 0) this.#networks.delete(known.network)
  }
}
