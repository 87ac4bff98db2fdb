import type { AdminView } from '../frame/view.ts'
import type { Schemas } from './schema-fields.ts'

/** Returns the schemas of the fields of a route, by name, from its OPTIONS response. */
export async function routeSchemas(view: AdminView, path: string): Promise<Schemas> {
  const { data } = await view.ask<{ schema?: { properties?: Schemas } }>('OPTIONS', path)
  return data.schema?.properties ?? {}
}
