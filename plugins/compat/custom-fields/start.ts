import type { PluginContext, RestRequest } from '../../public.ts'
import { DISABLED, readDefinitionPosts } from '../definition-posts.ts'
import { restartOnChange } from '../restart-on-change.ts'
import { addFieldCommands } from './commands.ts'
import { FIELD_POSTS, GROUP_POSTS, groupsOf } from './definitions.ts'
import { describeFields, DESCRIPTION } from './describe-routes.ts'
import { FieldValues } from './fields.ts'
import { indexFields } from './index-fields.ts'
import { JsonDefinitions } from './json-definitions.ts'
import { addReferenceLinks } from './links.ts'
import type { Reference } from './references.ts'
import { CustomFieldService, type CustomFields } from './service.ts'
import { FieldArguments, NAME } from './validation.ts'
import { ValuePanels } from './value-panel.ts'

const POSTS: readonly string[] = [GROUP_POSTS, FIELD_POSTS]

/** Reads the definitions and adds the field to the types that groups can apply to. */
export async function startCustomFields(plugin: PluginContext, filterable: readonly string[]): Promise<void> {
  const { hooks, provide, services } = plugin
  const read = async () => groupsOf(await readDefinitionPosts(plugin, POSTS, ['publish', DISABLED]))
  services.statuses.register(DISABLED, {
    label: 'Inactive',
    protected: true,
    show_in_list: false,
    show_in_all_list: false,
  })
  // So that posts of these types can be created; they have no routes and no pages.
  for (const type of POSTS) services.contentTypes.register(type, { public: false, supports: false, rewrite: false })
  const groups = await read()
  restartOnChange(plugin, fingerprintOf(groups), {
    isRelevant: ({ kind, type }) => kind === 'post' && POSTS.includes(type),
    fingerprint: async () => fingerprintOf(await read()),
    reason: 'custom fields were changed',
  })
  const values = new FieldValues(plugin, groups)
  const definitions = new JsonDefinitions(plugin)
  const service = new CustomFieldService(plugin, values, definitions)
  provide('customFields', service)
  if (plugin.has('menu-routes')) tapMenuItems(plugin, service)
  addFieldCommands(plugin, definitions)
  if (plugin.has('admin')) (await import('./admin.ts')).addGroupPages(plugin, definitions)
  // Types of plugins are registered later, but before the routes.
  hooks.rest_api_init.tap({ name: 'custom-fields', stage: 50 }, () => addFields(plugin, values, filterable))
}

/** Maps have no JSON. */
function fingerprintOf(groups: unknown): string {
  return JSON.stringify(groups, (_key, value: unknown) => (value instanceof Map ? [...value] : value))
}

function addFields(plugin: PluginContext, values: FieldValues, filterable: readonly string[]): void {
  const { services } = plugin
  const args = new FieldArguments(plugin, values)
  const types = values.shownTypes()
  for (const { objectType, kind, subtype, isRevision } of types) {
    const type = values.typeOf(objectType)!
    services.extraFields.register(objectType, NAME, {
      get_callback: (data, _name, request) => shownValues(values, objectType, Number(data['id']), request),
      // A revision stores no values.
      update_callback: isRevision
        ? null
        : async (value, object: { id: number }, _name, request) => {
            const sent = typeof value === 'object' ? value : null
            const target = sent === null ? null : await values.target(objectType, object.id, request)
            if (target !== null) await values.write(target, sent as Record<string, unknown>, request)
          },
      schema: {
        description: DESCRIPTION,
        type: 'object',
        properties: {},
        arg_options: {
          validate_callback: (value: unknown, request: unknown) => args.validate(value, type, request as RestRequest),
          sanitize_callback: (value: unknown, request: unknown) => args.sanitize(value, type, request as RestRequest),
        },
      },
    })
    if (!isRevision) indexFields(plugin, values, type, filterable)
    if (kind === 'post' && !isRevision) registerChangedFlag(plugin, subtype)
  }
  for (const hookName of new Set(types.map(({ objectType, isRevision }) => (isRevision ? 'revision' : objectType))))
    tapLinks(plugin, hookName)
  describeFields(plugin, values, args)
  if (plugin.has('admin')) new ValuePanels(plugin, values, args).add()
}

/** Links of the objects that the fields of a prepared item refer to, until the item has a response. */
const referencesOfItems = new WeakMap<RestRequest, Map<number, readonly Reference[]>>()

async function shownValues(values: FieldValues, objectType: string, id: number, request: RestRequest) {
  const target = await values.target(objectType, id, request)
  if (target === null || target.fields.length === 0) return []
  const read = await values.reader(target, request.scope)
  const references = values.references(target, read)
  if (references.length > 0) {
    const ofRequest = referencesOfItems.get(request) ?? new Map<number, readonly Reference[]>()
    referencesOfItems.set(request, ofRequest.set(id, references))
  }
  // Read a second time for caches, which store a response for each value of a parameter that they know.
  request.scope.parameter('acf_format')
  const format = request.get('acf_format') === 'standard' ? 'standard' : 'light'
  return values.values(target, read, request, format)
}

function tapLinks(plugin: PluginContext, hookName: string): void {
  plugin.hooks.rest_prepare.for(hookName).tapPromise('custom-fields', async (response, item, request) => {
    const references = referencesOfItems.get(request)?.get(Number((item as { id?: unknown }).id))
    if (references !== undefined) await addReferenceLinks(plugin, response, references, request.scope)
    return response
  })
}

/** Adds the values that menu items store to the routes of menus. */
function tapMenuItems({ hooks }: PluginContext, fields: CustomFields): void {
  hooks.rest_menu_routes_item.tapPromise('custom-fields', async (data, { id }, post, request) => {
    const values = await fields.storedValues(post.type, id, request)
    return Object.keys(values).length === 0 ? data : { ...data, acf: values }
  })
}

/** Editors compare this meta key to notice that only values of fields have changed. */
function registerChangedFlag({ services }: PluginContext, subtype: string): void {
  const { contentTypes, meta } = services
  if (!contentTypes.supports(subtype, 'custom-fields') && !contentTypes.supports(subtype, 'revisions')) return
  meta.register('post', '_acf_changed', { subtype, type: 'boolean', single: true, show_in_rest: true })
}
