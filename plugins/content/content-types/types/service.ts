import { OwnedMap } from '../../../../kernel/index.ts'
import type { Taxonomies } from '../../taxonomies/taxonomy.ts'
import { errors } from '../errors.ts'
import { typeLabels } from '../../labels.ts'
import type { ContentType, ContentTypes, ContentTypeSpec, TypeCapabilities } from './content-type.ts'

/** What the registry depends on. */
export interface ContentTypeParts {
  /** The namespace of types without one. */
  namespace: string
  /** Filters a spec before its defaults are added. */
  filter: (spec: ContentTypeSpec, name: string) => ContentTypeSpec
  /** Attaches the taxonomies that a type names; null where the site has none. */
  taxonomies: Pick<Taxonomies, 'attach'> | null
}

/** An empty registry of content types. */
export function createContentTypes({ namespace, filter, taxonomies }: ContentTypeParts): ContentTypes {
  const types = new OwnedMap<{ spec: ContentTypeSpec; type: ContentType }>()
  const registry: ContentTypes = {
    register(name, given = {}) {
      if (!/^[a-z0-9_-]{1,20}$/.test(name)) throw errors.CONTENT_TYPE_INVALID(name)
      const spec = filter(given, name)
      const type = complete(name, spec, namespace)
      types.set(name, { spec: given, type })
      for (const taxonomy of spec.taxonomies ?? []) taxonomies?.attach(taxonomy, name)
      return type
    },
    change(name, changes) {
      const registered = types.get(name)
      if (registered === undefined) throw errors.CONTENT_TYPE_UNKNOWN(name)
      return registry.register(name, { ...registered.spec, ...changes })
    },
    get: (name) => types.get(name)?.type,
    all: () => types.values().map(({ type }) => type),
    exposed: () => registry.all().filter((type) => type.show_in_rest),
    supports: (name, feature) => Object.hasOwn(types.get(name)?.type.supports ?? {}, feature),
  }
  return registry
}

function complete(name: string, spec: ContentTypeSpec, namespace: string): ContentType {
  const isPublic = spec.public ?? false
  const hierarchical = spec.hierarchical ?? false
  const queryable = spec.publicly_queryable ?? isPublic
  const given = spec.capability_type ?? 'post'
  const capabilityType = typeof given === 'string' ? ([given, `${given}s`] as const) : given
  const map = spec.map_meta_cap ?? (spec.capabilities === undefined && ['post', 'page'].includes(capabilityType[0]))
  const labels = typeLabels(name, hierarchical, spec.label, spec.labels)
  return {
    name,
    label: labels['name'] ?? name,
    labels,
    description: spec.description ?? '',
    public: isPublic,
    hierarchical,
    supports: features(spec.supports ?? ['title', 'editor']),
    has_archive: spec.has_archive ?? false,
    exclude_from_search: spec.exclude_from_search ?? !isPublic,
    publicly_queryable: queryable,
    show_ui: spec.show_ui ?? isPublic,
    show_in_nav_menus: spec.show_in_nav_menus ?? isPublic,
    show_in_rest: spec.show_in_rest ?? false,
    rest_base: spec.rest_base ?? name,
    rest_namespace: spec.rest_namespace ?? namespace,
    rest_controller_class: spec.rest_controller_class,
    capability_type: capabilityType,
    capabilities: typeCapabilities(capabilityType, spec.capabilities),
    map_meta_cap: map,
    rewrite: completeRewrite(name, queryable, spec.rewrite),
    query_var: spec.query_var === true || spec.query_var === undefined ? (queryable ? name : false) : spec.query_var,
    icon: spec.icon ?? null,
    template: spec.template ?? [],
    template_lock: spec.template_lock ?? false,
    delete_with_user: spec.delete_with_user ?? null,
    viewable: queryable,
  }
}

function completeRewrite(name: string, queryable: boolean, given: ContentTypeSpec['rewrite']): ContentType['rewrite'] {
  if (given === false || (given === undefined && !queryable)) return false
  return { slug: given?.slug ?? name, with_front: given?.with_front ?? true }
}

function features(given: NonNullable<ContentTypeSpec['supports']>): Record<string, unknown> {
  if (given === false) return {}
  return isList(given) ? Object.fromEntries(given.map((feature) => [feature, true])) : { ...given }
}

const isList = (value: object): value is readonly string[] => Array.isArray(value)

function typeCapabilities(
  [one, many]: readonly [string, string],
  named: Readonly<Record<string, string>> = {},
): TypeCapabilities {
  const own: TypeCapabilities = {
    edit_post: `edit_${one}`,
    read_post: `read_${one}`,
    delete_post: `delete_${one}`,
    edit_posts: `edit_${many}`,
    edit_others_posts: `edit_others_${many}`,
    delete_posts: `delete_${many}`,
    publish_posts: `publish_${many}`,
    read_private_posts: `read_private_${many}`,
    create_posts: `edit_${many}`,
    read: 'read',
    delete_private_posts: `delete_private_${many}`,
    delete_published_posts: `delete_published_${many}`,
    delete_others_posts: `delete_others_${many}`,
    edit_private_posts: `edit_private_${many}`,
    edit_published_posts: `edit_published_${many}`,
    ...named,
  }
  // Whoever may edit items may create one, whatever name `edit_posts` has here.
  if (named['create_posts'] === undefined) own.create_posts = own.edit_posts
  return own
}
