import { defineErrors } from '../../../kernel/index.ts'

const MANAGED_IN_CONFIG = 'Plugins cannot be managed over the REST API. Change the config of the site instead.'

export const errors = defineErrors({
  rest_cannot_view_plugins: [403, 'Sorry, you are not allowed to list the plugins of this site.'],
  rest_cannot_view_plugin: [403, 'Sorry, you are not allowed to list the plugins of this site.'],
  rest_plugin_not_found: [404, 'No running plugin has this name.'],
  rest_cannot_install_plugin: [403, MANAGED_IN_CONFIG],
  rest_cannot_manage_plugins: [403, MANAGED_IN_CONFIG],
})
