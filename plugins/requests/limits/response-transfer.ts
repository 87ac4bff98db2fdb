import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Transfer } from '../../../kernel/index.ts'

/** The transfer of a response to its client. */
export class ResponseTransfer implements Transfer {
  readonly #outgoing: ServerResponse
  readonly #socket: Socket

  constructor(outgoing: ServerResponse, socket: Socket) {
    this.#outgoing = outgoing
    this.#socket = socket
  }

  bytesMoved(): number | null {
    // Null while an earlier response of the connection is being sent, and while there is nothing to send.
    if (this.#outgoing.socket === null || this.#outgoing.writableLength === 0) return null
    return this.#socket.bytesWritten - this.#socket.writableLength
  }

  isOver(): boolean {
    return this.#outgoing.writableFinished || this.#outgoing.destroyed || this.#socket.destroyed
  }

  stop(): void {
    this.#socket.destroy()
  }
}
