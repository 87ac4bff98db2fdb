import { errors } from '../../errors.ts'
import type { ContentType } from '../../../../content/content-types/index.ts'
import type { AdminView } from '../../frame/view.ts'

/** A content type as the REST API returns it to users who can edit its items. */
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

/** A taxonomy as the REST API returns it to users who can assign its terms. */
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

/** Returns the content types that the admin lists and the user can edit. Media has separate pages. */
export async function listedTypes(view: AdminView): Promise<TypeData[]> {
  const query = { context: 'edit', _fields: TYPE_FIELDS }
  const types = await view.find<Readonly<Record<string, TypeData>>>('types', { query })
  return Object.values(types ?? {})
    .filter(isListed)
    .map((type) => withAdminLabels(view, type))
}

/**
 * Returns the content type of a list.
 * @throws admin_page_not_found if the type has no list; RestError if the user cannot edit its items
 */
export async function typeOf(view: AdminView, name: string): Promise<TypeData> {
  const { data } = await view.ask<TypeData>('GET', `types/${encodeURIComponent(name)}`, {
    query: { context: 'edit', _fields: TYPE_FIELDS },
  })
  if (!isListed(data)) throw errors.admin_page_not_found()
  return withAdminLabels(view, data)
}

/** Names of built-in types in the admin, whatever API version the site emulates. */
const PATTERN = { singular: { label: 'Pattern' }, plural: { label: 'Patterns' } }
/** Navigation blocks show these menus. “Menus” are the classic menus at the locations of a theme. */
const NAVIGATION = { singular: { label: 'Navigation' }, plural: { label: 'Navigation' } }

/** Returns a type with the names that the admin uses. */
function withAdminLabels<T extends Pick<TypeData, 'slug' | 'labels'>>({ plugin }: AdminView, type: T): T {
  const { branding } = plugin
  const names =
    type.slug === branding.typeName('block')
      ? PATTERN
      : type.slug === branding.typeName('navigation')
        ? NAVIGATION
        : null
  if (names === null) return type
  const { singular, plural } = names
  return { ...type, labels: { ...type.labels, name: plural.label, singular_name: singular.label } }
}

/** Returns the translated singular name of a type. */
export function singularOf(view: AdminView, { name, labels }: Pick<ContentType, 'name' | 'labels'>): string {
  const type = withAdminLabels(view, { slug: name, labels })
  return view.t(type.labels['singular_name'] ?? name)
}

/** Returns the translated plural name of a type or taxonomy. */
export const pluralOf = ({ t }: AdminView, { labels, name }: Pick<TypeData, 'labels' | 'name'>): string =>
  t(labels['name'] ?? name)

const isListed = ({ slug, visibility }: TypeData) => visibility.show_ui && slug !== 'attachment'

/** Returns the taxonomies whose terms the user can assign, of one content type or of all. */
export async function taxonomiesOf(view: AdminView, type?: string): Promise<TaxonomyData[]> {
  const query = { context: 'edit', type, _fields: TAXONOMY_FIELDS }
  const found = await view.find<Readonly<Record<string, TaxonomyData>>>('taxonomies', { query })
  return Object.values(found ?? {}).filter(({ visibility }) => visibility.show_ui)
}

/**
 * Returns the taxonomy of a list of terms.
 * @throws admin_page_not_found if the taxonomy has no list; RestError if the user cannot read its terms
 */
export async function taxonomyOf(view: AdminView, name: string): Promise<TaxonomyData> {
  const { data } = await view.ask<TaxonomyData>('GET', `taxonomies/${encodeURIComponent(name)}`, {
    query: { context: 'edit', _fields: TAXONOMY_FIELDS },
  })
  if (!data.visibility.show_ui) throw errors.admin_page_not_found()
  if (!view.can(data.capabilities['manage_terms'] ?? '')) throw errors.admin_forbidden()
  return data
}

/** Returns the route of the items of a content type, or of the terms of a taxonomy: `/svc/v2/posts`. */
export const routeOf = ({ rest_namespace: space, rest_base: base }: Pick<TypeData, 'rest_namespace' | 'rest_base'>) =>
  `/${space}/${base}`

/** Returns a label of a type or taxonomy. */
export const labelOf = ({ labels, name }: Pick<TypeData, 'labels' | 'name'>, label: string) => labels[label] || name
