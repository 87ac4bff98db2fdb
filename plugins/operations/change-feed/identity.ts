import { createHash } from 'node:crypto'
import {
  applyFilter,
  RestError,
  RestRequest,
  VISITOR,
  type CurrentUser,
  type PluginContext,
} from '../../../kernel/index.ts'

/** Who listens, and whether they still are who they were. */
export class Identity {
  readonly #plugin: PluginContext
  /** The request by which they showed it; null for visitors, who show nothing. */
  readonly #request: RestRequest | null
  #user: CurrentUser
  #key: string

  constructor(plugin: PluginContext, request: RestRequest) {
    const { user } = request
    this.#plugin = plugin
    this.#user = user
    this.#key = keyOf(user)
    this.#request = user.id === VISITOR.id ? null : copyOf(request)
  }

  get user(): CurrentUser {
    return this.#user
  }

  /** The same for those who may read the same. */
  get key(): string {
    return this.#key
  }

  /** Looks at the credentials anew. @returns `gone` where they are good no more, `changed` where the user may do other things */
  async check(): Promise<'same' | 'changed' | 'gone'> {
    if (this.#request === null) return 'same'
    const again = copyOf(this.#request)
    const { hooks, server } = this.#plugin
    const user = await server.identify(again)
    const checked = await applyFilter(hooks.rest_authentication_errors, null, again)
    if (checked instanceof RestError || user.id !== this.#user.id) return 'gone'
    const key = keyOf(user)
    if (key === this.#key) return 'same'
    this.#user = user
    this.#key = key
    return 'changed'
  }
}

/** What of a request tells who sends it, without the work of that request. */
function copyOf({ method, route, headers, query, ip, secure }: RestRequest): RestRequest {
  return new RestRequest(method, route, { headers, query, ip, secure })
}

function keyOf(user: CurrentUser): string {
  return user.id === VISITOR.id ? '' : createHash('sha256').update(JSON.stringify(user)).digest('base64')
}
