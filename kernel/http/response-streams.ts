import type { ServerResponse } from 'node:http'
import type { OpenBody, OpenResponse } from '../rest/open-response.ts'
import { ownerOf } from '../rest/routes.ts'
import { runDetached } from '../work.ts'

/** The streamed responses of this server (`OpenResponse`), which have no time limit. */
export class ResponseStreams {
  /** Open bodies, and whether they are server-sent events, whose clients reconnect after the end. */
  readonly #open = new Map<OpenBody, boolean>()
  readonly #failed: (error: unknown) => void
  #ended: 'none' | 'events' | 'all' = 'none'

  /** @param failed called with an error that an endpoint throws while it writes, or at the end */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed
  }

  /** Sends the head and starts the body, which continues until its endpoint ends it or its plugin is removed. */
  begin(response: OpenResponse, outgoing: ServerResponse, head: string[]): void {
    // A pipelined response has no socket yet, and does not notice if its client leaves: start when it gets the socket.
    if (outgoing.socket === null) return void outgoing.once('socket', () => this.begin(response, outgoing, head))
    outgoing.writeHead(response.status, head)
    const isOfEvents = String(response.headers.get('content-type')).startsWith('text/event-stream')
    if (this.#ended === 'all' || (isOfEvents && this.#ended === 'events')) return void outgoing.end()
    outgoing.flushHeaders()
    const body = response.open(outgoing, this.#failed)
    this.#open.set(body, isOfEvents)
    const { endpoint, matchedRoute } = response
    const owner = endpoint === null ? undefined : ownerOf(endpoint)
    const forget = owner?.onRemove(() => body.end(), { kind: 'stream', name: matchedRoute ?? '' }, false)
    outgoing.once('close', () => {
      this.#open.delete(body)
      forget?.()
      body.close()
    })
    // The stream outlives its request, so it must not be aborted with it.
    runDetached(() => body.begin())
  }

  /** Ends server-sent events when the server drains, or all streams when it stops. */
  end(kind: 'events' | 'all'): void {
    this.#ended = kind
    for (const [body, isOfEvents] of this.#open) if (kind === 'all' || isOfEvents) body.end()
  }
}
