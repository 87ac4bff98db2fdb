import { OwnedMap, type CurrentUser } from '../../../kernel/index.ts'
import type { Capabilities } from '../../people/roles/index.ts'
import { errors } from './errors.ts'
import { taxonomyLabels } from '../labels.ts'
import type { Taxonomies, Taxonomy, TaxonomySpec } from './taxonomy.ts'

/**
 * An empty registry of taxonomies.
 * @param namespace of taxonomies without one
 * @param filter filters a spec before its defaults are added
 */
export function createTaxonomies(
  namespace: string,
  filter: (spec: TaxonomySpec, name: string, objectTypes: readonly string[]) => TaxonomySpec,
): Taxonomies {
  const taxonomies = new OwnedMap<{ spec: TaxonomySpec; objectTypes: readonly string[]; taxonomy: Taxonomy }>()
  const attached = new OwnedMap<{ taxonomy: string; contentType: string }>()
  const registry: Taxonomies = {
    register(name, types, given = {}) {
      if (!/^[a-z0-9_-]{1,32}$/.test(name)) throw errors.TAXONOMY_INVALID(name)
      const objectTypes = [types].flat()
      const taxonomy = complete(name, filter(given, name, objectTypes), namespace)
      taxonomies.set(name, { spec: given, objectTypes, taxonomy })
      return taxonomy
    },
    change(name, changes) {
      const registered = taxonomies.get(name)
      if (registered === undefined) throw errors.TAXONOMY_UNKNOWN(name)
      return registry.register(name, registered.objectTypes, { ...registered.spec, ...changes })
    },
    attach(taxonomy, contentType) {
      attached.set(JSON.stringify([taxonomy, contentType]), { taxonomy, contentType })
    },
    get: (name) => taxonomies.get(name)?.taxonomy,
    all: () => taxonomies.values().map(({ taxonomy }) => taxonomy),
    exposed: () => registry.all().filter((taxonomy) => taxonomy.show_in_rest),
    ofType: (contentType) => registry.all().filter(({ name }) => registry.typesOf(name).includes(contentType)),
    typesOf(name) {
      const added = attached.values().filter(({ taxonomy }) => taxonomy === name)
      return [
        ...new Set([...(taxonomies.get(name)?.objectTypes ?? []), ...added.map(({ contentType }) => contentType)]),
      ]
    },
  }
  return registry
}

function complete(name: string, spec: TaxonomySpec, namespace: string): Taxonomy {
  const isPublic = spec.public ?? true
  const hierarchical = spec.hierarchical ?? false
  const queryable = spec.publicly_queryable ?? isPublic
  const ui = spec.show_ui ?? isPublic
  const labels = taxonomyLabels(name, hierarchical, spec.label, spec.labels)
  const { rewrite } = spec
  return {
    name,
    objectType: name === 'post_tag' ? 'tag' : name,
    label: labels['name'] ?? name,
    labels,
    description: spec.description ?? '',
    public: isPublic,
    hierarchical,
    publicly_queryable: queryable,
    show_ui: ui,
    show_in_nav_menus: spec.show_in_nav_menus ?? isPublic,
    show_tagcloud: spec.show_tagcloud ?? ui,
    show_in_quick_edit: spec.show_in_quick_edit ?? ui,
    show_admin_column: spec.show_admin_column ?? false,
    show_in_rest: spec.show_in_rest ?? false,
    rest_base: spec.rest_base ?? name,
    rest_namespace: spec.rest_namespace ?? namespace,
    rest_controller_class: spec.rest_controller_class,
    capabilities: {
      manage_terms: 'manage_categories',
      edit_terms: 'manage_categories',
      delete_terms: 'manage_categories',
      assign_terms: 'edit_posts',
      ...spec.capabilities,
    },
    rewrite:
      rewrite === false || (rewrite === undefined && !queryable)
        ? false
        : {
            slug: rewrite?.slug ?? name,
            with_front: rewrite?.with_front ?? true,
            hierarchical: rewrite?.hierarchical ?? false,
          },
    query_var: spec.query_var === true || spec.query_var === undefined ? (queryable ? name : false) : spec.query_var,
    default_term: spec.default_term ?? null,
  }
}

/** Whether a user may see the terms of a taxonomy: of one that is not public only those who may assign its terms. */
export function seesTerms(capabilities: Pick<Capabilities, 'can'>, user: CurrentUser, taxonomy: Taxonomy): boolean {
  return taxonomy.public || capabilities.can(user, taxonomy.capabilities.assign_terms)
}
