import { forbidden, type PermissionCheck, type PluginContext } from '../../../kernel/index.ts'
import { errors } from './errors.ts'

/** The check of all routes: webhooks are for those who manage the options of the site. */
export function mayManage({ services }: PluginContext): PermissionCheck {
  return (request) =>
    services.capabilities.can(request.user, 'manage_options') || forbidden(request, errors.rest_cannot_manage_webhooks)
}
