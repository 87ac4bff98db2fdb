import type { ContentTypeSpec, TaxonomySpec } from '../../public.ts'
import type { DefinitionPost } from '../definition-posts.ts'
import { plainPhp } from '../php-values.ts'
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

/** Types of the posts in which Advanced Custom Fields stores definitions. */
export const TYPE_POSTS = 'acf-post-type'
export const TAXONOMY_POSTS = 'acf-taxonomy'

/** Converts a post that defines a content type. */
export function typeFromPost({ settings, title }: DefinitionPost, exportedWord: string): TypeDefinition {
  const values = valuesOf(plainPhp(settings))
  const name = textOf(values['post_type'])
  const labels = labelsOf(values['labels'])
  const isPublic = flagOf(values['public'], true)
  const renames = flagOf(values['rename_capabilities'], false)
  const spec: ContentTypeSpec = given({
    label: labels['name'] ?? (title || name),
    labels: { name: title || name, ...labels },
    description: textOf(values['description']),
    public: isPublic,
    hierarchical: flagOf(values['hierarchical'], false),
    exclude_from_search: flagOf(values['exclude_from_search'], !isPublic),
    publicly_queryable: flagOf(values['publicly_queryable'], isPublic),
    show_ui: flagOf(values['show_ui'], isPublic),
    show_in_nav_menus: flagOf(values['show_in_nav_menus'], isPublic),
    show_in_rest: flagOf(values['show_in_rest'], true),
    rest_base: textOf(values['rest_base']) || undefined,
    rest_namespace: namespaceOf(values['rest_namespace'], exportedWord),
    has_archive: flagOf(values['has_archive'], false) ? textOf(values['has_archive_slug']) || true : false,
    capability_type: renames ? capabilitiesOf(values) : undefined,
    map_meta_cap: true,
    rewrite: rewriteOf(name, values),
    query_var: queryVariableOf(values),
    icon: iconOf(values['menu_icon']) ?? 'dashicons-admin-post',
    delete_with_user: flagOf(values['delete_with_user'], false),
    supports: supportsOf(values['supports']),
    taxonomies: textsOf(values['taxonomies']),
  })
  return { name, spec, ...menuPositionOf(values['menu_position']) }
}

/** Converts a post that defines a taxonomy. */
export function taxonomyFromPost({ settings, title }: DefinitionPost, exportedWord: string): TaxonomyDefinition {
  const values = valuesOf(plainPhp(settings))
  const name = textOf(values['taxonomy'])
  const labels = labelsOf(values['labels'])
  const isPublic = flagOf(values['public'], true)
  const showsUi = flagOf(values['show_ui'], isPublic)
  const rewrite = rewriteOf(name, values)
  const spec: TaxonomySpec = given({
    label: labels['name'] ?? (title || name),
    labels: { name: title || name, ...labels },
    description: textOf(values['description']),
    public: isPublic,
    hierarchical: flagOf(values['hierarchical'], false),
    publicly_queryable: flagOf(values['publicly_queryable'], isPublic),
    show_ui: showsUi,
    show_in_nav_menus: flagOf(values['show_in_nav_menus'], isPublic),
    show_in_rest: flagOf(values['show_in_rest'], true),
    rest_base: textOf(values['rest_base']) || undefined,
    rest_namespace: namespaceOf(values['rest_namespace'], exportedWord),
    show_tagcloud: flagOf(values['show_tagcloud'], showsUi),
    show_in_quick_edit: flagOf(values['show_in_quick_edit'], showsUi),
    show_admin_column: flagOf(values['show_admin_column'], false),
    capabilities: labelsOf(values['capabilities']),
    rewrite: rewrite && {
      ...rewrite,
      hierarchical: flagOf(valuesOf(values['rewrite'])['rewrite_hierarchical'], false),
    },
    query_var: queryVariableOf(values),
    default_term: defaultTermOf(valuesOf(values['default_term'])),
  })
  return { name, types: textsOf(values['object_type']), spec, hidesNamespace: false }
}

function capabilitiesOf(values: Values): readonly [string, string] {
  const singular = textOf(values['singular_capability_name']) || 'post'
  return [singular, textOf(values['plural_capability_name']) || `${singular}s`]
}

/** A missing list means the default, an empty one that the type supports nothing. */
function supportsOf(value: unknown): readonly string[] | false | undefined {
  if (value === undefined || value === null) return undefined
  const supports = textsOf(value)
  return supports.length > 0 ? supports : false
}

/** The icon is a text, in newer versions an object with the kind of icon. */
function iconOf(value: unknown): string | undefined {
  return textOf(value) || textOf(valuesOf(value)['value']) || undefined
}

function rewriteOf(name: string, values: Values) {
  const { permalink_rewrite: kind, slug, with_front: withFront } = valuesOf(values['rewrite'])
  if (kind === 'no_permalink') return false as const
  const own = kind === 'custom_permalink' ? textOf(slug) : ''
  return { slug: own || name, with_front: flagOf(withFront, true) }
}

function queryVariableOf(values: Values): string | boolean {
  const kind = values['query_var']
  if (kind === 'none' || kind === false) return false
  return kind === 'custom_query_var' ? textOf(values['query_var_name']) || true : true
}

function defaultTermOf(values: Values): TaxonomySpec['default_term'] {
  const name = textOf(values['default_term_name'])
  if (name === '' || !flagOf(values['default_term_enabled'], false)) return undefined
  const slug = textOf(values['default_term_slug'])
  const description = textOf(values['default_term_description'])
  return { name, ...(slug && { slug }), ...(description && { description }) }
}
