import { errors } from './errors.ts'
import type { UserService } from './service.ts'

/**
 * Returns the ID of a user named on a command line: by login, email address or ID, in this order.
 * @throws user_unknown
 */
export async function userNamed(users: Pick<UserService, 'idOf' | 'current'>, name: string): Promise<number> {
  const byLogin = await users.idOf(name)
  if (byLogin !== undefined) return byLogin
  const id = /^\d{1,15}$/.test(name) ? Number(name) : 0
  if (id === 0 || (await users.current(id)) === undefined) throw errors.user_unknown(name)
  return id
}
