import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { peerOf } from './client.ts'
import type { Connection, RequestLimits } from './limits.ts'

/** The open connections of a server. */
export class Connections {
  readonly #limits: RequestLimits
  /** Connections by socket, oldest first. */
  readonly #bySocket = new Map<Socket, Connection>()

  constructor(limits: RequestLimits) {
    this.#limits = limits
  }

  /** Adds a new connection, or closes it if the limits refuse it. */
  open(socket: Socket): void {
    const peer = peerOf(socket)
    const network = this.#limits.networkOf(peer)
    const connection = { socket, peer, network, latest: null, latestId: '', queued: 0 }
    if (!this.#limits.accepts(connection)) return void socket.destroy()
    this.#bySocket.set(socket, connection)
    socket.once('close', () => this.#bySocket.delete(socket))
  }

  /** Adds a request. Too many pipelined requests close the connection. @returns the connection; null if it is closed */
  addRequest({ socket }: IncomingMessage, outgoing: ServerResponse): Connection | null {
    const connection = this.#bySocket.get(socket)
    if (connection === undefined || socket.destroyed) return null
    connection.latest = outgoing
    if (outgoing.socket !== null) return connection
    connection.queued += 1
    outgoing.once('close', () => (connection.queued -= 1))
    if (connection.queued <= this.#limits.maxPipelined) return connection
    socket.destroy()
    return null
  }

  /** Returns the connection of a socket; undefined if it is closed. */
  find(socket: Socket): Connection | undefined {
    return this.#bySocket.get(socket)
  }

  /**
   * Closes the idle connections that have received nothing since the last call.
   * @param before the result of the last call
   * @returns the bytes received so far by each open connection
   */
  closeIdle(before: ReadonlyMap<Socket, number>): Map<Socket, number> {
    const bytes = new Map<Socket, number>()
    for (const [socket, connection] of this.#bySocket) {
      const { bytesRead } = socket
      if (connection.latest?.writableFinished !== false && before.get(socket) === bytesRead) socket.destroy()
      else bytes.set(socket, bytesRead)
    }
    return bytes
  }
}
