import type { ServerResponse } from 'node:http'
import { guarded, OpenResponse, type OpenBody } from '../../../kernel/index.ts'

/** Unsent bytes at which a response is aborted. */
const MAX_WAITING_BYTES = 1_048_576

/** Writer of a streamed response. */
export interface ResponseStream {
  /** Bytes that the client has not received yet. Above 1 MiB, the connection is closed to protect memory. */
  readonly waiting: number
  /** Whether the stream has ended: by the endpoint, a disconnect, or the stop of the server. */
  readonly isOver: boolean
  /** Sends a piece immediately. Does nothing after the end. */
  write(piece: string | Buffer): void
  /** Calls `act` once when the client has received all waiting bytes. */
  onDrain(act: () => void): void
  /** Ends a complete response. */
  end(): void
  /** Closes the connection, so that the client knows that the response is incomplete. */
  cut(): void
}

/**
 * A response that its endpoint writes in pieces for any length of time, such as server-sent events. Only if
 * `request.streams` is true. It holds no place in the request queue, has no time limit, is neither cached nor
 * compressed, and ends when the server stops or the plugin of the endpoint is removed. Errors while it is written or at
 * its end close the connection and are logged.
 * @example
 * return new StreamedResponse((stream) => {
 *   const timer = setInterval(() => stream.write('tick\n'), 1000)
 *   return () => clearInterval(timer)
 * }, { 'Content-Type': 'text/plain' })
 */
export class StreamedResponse extends OpenResponse {
  /**
   * Starts to write; returns a function that is called at the end. It is not called for HEAD or for a response without
   * a body. With pipelined requests, it is called after the earlier responses are complete.
   */
  readonly write: (stream: ResponseStream) => (() => void) | void

  constructor(write: StreamedResponse['write'], headers: Readonly<Record<string, string>>) {
    super(null, 200, headers)
    this.write = write
  }

  open(outgoing: ServerResponse, fail: (error: unknown) => void): OpenBody {
    return new OpenStream(this, outgoing, fail)
  }
}

/** A streamed response in progress. */
class OpenStream implements ResponseStream, OpenBody {
  readonly #response: StreamedResponse
  readonly #outgoing: ServerResponse
  readonly #failed: (error: unknown) => void
  #onEnd: (() => void) | null = null
  #isOver = false

  constructor(response: StreamedResponse, outgoing: ServerResponse, failed: (error: unknown) => void) {
    this.#response = response
    this.#outgoing = outgoing
    this.#failed = failed
  }

  get waiting(): number {
    return this.#isOver ? 0 : this.#outgoing.writableLength
  }

  get isOver(): boolean {
    return this.#isOver
  }

  write(piece: string | Buffer): void {
    if (this.#isOver) return
    // A single piece can have any length.
    if (this.#outgoing.writableLength > MAX_WAITING_BYTES) return this.cut()
    this.#outgoing.write(piece)
  }

  end(): void {
    if (this.#isOver) return
    this.#outgoing.end()
    this.close()
  }

  cut(): void {
    if (this.#isOver) return
    this.#outgoing.destroy()
    this.close()
  }

  onDrain(act: () => void): void {
    const drained = () => {
      if (!this.#isOver) act()
    }
    this.#outgoing.once('drain', guarded(this.#abort, drained))
  }

  begin(): void {
    const start = () => {
      const over = this.#response.write(this)
      if (over === undefined) return
      this.#onEnd = over
      if (this.#isOver) this.#end()
    }
    guarded(this.#abort, start)()
  }

  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#end()
  }

  /** Calls the function that the endpoint has returned. */
  #end(): void {
    const over = this.#onEnd
    this.#onEnd = null
    // An error of one stream must not keep others from ending.
    if (over !== null) guarded(this.#failed, over)()
  }

  readonly #abort = (error: unknown): void => {
    this.#failed(error)
    this.cut()
  }
}
