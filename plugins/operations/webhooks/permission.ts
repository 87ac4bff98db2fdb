import { forbidden, type PermissionCheck, type PluginContext } from '../../../kernel/index.ts'
import { errors } from './errors.ts'

/** Permission check of all routes of webhooks: requires `manage_options`. */
export function mayManage({ services }: PluginContext): PermissionCheck {
  return (request) =>
    services.capabilities.can(request.user, 'manage_options') || forbidden(request, errors.rest_cannot_manage_webhooks)
}
