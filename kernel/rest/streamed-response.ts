import { RestResponse } from './response.ts'

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
export class StreamedResponse extends RestResponse {
  /**
   * Begins to write; returns what is called once it is over. HEAD never begins, nor does a response without a body; one
   * that was asked for behind another one, on the same connection, begins when that is over.
   */
  readonly write: (stream: ResponseStream) => (() => void) | void

  constructor(write: StreamedResponse['write'], headers: Readonly<Record<string, string>>) {
    super(null, 200, headers)
    this.write = write
  }
}
