import { defineErrors } from '../../../kernel/index.ts'

const ELSEWHERE = 'Plugins are installed, switched and removed by the config of the site, and not over the REST API.'

export const errors = defineErrors({
  rest_cannot_view_plugins: [403, 'Only administrators may see which plugins run.'],
  rest_cannot_view_plugin: [403, 'Only administrators may see which plugins run.'],
  rest_plugin_not_found: [404, 'No plugin of this name runs.'],
  rest_cannot_install_plugin: [403, ELSEWHERE],
  rest_cannot_manage_plugins: [403, ELSEWHERE],
})
