import type { PluginContext } from '../../../kernel/index.ts'
import { referencedId } from '../../resources/index.ts'
import { errors } from './errors.ts'
import { unknownRole } from './profile.ts'

/** Registers the sources of roles, and of the user who gets the content of a deleted user. */
export function registerReferences({ services }: PluginContext): void {
  const { resources, roles, users } = services
  resources.registerReference('role', (name) => unknownRole(roles, String(name)))
  resources.registerReference('user_heir', async (value, request) => {
    // A request without `force` is refused for that, as in the recorded API.
    if (request.get('force') !== true) return null
    const id = referencedId(value)
    const deleted = request.captures['id'] === undefined ? request.user.id : Number(request.captures['id'])
    const exists = id !== deleted && (await users.get(id, request.scope)) !== undefined
    return exists ? null : errors.rest_user_invalid_reassign()
  })
}
