import type { ServerResponse } from 'node:http'
import { guarded, OpenResponse, type OpenBody } from '../../../kernel/index.ts'

/** Bytes that may wait for a client before its response is cut off. */
const MAX_WAITING_BYTES = 1_048_576

/** What an endpoint writes a response with, for as long as its client is there. */
export interface ResponseStream {
  /** Bytes that the client has not taken yet. Who writes on while it grows fills memory: beyond 1 MiB the client is cut off. */
  readonly waiting: number
  /** Whether the client has gone, the server stops, or it was ended. */
  readonly isOver: boolean
  /** Sends a piece at once; nothing where it is over. */
  write(piece: string | Buffer): void
  /** Calls `act` once when the client has taken what waits. */
  onDrain(act: () => void): void
  /** Ends the response as one that is complete. */
  end(): void
  /** Cuts the connection: the client knows that there was more. */
  cut(): void
}

/**
 * A response whose endpoint writes it piece by piece for as long as it likes, such as server-sent events. Only where
 * `request.streams` is true: everywhere else a response is data. It holds no place of the request queue and has no time
 * limit, is neither kept nor compressed, and ends when the server stops, or the plugin of its endpoint is removed. What is
 * thrown while it is written, or at its end, cuts it off and is logged.
 * @example
 * return new StreamedResponse((stream) => {
 *   const timer = setInterval(() => stream.write('tick\n'), 1000)
 *   return () => clearInterval(timer)
 * }, { 'Content-Type': 'text/plain' })
 */
export class StreamedResponse extends OpenResponse {
  /**
   * Begins to write; returns a function that is called at the end. It is not called for HEAD or for a response without a
   * body. On a connection with pipelined requests it is called once the responses before it are complete.
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

/** A response that is being written piece by piece. */
class OpenStream implements ResponseStream, OpenBody {
  readonly #response: StreamedResponse
  readonly #outgoing: ServerResponse
  readonly #failed: (error: unknown) => void
  #over: (() => void) | null = null
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
    // One piece may be as long as it likes.
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
    this.#outgoing.once('drain', guarded(this.#broken, drained))
  }

  begin(): void {
    const begun = () => {
      const over = this.#response.write(this)
      if (over === undefined) return
      this.#over = over
      if (this.#isOver) this.#end()
    }
    guarded(this.#broken, begun)()
  }

  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#end()
  }

  /** Calls what the endpoint has returned. */
  #end(): void {
    const over = this.#over
    this.#over = null
    // An error of one stream must not keep others from ending.
    if (over !== null) guarded(this.#failed, over)()
  }

  readonly #broken = (error: unknown): void => {
    this.#failed(error)
    this.cut()
  }
}
