import type { RestRequest, RestServer } from '../../../kernel/index.ts'
import { UsersController } from './controller.ts'
import { errors } from './errors.ts'
import type { User } from './reader.ts'

/** The route `users/me`: the requesting user. */
export class CurrentUserController extends UsersController {
  protected override readonly inBatches = false

  override register(server: RestServer): void {
    this.registerRoute(server, `${this.restBase}/me`, this.itemEndpoints())
  }

  /** @throws rest_not_logged_in when read, rest_user_invalid_id when written: visitors have no account to change */
  override async itemOf(request: RestRequest): Promise<User> {
    const { id } = request.user
    const user = id === 0 ? undefined : await this.plugin.services.users.get(id, request.scope)
    if (user !== undefined) return user
    const reads = request.method === 'GET' || request.method === 'HEAD'
    throw reads ? errors.rest_not_logged_in() : errors.rest_user_invalid_id()
  }

  /** All users can read themselves; visitors get rest_not_logged_in. */
  override async mayRead(): Promise<true> {
    return true
  }
}
