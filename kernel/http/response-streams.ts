import type { ServerResponse } from 'node:http'
import type { OpenBody, OpenResponse } from '../rest/open-response.ts'
import { ownerOf } from '../rest/routes.ts'
import { runDetached } from '../work.ts'

/** The responses of this server that write themselves, for as long as their endpoints like. */
export class ResponseStreams {
  /** Open bodies, and whether their clients connect again when they end, as those of server-sent events do. */
  readonly #open = new Map<OpenBody, boolean>()
  readonly #failed: (error: unknown) => void
  #ended: 'none' | 'events' | 'all' = 'none'

  /** @param failed called with what an endpoint has thrown while it wrote, or at the end */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed
  }

  /** Sends the head, and has the endpoint write from then on, until its plugin is removed. */
  begin(response: OpenResponse, outgoing: ServerResponse, head: string[]): void {
    // Behind a response that goes on for ever its turn never comes, and it would not hear that the client has gone.
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
    // It goes on when the request is over, and belongs to none.
    runDetached(() => body.begin())
  }

  /** Ends server-sent events, because this server drains, or all streams, because it stops. */
  end(which: 'events' | 'all'): void {
    this.#ended = which
    for (const [body, isOfEvents] of this.#open) if (which === 'all' || isOfEvents) body.end()
  }
}
