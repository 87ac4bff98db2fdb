import type { PluginContext, RestRequest } from '../../public.ts'
import type { FieldValues } from './fields.ts'
import { idOf, NAME, type FieldArguments } from './validation.ts'

interface Described {
  readonly endpoints?: readonly { readonly methods: readonly string[]; readonly args: unknown }[]
  readonly schema?: { readonly properties?: Readonly<Record<string, unknown>> }
}

/** Completes the descriptions of routes (OPTIONS): the schemas of the fields depend on the object in the path. */
export function describeFields(plugin: PluginContext, values: FieldValues, args: FieldArguments): void {
  plugin.hooks.rest_post_dispatch.tapPromise('custom-fields', async (response, _server, request) => {
    if (request.method !== 'OPTIONS') return response
    const { data } = response
    const found = typeof data === 'object' && data !== null ? (data as Described) : {}
    const { properties } = found.schema ?? {}
    const type = properties?.[NAME] === undefined ? undefined : values.typeOf(objectTypeOf(values, found))
    if (type === undefined) return response
    const { schemas } = await args.fieldsOf(type, idOf(request), request)
    const property = { description: DESCRIPTION, type: 'object', properties: schemas }
    response.data = {
      ...found,
      endpoints: found.endpoints?.map((endpoint) => describeEndpoint(endpoint, property, request)),
      schema: { ...found.schema, properties: { ...properties, [NAME]: property } },
    }
    return response
  })
}

/** Description of the field in schemas. */
export const DESCRIPTION = 'ACF field data'

/** Returns the object type of a described route. The title of a schema is its object type, with a few exceptions. */
function objectTypeOf(values: FieldValues, { schema }: Described): string {
  const title = String((schema as { title?: unknown } | undefined)?.title)
  return values.typeOf(title) === undefined ? title.replaceAll('_', '-') : title
}

function describeEndpoint<E extends { readonly methods: readonly string[]; readonly args: unknown }>(
  endpoint: E,
  property: Readonly<Record<string, unknown>>,
  request: RestRequest,
): E {
  const { args } = endpoint
  if (typeof args !== 'object' || args === null || !(NAME in args)) return endpoint
  if (request.route.includes('/autosaves')) {
    const { [NAME]: _, ...others } = args as Record<string, unknown>
    return { ...endpoint, args: others }
  }
  return { ...endpoint, args: { ...args, [NAME]: { ...property, required: false } } }
}
