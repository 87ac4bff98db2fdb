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

  /** @throws rest_not_logged_in */
  override async itemOf(request: RestRequest): Promise<User> {
    const { id } = request.user
    const user = id === 0 ? undefined : await this.plugin.services.users.get(id, request.scope)
    if (user === undefined) throw errors.rest_not_logged_in()
    return user
  }

  /** All users can read themselves; visitors get rest_not_logged_in. */
  override async mayRead(): Promise<true> {
    return true
  }
}
