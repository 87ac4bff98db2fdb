import type { ContentTypeSpec, TaxonomySpec } from '../../public.ts'
import { plainPhp, readPhp } from '../php-values.ts'
import {
  flagOf,
  given,
  labelsOf,
  menuPositionOf,
  namespaceOf,
  textOf,
  textsOf,
  valuesOf,
  type TaxonomyDefinition,
  type TypeDefinition,
  type Values,
} from './definitions.ts'

/** Options in which Custom Post Type UI and this plugin store definitions, by name. */
export const TYPES_OPTION = 'cptui_post_types'
export const TAXONOMIES_OPTION = 'cptui_taxonomies'

/** Returns the stored definitions of an option, by name. A dump of a database can contain it as serialized text. */
export function storedDefinitions(option: unknown): Map<string, Values> {
  const read = typeof option === 'string' ? plainPhp(readPhp(option) ?? null) : option
  return new Map(Object.entries(valuesOf(read)).map(([name, values]) => [name, valuesOf(values)]))
}

/** Converts a type in the form of Custom Post Type UI, which stores yes and no as the texts `true` and `false`. */
export function typeFromOption(name: string, values: Values, exportedWord: string): TypeDefinition {
  const label = textOf(values['label']) || name
  const isPublic = flagOf(values['public'], true)
  const capability = textsOf(values['capability_type'])
  const supports = textsOf(values['supports']).filter((feature) => feature !== 'none')
  const own = textsOf(values['custom_supports'])
  const spec: ContentTypeSpec = given({
    label,
    labels: { name: label, singular_name: textOf(values['singular_label']) || label, ...labelsOf(values['labels']) },
    description: textOf(values['description']),
    public: isPublic,
    publicly_queryable: flagOf(values['publicly_queryable'], isPublic),
    show_ui: flagOf(values['show_ui'], true),
    show_in_nav_menus: flagOf(values['show_in_nav_menus'], isPublic),
    show_in_rest: flagOf(values['show_in_rest'], true),
    rest_base: textOf(values['rest_base']) || undefined,
    rest_namespace: namespaceOf(values['rest_namespace'], exportedWord),
    has_archive: flagOf(values['has_archive'], false) ? textOf(values['has_archive_string']) || true : false,
    exclude_from_search: flagOf(values['exclude_from_search'], false),
    delete_with_user: flagOf(values['delete_with_user'], false),
    capability_type: capability.length > 1 ? ([capability[0]!, capability[1]!] as const) : capability[0],
    map_meta_cap: true,
    hierarchical: flagOf(values['hierarchical'], false),
    rewrite: rewriteOf(name, values),
    query_var: queryVariableOf(values),
    icon: textOf(values['menu_icon']) || undefined,
    supports: supports.length + own.length > 0 ? [...supports, ...own] : (false as const),
    taxonomies: textsOf(values['taxonomies']),
  })
  return { name, spec, ...menuPositionOf(values['menu_position']) }
}

/** Converts a taxonomy in the form of Custom Post Type UI. */
export function taxonomyFromOption(name: string, values: Values, exportedWord: string): TaxonomyDefinition {
  const label = textOf(values['label']) || name
  const isPublic = flagOf(values['public'], true)
  const [term, slug = '', description = ''] = textOf(values['default_term'])
    .split(',')
    .map((part) => part.trim())
  const rewrite = rewriteOf(name, values)
  const spec: TaxonomySpec = given({
    label,
    labels: { name: label, singular_name: textOf(values['singular_label']) || label, ...labelsOf(values['labels']) },
    description: textOf(values['description']),
    public: isPublic,
    publicly_queryable: flagOf(values['publicly_queryable'], isPublic),
    hierarchical: flagOf(values['hierarchical'], false),
    show_ui: flagOf(values['show_ui'], true),
    show_in_nav_menus: flagOf(values['show_in_nav_menus'], isPublic),
    show_tagcloud: flagOf(values['show_tagcloud'], false),
    show_in_quick_edit: flagOf(values['show_in_quick_edit'], false),
    show_admin_column: flagOf(values['show_admin_column'], false),
    show_in_rest: flagOf(values['show_in_rest'], true),
    rest_base: textOf(values['rest_base']) || undefined,
    rest_namespace: namespaceOf(values['rest_namespace'], exportedWord),
    rewrite: rewrite && { ...rewrite, hierarchical: flagOf(values['rewrite_hierarchical'], false) },
    query_var: queryVariableOf(values),
    default_term: term ? { name: term, ...(slug && { slug }), ...(description && { description }) } : undefined,
  })
  return {
    name,
    types: textsOf(values['object_types']),
    spec,
    hidesNamespace: textOf(values['rest_namespace']) === '',
  }
}

function rewriteOf(name: string, values: Values) {
  if (!flagOf(values['rewrite'], true)) return false as const
  return { slug: textOf(values['rewrite_slug']) || name, with_front: flagOf(values['rewrite_withfront'], false) }
}

function queryVariableOf(values: Values): string | boolean {
  if (!flagOf(values['query_var'], true)) return false
  return textOf(values['query_var_slug']) || true
}
