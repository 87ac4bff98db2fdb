import { definePlugin } from '../../public.ts'
import { restartOnChange } from '../restart-on-change.ts'
import { switchedOn } from '../switched-on.ts'
import { addCustomTypeCommands } from './commands.ts'
import { TAXONOMIES_OPTION, TYPES_OPTION } from './option-definitions.ts'
import { TAXONOMY_POSTS, TYPE_POSTS } from './post-definitions.ts'
import { CustomTypeService, type CustomTypes } from './service.ts'

export type { CustomTypes, DefinitionKind, DraftDefinition } from './service.ts'
export type { Values } from './definitions.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Content types and taxonomies that the database defines.
     * @example
     * const drafts = await services.customTypes.drafts()
     * await services.customTypes.confirm(drafts.map(({ name }) => name))
     */
    customTypes: CustomTypes
  }
}

const OPTIONS: readonly string[] = [TYPES_OPTION, TAXONOMIES_OPTION]
const POSTS: readonly string[] = [TYPE_POSTS, TAXONOMY_POSTS]

/**
 * Registers the content types and taxonomies that Custom Post Type UI and Advanced Custom Fields have defined, and types
 * and taxonomies that users define in the admin.
 */
export default definePlugin({
  name: 'custom-types',
  description: 'Content types and taxonomies defined in the admin, with Custom Post Type UI or Advanced Custom Fields.',
  needs: ['changes', 'content-types', 'taxonomies', 'posts', 'roles', 'settings', 'store'],
  uses: ['admin'],
  provides: ['customTypes'],
  startsIf: switchedOn('custom-types'),
  async apply(plugin) {
    const { addCommand, has, hooks, provide, services } = plugin
    const service = new CustomTypeService(plugin)
    const definitions = await service.read()
    service.register(definitions)
    provide('customTypes', service)
    restartOnChange(plugin, JSON.stringify(await service.fingerprint()), {
      isRelevant: ({ kind, object, type }) =>
        kind === 'option' ? OPTIONS.includes(object) : kind === 'post' && POSTS.includes(type),
      fingerprint: async () => JSON.stringify(await service.fingerprint()),
      reason: 'content types or taxonomies were changed',
    })
    const withoutNamespace = new Set(
      [...definitions.taxonomies.values()].flatMap(({ hidesNamespace, name }) => (hidesNamespace ? [name] : [])),
    )
    hooks.rest_prepare.for('taxonomy').tap('custom-types', (response, item) => {
      const data = response.data as Record<string, unknown>
      if ('rest_namespace' in data && withoutNamespace.has((item as { name: string }).name))
        data['rest_namespace'] = null
      return response
    })
    // The plugin's only route hides an advertisement that this server does not have.
    hooks.rest_api_init.tap('custom-types', (server) => {
      server.registerRoute('cptui/v1', '/dismiss-pro-upsell', {
        methods: 'POST',
        callback: () => ({ dismissed: true }),
        permission_callback: ({ user }) => services.capabilities.can(user, 'manage_options'),
      })
    })
    addCustomTypeCommands({ addCommand }, service)
    if (!has('admin')) return
    const { addTypePages, orderMenu } = await import('./admin.ts')
    addTypePages(plugin, service)
    orderMenu(plugin, definitions.types.values())
  },
})
