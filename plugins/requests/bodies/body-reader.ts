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
import { FREE_WEIGHT, IncomingBody, type Sender } from './incoming-body.ts'

/** Reads the bodies of requests, as far as the limits, the routes and the rights of their senders allow. */
export class Bodies implements BodyReader {
  readonly #plugin: PluginContext
  readonly #budget: BodyBudget

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
    this.#budget = new BodyBudget(plugin.config.limits)
  }

  /**
   * Whether a request has a body that is read. Those of GET and HEAD are not unless the config says so: a cache in front
   * knows a response by its URL, and would give one user's response to everybody.
   */
  reads(incoming: IncomingMessage): boolean {
    return hasBody(incoming) && (this.#plugin.config.read_get_bodies || !isReadMethod(incoming.method))
  }

  /** Reads the body of a REST request into it. @returns what forgets the body */
  async readInto(request: RestRequest, call: Call): Promise<Body['release']> {
    const { method = 'GET' } = call.incoming
    const isWanted = () => this.#isWanted(method, request.route)
    const userId = async () => (await this.#plugin.server.identify(request)).id
    try {
      const body = await this.#read(call, this.#plugin.config.limits, { isWanted, userId })
      request.useBody(body)
      request.bodyError = body.error?.toJSON() ?? null
      return body.release
    } catch (error) {
      const isLarge = error instanceof RestError && error.code === 'rest_body_too_large'
      if (!isLarge || isWanted()) throw error
      // A missing route is reported before anything about the body.
      request.bodyError = error.toJSON()
      return undefined
    }
  }

  /** Reads the form that is sent to a page of the site; without files it may be as large as text may. */
  readForm(call: Call, userId: number, files: boolean): Promise<Body> {
    const { limits } = this.#plugin.config
    const most = files ? limits : { ...limits, bodyLimit: limits.text }
    return this.#read(call, most, { isWanted: () => true, userId: () => userId })
  }

  /** Reads a body, unless it comes too slowly. The time of its handler begins afterwards. */
  async #read(
    call: Call,
    limits: Limits,
    { isWanted, userId }: Pick<Sender, 'isWanted' | 'userId'>,
  ): Promise<ReadBody> {
    const { requestTimeout } = this.#plugin.config.limits
    const { incoming, outgoing, network } = call
    const sender: Sender = {
      isWanted,
      userId: async () => Promise.resolve(userId()).catch(() => 0),
      network,
      // What comes behind another request of its connection can wait.
      free: outgoing.socket === null ? 0 : FREE_WEIGHT,
    }
    const bytes = new IncomingBody(incoming, limits, this.#budget, sender)
    call.watch(bytes)
    // Node tells the client when it takes longer than it may.
    call.deadline = performance.now() + 2 * requestTimeout
    // How long a client takes to send it keeps nobody else waiting.
    call.pause()
    const turn = async () => {
      call.unwatch(bytes)
      await call.resume()
    }
    const body = await readBody(incoming, limits, bytes, turn)
    call.deadline = performance.now() + requestTimeout
    return body
  }

  /** Whether any endpoint may handle a request; a POST may name another method in its body. */
  #isWanted(method: string, route: string): boolean {
    const matches = this.#plugin.server.match(route)
    if (method === 'POST') return matches.length > 0
    return matches.some((match) => match.route.endpoints.some((endpoint) => allowsMethod(endpoint, method)))
  }
}
