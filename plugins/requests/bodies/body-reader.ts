import type { IncomingMessage } from 'node:http'
import {
  allowsMethod,
  hasBody,
  isReadMethod,
  RestError,
  type Body,
  type BodyReader,
  type Call,
  type Limits,
  type PluginContext,
  type RestRequest,
} from '../../../kernel/index.ts'
import { readBody, type ReadBody } from './body.ts'
import { BodyBudget } from './body-budget.ts'
import { FREE_BYTES, IncomingBody, type Sender } from './incoming-body.ts'

/** Reads request bodies within the limits, the routes and the rights of their senders. */
export class Bodies implements BodyReader {
  readonly #plugin: PluginContext
  readonly #budget: BodyBudget

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
    this.#budget = new BodyBudget(plugin.config.limits)
  }

  /**
   * Returns whether the body of a request is read. Bodies of GET and HEAD are ignored unless the config says otherwise:
   * a cache in front identifies a response by its URL alone and would serve one user's response to every client.
   */
  reads(incoming: IncomingMessage): boolean {
    return hasBody(incoming) && (this.#plugin.config.read_get_bodies || !isReadMethod(incoming.method))
  }

  /** Reads the body of a REST request into it. @returns a function that releases the body */
  async readInto(request: RestRequest, call: Call): Promise<Body['release']> {
    const { method = 'GET' } = call.incoming
    const hasEndpoint = () => this.#hasEndpoint(method, request.route)
    const userId = async () => (await this.#plugin.server.identify(request)).id
    try {
      const body = await this.#read(call, this.#plugin.config.limits, { hasEndpoint, userId })
      request.useBody(body)
      request.bodyError = body.error?.toJSON() ?? null
      return body.release
    } catch (error) {
      const isLarge = error instanceof RestError && error.code === 'rest_body_too_large'
      if (!isLarge || hasEndpoint()) throw error
      // A missing route is reported before any error of the body.
      request.bodyError = error.toJSON()
      return undefined
    }
  }

  /** Reads a form that is sent to a page of the site. Without files, its size is limited to `limits.text`. */
  readForm(call: Call, userId: number, files: boolean): Promise<Body> {
    const { limits } = this.#plugin.config
    const formLimits = files ? limits : { ...limits, bodyLimit: limits.text }
    return this.#read(call, formLimits, { hasEndpoint: () => true, userId: () => userId })
  }

  /** Reads a body unless it arrives too slowly. The time limit of its handler starts afterwards. */
  async #read(
    call: Call,
    limits: Limits,
    { hasEndpoint, userId }: Pick<Sender, 'hasEndpoint' | 'userId'>,
  ): Promise<ReadBody> {
    const { requestTimeout } = this.#plugin.config.limits
    const { incoming, outgoing, network } = call
    const sender: Sender = {
      hasEndpoint,
      userId: async () => Promise.resolve(userId()).catch(() => 0),
      network,
      // Pipelined requests can wait for the earlier ones of their connection.
      free: outgoing.socket === null ? 0 : FREE_BYTES,
    }
    const bytes = new IncomingBody(incoming, limits, this.#budget, sender)
    call.limits.watch(bytes)
    // Only a fallback: Node ends requests that take longer than `requestTimeout` to arrive, and slow-clients.ts aborts
    // bodies below the minimum rate. Both respond with rest_request_timeout (408).
    call.deadline = performance.now() + 2 * requestTimeout
    // Frees the place in the queue: a slow upload must not delay other requests.
    call.pause()
    const turn = async () => {
      call.limits.unwatch(bytes)
      await call.resume()
    }
    const body = await readBody(incoming, limits, bytes, turn)
    call.deadline = performance.now() + requestTimeout
    return body
  }

  /** Returns whether any endpoint can handle the request. A POST can override its method in the body. */
  #hasEndpoint(method: string, route: string): boolean {
    const matches = this.#plugin.server.match(route)
    if (method === 'POST') return matches.length > 0
    return matches.some((match) => match.route.endpoints.some((endpoint) => allowsMethod(endpoint, method)))
  }
}
