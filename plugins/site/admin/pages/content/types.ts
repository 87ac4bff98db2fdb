import { errors } from '../../errors.ts'
import type { AdminView } from '../../frame/view.ts'

/** A content type, as the REST API tells users of it who may edit its items. */
export interface TypeData {
  readonly slug: string
  readonly name: string
  readonly labels: Readonly<Record<string, string | null>>
  readonly hierarchical: boolean
  readonly viewable: boolean
  readonly supports: Readonly<Record<string, unknown>>
  readonly taxonomies: readonly string[]
  readonly rest_base: string
  readonly rest_namespace: string
  readonly capabilities: Readonly<Record<string, string>>
  readonly visibility: { readonly show_ui: boolean }
}

/** A taxonomy, as the REST API tells users of it who may give its terms to posts. */
export interface TaxonomyData {
  readonly slug: string
  readonly name: string
  readonly labels: Readonly<Record<string, string | null>>
  readonly hierarchical: boolean
  readonly types: readonly string[]
  readonly rest_base: string
  readonly rest_namespace: string
  readonly capabilities: Readonly<Record<string, string>>
  readonly visibility: { readonly show_ui: boolean; readonly show_admin_column: boolean }
}

const TYPE_FIELDS =
  'slug,name,labels,hierarchical,viewable,supports,taxonomies,rest_base,rest_namespace,capabilities,visibility'
const TAXONOMY_FIELDS = 'slug,name,labels,hierarchical,types,rest_base,rest_namespace,capabilities,visibility'

/** The content types that the admin lists, for a user who may edit them. Files have pages of their own. */
export async function listedTypes(view: AdminView): Promise<TypeData[]> {
  const query = { context: 'edit', _fields: TYPE_FIELDS }
  const types = await view.find<Readonly<Record<string, TypeData>>>('types', { query })
  return Object.values(types ?? {}).filter(isListed)
}

/**
 * The content type of a list.
 * @throws admin_page_not_found for one that has none; RestError where the user may not edit its items
 */
export async function typeOf(view: AdminView, name: string): Promise<TypeData> {
  const { data } = await view.ask<TypeData>('GET', `types/${encodeURIComponent(name)}`, {
    query: { context: 'edit', _fields: TYPE_FIELDS },
  })
  if (!isListed(data)) throw errors.admin_page_not_found()
  return data
}

const isListed = ({ slug, visibility }: TypeData) => visibility.show_ui && slug !== 'attachment'

/** The taxonomies whose terms a user may give to posts, of one content type or of all. */
export async function taxonomiesOf(view: AdminView, type?: string): Promise<TaxonomyData[]> {
  const query = { context: 'edit', type, _fields: TAXONOMY_FIELDS }
  const found = await view.find<Readonly<Record<string, TaxonomyData>>>('taxonomies', { query })
  return Object.values(found ?? {}).filter(({ visibility }) => visibility.show_ui)
}

/**
 * The taxonomy of a list of terms.
 * @throws admin_page_not_found for one that has none; RestError where the user may not see its terms
 */
export async function taxonomyOf(view: AdminView, name: string): Promise<TaxonomyData> {
  const { data } = await view.ask<TaxonomyData>('GET', `taxonomies/${encodeURIComponent(name)}`, {
    query: { context: 'edit', _fields: TAXONOMY_FIELDS },
  })
  if (!data.visibility.show_ui) throw errors.admin_page_not_found()
  if (!view.can(data.capabilities['manage_terms'] ?? '')) throw errors.admin_forbidden()
  return data
}

/** The route of the items of a content type, or of the terms of a taxonomy: `/svc/v2/posts`. */
export const routeOf = ({ rest_namespace: space, rest_base: base }: Pick<TypeData, 'rest_namespace' | 'rest_base'>) =>
  `/${space}/${base}`

/** A label of a type or taxonomy. */
export const labelOf = ({ labels, name }: Pick<TypeData, 'labels' | 'name'>, label: string) => labels[label] || name
