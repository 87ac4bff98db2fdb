import type { ServerResponse } from 'node:http'
import { ownerOf } from '../rest/routes.ts'
import type { ResponseStream, StreamedResponse } from '../rest/streamed-response.ts'
import { runDetached } from '../work.ts'
import { guarded } from './guarded.ts'
import { writeHead } from './response-head.ts'

/** Bytes that may wait for a client before its response is cut off. */
const MOST_WAITING = 1_048_576

/** A response that is being written piece by piece. */
class OpenStream implements ResponseStream {
  readonly #outgoing: ServerResponse
  readonly #failed: (error: unknown) => void
  /** Whether its client connects again when it ends, as those of server-sent events do. */
  readonly isOfEvents: boolean
  #over: (() => void) | null = null
  #isOver = false

  constructor(outgoing: ServerResponse, isOfEvents: boolean, failed: (error: unknown) => void) {
    this.#outgoing = outgoing
    this.isOfEvents = isOfEvents
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
    if (this.#outgoing.writableLength > MOST_WAITING) return this.cut()
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

  /** Has the endpoint write it. */
  begin({ write }: StreamedResponse): void {
    const begun = () => {
      const over = write(this)
      if (over === undefined) return
      this.#over = over
      if (this.#isOver) this.#end()
    }
    guarded(this.#broken, begun)()
  }

  /** Tells whoever writes it that it is over. */
  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#end()
  }

  #end(): void {
    const over = this.#over
    this.#over = null
    // Whoever ends it has more to do, others perhaps.
    if (over !== null) guarded(this.#failed, over)()
  }

  readonly #broken = (error: unknown): void => {
    this.#failed(error)
    this.cut()
  }
}

/** The responses of this server that are written piece by piece, for as long as their endpoints like. */
export class ResponseStreams {
  readonly #open = new Set<OpenStream>()
  readonly #failed: (error: unknown) => void
  #ended: 'none' | 'events' | 'all' = 'none'

  /** @param failed is told what an endpoint has thrown while it wrote, or at the end */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed
  }

  /** Sends the head, and has the endpoint write from then on, until its plugin is removed. */
  begin(response: StreamedResponse, outgoing: ServerResponse, head: readonly string[]): void {
    // Behind a response that goes on for ever its turn never comes, and it would not hear that the client has gone.
    if (outgoing.socket === null) return void outgoing.once('socket', () => this.begin(response, outgoing, head))
    writeHead(outgoing, response.status, head)
    const isOfEvents = String(response.headers.get('content-type')).startsWith('text/event-stream')
    if (this.#ended === 'all' || (isOfEvents && this.#ended === 'events')) return void outgoing.end()
    outgoing.flushHeaders()
    const stream = new OpenStream(outgoing, isOfEvents, this.#failed)
    this.#open.add(stream)
    const { endpoint, matchedRoute } = response
    const owner = endpoint === null ? undefined : ownerOf(endpoint)
    const forget = owner?.onRemove(() => stream.end(), { kind: 'stream', name: matchedRoute ?? '' }, false)
    outgoing.once('close', () => {
      this.#open.delete(stream)
      forget?.()
      stream.close()
    })
    // It goes on when the request is over, and belongs to none.
    runDetached(() => stream.begin(response))
  }

  /** Ends server-sent events, because this server drains, or all streams, because it stops. */
  end(which: 'events' | 'all'): void {
    this.#ended = which
    for (const stream of this.#open) if (which === 'all' || stream.isOfEvents) stream.end()
  }
}
