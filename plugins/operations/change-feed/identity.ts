import { createHash } from 'node:crypto'
import {
  applyFilter,
  RestError,
  RestRequest,
  VISITOR,
  type CurrentUser,
  type PluginContext,
} from '../../../kernel/index.ts'

/** The user behind a stream, and whether the credentials are still valid. */
export class Identity {
  readonly #plugin: PluginContext
  /** The request that authenticated the user; null for visitors. */
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

  /** Cache key of the permissions: the same for all users who may read the same objects. */
  get key(): string {
    return this.#key
  }

  /**
   * Checks the credentials again.
   * @returns `gone` if they are no longer valid, `changed` if the user's permissions are different
   */
  async check(): Promise<'same' | 'changed' | 'gone'> {
    if (this.#request === null) return 'same'
    const request = copyOf(this.#request)
    const { hooks, server } = this.#plugin
    const user = await server.identify(request)
    const checked = await applyFilter(hooks.rest_authentication_errors, null, request)
    if (checked instanceof RestError || user.id !== this.#user.id) return 'gone'
    const key = keyOf(user)
    if (key === this.#key) return 'same'
    this.#user = user
    this.#key = key
    return 'changed'
  }
}

/** Copies the parts of a request that authenticate its user. */
function copyOf({ method, route, headers, query, ip, secure }: RestRequest): RestRequest {
  return new RestRequest(method, route, { headers, query, ip, secure })
}

function keyOf(user: CurrentUser): string {
  return user.id === VISITOR.id ? '' : createHash('sha256').update(JSON.stringify(user)).digest('base64')
}
