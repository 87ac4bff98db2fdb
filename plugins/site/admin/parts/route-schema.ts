import type { AdminView } from '../frame/view.ts'
import type { Schemas } from './schema-fields.ts'

/** The schemas of what a route shows and takes, by the names of fields, as OPTIONS tells them. */
export async function routeSchemas(view: AdminView, path: string): Promise<Schemas> {
  const { data } = await view.ask<{ schema?: { properties?: Schemas } }>('OPTIONS', path)
  return data.schema?.properties ?? {}
}
