import { applySyncFilter, invalidParam, type PluginContext } from '../../../kernel/index.ts'
import type { Webhooks } from './webhook.ts'

/** Types of comments that imports store, besides those that clients can create. */
const COMMENT_TYPES = ['comment', 'pingback', 'trackback'] as const

/**
 * Registers the source of the types of changes. The stored types of a webhook are accepted, because the plugin that
 * registered them can have been removed.
 */
export function registerReferences({ has, hooks, services }: PluginContext, webhooks: Pick<Webhooks, 'list'>): void {
  services.resources.registerReference('webhook_type', async (value, { captures }, argument) => {
    const name = String(value)
    const isObjectType =
      (has('content-types') && services.contentTypes.get(name) !== undefined) ||
      (has('taxonomies') && services.taxonomies.get(name) !== undefined)
    if (isObjectType) return null
    if (has('comments') && applySyncFilter(hooks.rest_comment_types, COMMENT_TYPES).includes(name)) return null
    const stored = (await webhooks.list()).find(({ id }) => id === Number(captures['id']))
    if (stored?.types.includes(name) === true) return null
    return invalidParam(argument, `There is no content type, taxonomy or comment type "${name}".`)
  })
}
