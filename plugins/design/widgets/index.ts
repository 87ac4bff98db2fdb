import {
  defineErrors,
  definePlugin,
  forbidden,
  type Arguments,
  type ErrorMaker,
  type RestRequest,
} from '../../../kernel/index.ts'

const errors = defineErrors({
  rest_cannot_manage_widgets: [403, 'Sorry, you are not allowed to manage widgets on this site.'],
  rest_sidebar_not_found: [404, 'No sidebar with this ID: block themes have no sidebars.'],
  rest_widget_not_found: [404, 'No widget with this ID: block themes have no widgets.'],
  rest_widget_type_invalid: [404, 'No widget type with this ID: block themes have no widgets.'],
})

/** Each route has a list, which is always empty, and an item, which is never found. */
const ROUTES: readonly (readonly [base: string, id: string, noun: string, missing: ErrorMaker<[]>])[] = [
  ['sidebars', '[\\w-]+', 'a sidebar', errors.rest_sidebar_not_found],
  ['widgets', '[\\w\\-]+', 'a widget', errors.rest_widget_not_found],
  ['widget-types', '[a-zA-Z0-9_-]+', 'a widget type', errors.rest_widget_type_invalid],
]

/** Serves empty lists of sidebars and widgets, because block themes have none. */
export default definePlugin({
  name: 'widgets',
  since: '5.8',
  needs: ['roles'],
  apply({ branding, hooks, services }) {
    const may = (request: RestRequest) =>
      services.capabilities.can(request.user, 'edit_theme_options') ||
      forbidden(request, errors.rest_cannot_manage_widgets)
    const context = {
      description: 'Scope of the response; determines the fields.',
      type: 'string',
      enum: ['view', 'embed', 'edit'],
      default: 'view',
    } as const
    hooks.rest_api_init.tap('widgets', (server) => {
      for (const [base, id, noun, missing] of ROUTES) {
        const sidebar = { description: 'ID of the sidebar of the widgets.', type: 'string' } as const
        const args: Arguments = { context, ...(base === 'widgets' && { sidebar }) }
        const shared = { permission_callback: may, ...(base === 'widgets' && { allow_batch: true }) }
        server.registerRoute(branding.namespace('v2'), base, { ...shared, callback: () => [], args })
        server.registerRoute(branding.namespace('v2'), `${base}/(?P<id>${id})`, {
          ...shared,
          callback: () => Promise.reject(missing()),
          args: { id: { description: `ID of ${noun}.`, type: 'string' }, context },
        })
      }
    })
  },
})
