import { applySyncFilter, derivedOfAll, OwnedMap, type CurrentUser, type PluginContext } from '../../../kernel/index.ts'
import { addDeprecatedMembers } from '../../library/deprecated-names/index.ts'
import { noteAuthor, type ControllerClass } from '../../resources/index.ts'
import { checkRegistration, shapeMistake, type RegistrationCheck, type Shapes } from '../../library/advice/index.ts'
import type { Capabilities } from '../../people/roles/index.ts'
import { errors } from './errors.ts'
import { Definitions } from '../definitions.ts'
import { taxonomyLabels } from '../labels.ts'
import { restBaseMistake, type RoutesOwner } from '../rest-bases.ts'

/** Maps the generic capabilities of taxonomies to the names for one taxonomy. */
export interface TaxonomyCapabilities {
  manage_terms: string
  edit_terms: string
  delete_terms: string
  assign_terms: string
}

/** Specification of a taxonomy; all properties are optional. */
export interface TaxonomySpec {
  /** Plural name. */
  label?: string
  /** Labels in an admin, such as `name`, `singular_name`, `add_new_item`. */
  labels?: Readonly<Record<string, string | null>>
  description?: string
  /** Whether it is for readers of the site; default of most of the following properties. True by default. */
  public?: boolean
  /** Whether every client may read its terms, rather than only users who may assign them. Defaults to `public`. */
  public_terms?: boolean
  /** Whether terms can have a parent. */
  hierarchical?: boolean
  /** Whether its terms have their own pages. */
  publicly_queryable?: boolean
  show_ui?: boolean
  show_in_nav_menus?: boolean
  show_tagcloud?: boolean
  show_in_quick_edit?: boolean
  show_admin_column?: boolean
  /** Whether the REST API serves it. */
  show_in_rest?: boolean
  /** Last part of its REST route; its name by default. */
  rest_base?: string
  rest_namespace?: string
  /**
   * Controller of its routes: the terms controller by default; `false`, or a class that is not a controller, for no
   * routes.
   */
  rest_controller_class?: ControllerClass | false
  capabilities?: Partial<TaxonomyCapabilities>
  /** URL prefix of its terms; `false` for no URLs. */
  rewrite?: false | { slug: string; with_front?: boolean; hierarchical?: boolean }
  /** Query variable that names a term; `false` for none. */
  query_var?: string | boolean
  /** Term that is assigned to posts without a term of this taxonomy. */
  default_term?: { name: string; slug?: string; description?: string } | null
  /** Whether it may replace a taxonomy of another plugin with this name; otherwise the log warns. */
  override?: boolean
}

/** A taxonomy with all defaults. */
export interface Taxonomy extends Readonly<Required<Omit<TaxonomySpec, keyof Completed | 'override'>>>, Completed {}

/** Properties of a taxonomy that are derived from its specification or added to it. */
export interface Completed {
  readonly name: string
  /**
   * Name of its terms in hooks, meta and registered fields: `tag` for the taxonomy `post_tag`, otherwise the taxonomy
   * name.
   */
  readonly objectType: string
  /** Undefined for the terms controller. */
  readonly rest_controller_class: ControllerClass | false | undefined
  readonly capabilities: Readonly<TaxonomyCapabilities>
  readonly rewrite: false | { readonly slug: string; readonly with_front: boolean; readonly hierarchical: boolean }
  readonly query_var: string | false
}

/** The taxonomies of the site. When a plugin is removed, its taxonomies and its changes to others are removed too. */
export class Taxonomies {
  /** @deprecated Use `routeOwners`. */
  declare readonly served: Taxonomies['routeOwners']
  readonly #taxonomies: Definitions<TaxonomySpec & { objectTypes?: readonly string[] }, Taxonomy>
  readonly #ofTypes = derivedOfAll(() => new Map<string, readonly Taxonomy[]>())
  readonly #hooks: PluginContext['hooks']
  readonly #attached = new OwnedMap<{ taxonomy: string; contentType: string }>('taxonomy of a type')

  constructor(plugin: PluginContext) {
    const { hooks } = plugin
    this.#hooks = hooks
    this.#taxonomies = new Definitions('taxonomy', (name, { objectTypes = [], ...spec }) =>
      complete(name, applySyncFilter(hooks.register_taxonomy_args, spec, name, objectTypes), plugin),
    )
  }

  /**
   * Registers a taxonomy, or replaces the one with the same name.
   * @param name lower-case letters, digits, `_` and `-`, at most 32 characters
   * @param types the content types whose items can have its terms
   * @throws TAXONOMY_INVALID, TAXONOMY_DEFINITION_INVALID
   */
  register(name: string, types: string | readonly string[], input: TaxonomySpec = {}): Taxonomy {
    if (!/^[a-z0-9_-]{1,32}$/.test(name)) throw errors.TAXONOMY_INVALID(name)
    const objectTypes = [types].flat()
    return this.#taxonomies.register(
      name,
      { ...validateSpec(name, types, input), objectTypes },
      input.override ?? false,
    )
  }

  /**
   * Changes part of the specification of a taxonomy, such as its controller.
   * @throws TAXONOMY_UNKNOWN, TAXONOMY_DEFINITION_INVALID
   */
  change(name: string, changes: TaxonomySpec): Taxonomy {
    if (!this.#taxonomies.has(name)) throw errors.TAXONOMY_UNKNOWN(name)
    return this.#taxonomies.change(name, validateSpec(name, [], changes))
  }

  /** Attaches a taxonomy to a content type. Either can be registered later. */
  attach(taxonomy: string, contentType: string): void {
    const entry = { taxonomy, contentType }
    this.#attached.set(JSON.stringify([taxonomy, contentType]), entry, `${taxonomy} of ${contentType}`, true)
  }

  /** Returns the taxonomy with this name, or undefined. */
  get(name: string): Taxonomy | undefined {
    return this.#taxonomies.get(name)
  }

  /** All taxonomies, in order of registration. */
  all(): Taxonomy[] {
    return this.#taxonomies.all()
  }

  /** The taxonomies that the REST API serves, in order of registration. */
  exposed(): Taxonomy[] {
    return this.all().filter((taxonomy) => taxonomy.show_in_rest)
  }

  /** The REST API route of the terms of a taxonomy, such as `/svc/v2/tags`. */
  itemsRoute({ name, rest_namespace: namespace, rest_base: base }: Taxonomy): string {
    return applySyncFilter(this.#hooks.rest_route_for_taxonomy_items, `/${namespace}/${base}`, name)
  }

  /** The REST API route of a term, such as `/svc/v2/tags/12`; `''` if the REST API does not serve its taxonomy. */
  itemRoute(term: { readonly id: number; readonly taxonomy: string }): string {
    const taxonomy = this.get(term.taxonomy)
    const route = taxonomy?.show_in_rest === true ? `${this.itemsRoute(taxonomy)}/${term.id}` : ''
    return applySyncFilter(this.#hooks.rest_route_for_term, route, term)
  }

  /** The taxonomies with routes, each with the plugin that registered it. */
  routeOwners(): RoutesOwner[] {
    const registrantOf = ({ name }: Taxonomy) => this.#taxonomies.registrantOf(name)
    return this.exposed().map((one) => ({ ...one, kind: 'taxonomy', registrant: registrantOf(one) }))
  }

  /** The taxonomies of a content type, in order of registration. */
  ofType(contentType: string): readonly Taxonomy[] {
    const cache = this.#ofTypes()
    let taxonomies = cache.get(contentType)
    if (taxonomies === undefined) {
      taxonomies = this.all().filter(({ name }) => this.typesOf(name).includes(contentType))
      cache.set(contentType, taxonomies)
    }
    return taxonomies
  }

  /** Warns about taxonomies attached to content types that do not exist, and the other way round. */
  check(check: RegistrationCheck, types: ReadonlySet<string>): void {
    const other = this.all().filter(({ name, objectType }) => name !== objectType)
    const suggestions = Object.fromEntries(other.map(({ name, objectType }) => [name, objectType]))
    check.declare(
      this.all().map(({ objectType }) => objectType),
      suggestions,
    )
    for (const name of this.#taxonomies.names()) {
      const unknown = this.#ownTypesOf(name).find((type) => !types.has(type))
      if (unknown === undefined) continue
      const text = `registers the taxonomy ${name} for the content type ${check.unknownType(unknown, types)}`
      check.warn(this.#taxonomies.registrantOf(name), text)
    }
    for (const [key, { taxonomy, contentType }] of this.#attached) {
      const registrant = this.#attached.registrantOf(key)
      if (!this.#taxonomies.has(taxonomy)) {
        const names = this.#taxonomies.names()
        check.warn(
          registrant,
          `gives the content type ${contentType} the taxonomy ${check.unknownType(taxonomy, names)}`,
        )
      } else if (!types.has(contentType)) {
        check.warn(
          registrant,
          `gives the taxonomy ${taxonomy} to the content type ${check.unknownType(contentType, types)}`,
        )
      }
    }
  }

  /** Names of the content types of a taxonomy. */
  typesOf(name: string): string[] {
    const added = this.#attached.values().filter(({ taxonomy }) => taxonomy === name)
    return [...new Set([...this.#ownTypesOf(name), ...added.map(({ contentType }) => contentType)])]
  }

  #ownTypesOf(name: string): readonly string[] {
    return this.#taxonomies.specOf(name)?.objectTypes ?? []
  }
}

addDeprecatedMembers(Taxonomies.prototype, 'services.taxonomies', { served: 'routeOwners' })

const SPEC: Shapes<TaxonomySpec> = {
  label: 'text',
  labels: 'object',
  description: 'text',
  public: 'flag',
  public_terms: 'flag',
  hierarchical: 'flag',
  publicly_queryable: 'flag',
  show_ui: 'flag',
  show_in_nav_menus: 'flag',
  show_tagcloud: 'flag',
  show_in_quick_edit: 'flag',
  show_admin_column: 'flag',
  show_in_rest: 'flag',
  rest_base: 'text',
  rest_namespace: 'text',
  rest_controller_class: 'anything',
  capabilities: 'object',
  rewrite: ['object', 'flag'],
  query_var: ['text', 'flag'],
  default_term: ['object', 'null'],
  override: 'flag',
}

/** Returns the specification without `override`. @throws TAXONOMY_DEFINITION_INVALID if it has mistakes */
function validateSpec(name: string, types: unknown, input: TaxonomySpec): TaxonomySpec {
  checkRegistration(
    () => taxonomyMistake(types, input),
    (plugin, reason) => errors.TAXONOMY_DEFINITION_INVALID(plugin, name, reason),
  )
  const { override: _, ...spec } = input
  return spec
}

/** Returns the first mistake in a registration, or null. */
function taxonomyMistake(types: unknown, spec: TaxonomySpec): string | null {
  // Authors know the types as the second argument. If they are left out, the specification is in their place.
  if (![types].flat().every((type) => typeof type === 'string')) {
    return 'name the content types that have its terms: register(name, types, { … })'
  }
  const wrong = shapeMistake(spec, SPEC, { name: 'label' })
  return wrong === null ? restBaseMistake(spec.rest_base) : `it ${wrong}`
}

function complete(name: string, spec: TaxonomySpec, { branding, since }: PluginContext): Taxonomy {
  const isPublic = spec.public ?? true
  const hierarchical = spec.hierarchical ?? false
  const queryable = spec.publicly_queryable ?? isPublic
  const ui = spec.show_ui ?? isPublic
  noteAuthor(spec.rest_controller_class)
  const labels = taxonomyLabels(name, { hierarchical, label: spec.label, labels: spec.labels, since })
  const { rewrite } = spec
  return {
    name,
    objectType: name === 'post_tag' ? 'tag' : name,
    label: labels['name'] ?? name,
    labels,
    description: spec.description ?? '',
    public: isPublic,
    public_terms: spec.public_terms ?? isPublic,
    hierarchical,
    publicly_queryable: queryable,
    show_ui: ui,
    show_in_nav_menus: spec.show_in_nav_menus ?? isPublic,
    show_tagcloud: spec.show_tagcloud ?? ui,
    show_in_quick_edit: spec.show_in_quick_edit ?? ui,
    show_admin_column: spec.show_admin_column ?? false,
    show_in_rest: spec.show_in_rest ?? false,
    rest_base: spec.rest_base ?? name,
    rest_namespace: spec.rest_namespace ?? branding.namespace('v2'),
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

/**
 * Whether a user may see the terms of a taxonomy. Terms that are not public are visible only to users who may assign
 * them.
 */
export function seesTerms(capabilities: Pick<Capabilities, 'can'>, user: CurrentUser, taxonomy: Taxonomy): boolean {
  return taxonomy.public_terms || capabilities.can(user, taxonomy.capabilities.assign_terms)
}
