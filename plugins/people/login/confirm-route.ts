import { forbidden, RestError, RestResponse, type PluginContext, type RestServer } from '../../../kernel/index.ts'
import { formatUtc, toIso } from '../../resources/index.ts'
import { userErrors } from '../users/index.ts'

/** Registers the route that confirms the password of the logged-in user: `POST users/me/confirm`. */
export function registerConfirmRoute(server: RestServer, { branding, services }: PluginContext): void {
  server.registerRoute(branding.namespace('v2'), 'users/me/confirm', {
    methods: 'POST',
    args: {
      password: { description: 'Current password of the user.', type: 'string', required: true, minLength: 1 },
    },
    permission_callback: (request) => request.user.id !== 0 || forbidden(request, userErrors.rest_not_logged_in),
    callback: async (request) => {
      const until = await services.login.confirm(request, String(request.get('password')))
      if (until instanceof RestError) throw until
      return new RestResponse({ expires: toIso(formatUtc(until)) })
    },
  })
}
