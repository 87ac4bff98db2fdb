import { applySyncFilter, type CurrentUser, type PluginContext } from '../../../../kernel/index.ts'
import { addDeprecatedMembers } from '../../../library/deprecated-names/index.ts'
import { noteAuthor, type ControllerClass } from '../../../resources/index.ts'
import { checkRegistration, shapeMistake, type Shapes } from '../../../library/advice/index.ts'
import type { Taxonomies } from '../../taxonomies/index.ts'
import { postCapabilities } from '../../../people/roles/index.ts'
import { errors } from '../errors.ts'
import { Definitions } from '../../definitions.ts'
import { typeLabels } from '../../labels.ts'
import { restBaseMistake, type RoutesOwner } from '../../rest-bases.ts'

/** Maps the generic capabilities of content types to the names for one type. */
export interface TypeCapabilities extends ReturnType<typeof postCapabilities> {
  [own: string]: string
}

/** Specification of a content type; all properties are optional. */
export interface ContentTypeSpec {
  /** Plural name. */
  label?: string
  /** Labels in an admin, such as `name`, `singular_name`, `add_new_item`. */
  labels?: Readonly<Record<string, string | null>>
  description?: string
  /** Whether it is for readers of the site; default of most of the following properties. */
  public?: boolean
  /** Whether items can have a parent of the same type. */
  hierarchical?: boolean
  /** Features that its items support; `false` for none. `title` and `editor` by default. */
  supports?: readonly string[] | Readonly<Record<string, unknown>> | false
  /** Whether there is an archive page, or its slug. */
  has_archive?: boolean | string
  exclude_from_search?: boolean
  /** Whether its items have their own pages. */
  publicly_queryable?: boolean
  show_ui?: boolean
  show_in_nav_menus?: boolean
  /** Whether the REST API serves it. */
  show_in_rest?: boolean
  /** Last part of its REST route; its name by default. */
  rest_base?: string
  rest_namespace?: string
  /**
   * Controller of its routes: the posts controller by default; `false`, or a class that is not a controller, for no
   * routes.
   */
  rest_controller_class?: ControllerClass | false
  /** Taxonomies of its items. */
  taxonomies?: readonly string[]
  /** Base of its capability names: `book`, or singular and plural; `post` by default. */
  capability_type?: string | readonly [singular: string, plural: string]
  /** Overrides single capability names. */
  capabilities?: Readonly<Record<string, string>>
  /**
   * Whether capabilities on an item depend on its author and status; true by default if `capability_type` is `post` or
   * `page` and `capabilities` is not set.
   */
  map_meta_cap?: boolean
  /** URL prefix of its items; `false` for no URLs. By default its name if it is publicly queryable. */
  rewrite?: false | { slug: string; with_front?: boolean }
  /** Query variable that names an item; `false` for none. */
  query_var?: string | boolean
  /** Name of an icon. */
  icon?: string | null
  /** Initial blocks of a new item. */
  template?: readonly unknown[]
  template_lock?: 'all' | 'insert' | 'contentOnly' | false
  /** Whether items are deleted with their author; null means if it supports `author`. */
  delete_with_user?: boolean | null
  /**
   * Whether slugs are unique among its items; false if their plugin distinguishes them by more than the slug. True by
   * default.
   */
  unique_slugs?: boolean
  /** Whether it may replace a type of another plugin with this name; otherwise the log warns. */
  override?: boolean
}

/** A content type with all defaults. */
export interface ContentType
  extends Readonly<Required<Omit<ContentTypeSpec, keyof Completed | 'taxonomies' | 'override'>>>, Completed {}

/** Properties of a content type that are derived from its specification or added to it. */
export interface Completed {
  readonly name: string
  /** Maps each feature to true or to its options. */
  readonly supports: Readonly<Record<string, unknown>>
  /** Undefined for the posts controller. */
  readonly rest_controller_class: ControllerClass | false | undefined
  readonly capability_type: readonly [singular: string, plural: string]
  readonly capabilities: Readonly<TypeCapabilities>
  readonly rewrite: false | { readonly slug: string; readonly with_front: boolean }
  readonly query_var: string | false
  /** Whether its items have their own pages. */
  readonly viewable: boolean
}

/**
 * The content types of the site. When a plugin is removed, its types and its changes to other types are removed too.
 */
export class ContentTypes {
  /** @deprecated Use `routeOwners`. */
  declare readonly served: ContentTypes['routeOwners']
  readonly #plugin: PluginContext
  readonly #taxonomies: Pick<Taxonomies, 'attach'> | null
  readonly #types: Definitions<ContentTypeSpec, ContentType>

  /**
   * @param taxonomies registry in which types are attached to the taxonomies they name; null if the site has no
   * taxonomies
   */
  constructor(plugin: PluginContext, taxonomies: Pick<Taxonomies, 'attach'> | null) {
    this.#plugin = plugin
    this.#taxonomies = taxonomies
    this.#types = new Definitions('content type', (name, spec) => complete(name, this.#filtered(name, spec), plugin))
  }

  /**
   * Registers a type, or replaces the one with the same name.
   * @param name lower-case letters, digits, `_` and `-`, at most 20 characters
   * @throws CONTENT_TYPE_INVALID, CONTENT_TYPE_DEFINITION_INVALID
   */
  register(name: string, input: ContentTypeSpec = {}): ContentType {
    if (!/^[a-z0-9_-]{1,20}$/.test(name)) throw errors.CONTENT_TYPE_INVALID(name)
    const spec = validateSpec(name, input)
    const type = this.#types.register(name, spec, input.override ?? false)
    this.#attach(name, this.#filtered(name, spec))
    return type
  }

  /**
   * Changes part of the specification of a type, such as its controller.
   * @throws CONTENT_TYPE_UNKNOWN, CONTENT_TYPE_DEFINITION_INVALID
   */
  change(name: string, changes: ContentTypeSpec): ContentType {
    if (!this.#types.has(name)) throw errors.CONTENT_TYPE_UNKNOWN(name)
    const spec = validateSpec(name, changes)
    this.#attach(name, spec)
    return this.#types.change(name, spec)
  }

  #filtered(name: string, spec: ContentTypeSpec): ContentTypeSpec {
    return applySyncFilter(this.#plugin.hooks.register_post_type_args, spec, name)
  }

  #attach(name: string, { taxonomies = [] }: ContentTypeSpec): void {
    for (const taxonomy of taxonomies) this.#taxonomies?.attach(taxonomy, name)
  }

  /** Returns the type with this name, or undefined. */
  get(name: string): ContentType | undefined {
    return this.#types.get(name)
  }

  /** All types, in order of registration. */
  all(): ContentType[] {
    return this.#types.all()
  }

  /** The types that the REST API serves, in order of registration. */
  exposed(): ContentType[] {
    return this.all().filter((type) => type.show_in_rest)
  }

  /** Whether a user may edit items of any type that the REST API serves. */
  isWriter(user: CurrentUser): boolean {
    const { capabilities } = this.#plugin.services
    return this.exposed().some((type) => capabilities.can(user, type.capabilities.edit_posts))
  }

  /** The types with routes, each with the plugin that registered it. */
  routeOwners(): RoutesOwner[] {
    return this.exposed().map((type) => ({
      ...type,
      kind: 'content type',
      registrant: this.#types.registrantOf(type.name),
    }))
  }

  /** The REST API route of the items of a type, such as `/svc/v2/pages`. */
  itemsRoute({ name, rest_namespace: namespace, rest_base: base }: ContentType): string {
    return applySyncFilter(this.#plugin.hooks.rest_route_for_post_type_items, `/${namespace}/${base}`, name)
  }

  /** The REST API route of a post, such as `/svc/v2/pages/12`; `''` if the REST API does not serve its type. */
  itemRoute(post: { readonly id: number; readonly type: string }): string {
    const type = this.get(post.type)
    const route = type?.show_in_rest === true ? `${this.itemsRoute(type)}/${post.id}` : ''
    return applySyncFilter(this.#plugin.hooks.rest_route_for_post, route, post)
  }

  /** Whether items of a type support a feature, such as `comments`. */
  supports(name: string, feature: string): boolean {
    return Object.hasOwn(this.get(name)?.supports ?? {}, feature)
  }
}

addDeprecatedMembers(ContentTypes.prototype, 'services.contentTypes', { served: 'routeOwners' })

const SPEC: Shapes<ContentTypeSpec> = {
  label: 'text',
  labels: 'object',
  description: 'text',
  public: 'flag',
  hierarchical: 'flag',
  supports: ['texts', 'object', 'flag'],
  has_archive: ['flag', 'text'],
  exclude_from_search: 'flag',
  publicly_queryable: 'flag',
  show_ui: 'flag',
  show_in_nav_menus: 'flag',
  show_in_rest: 'flag',
  rest_base: 'text',
  rest_namespace: 'text',
  rest_controller_class: 'anything',
  taxonomies: 'texts',
  capability_type: ['text', 'texts'],
  capabilities: 'object',
  map_meta_cap: 'flag',
  rewrite: ['object', 'flag'],
  query_var: ['text', 'flag'],
  icon: ['text', 'null'],
  template: 'list',
  template_lock: ['text', 'flag'],
  delete_with_user: ['flag', 'null'],
  unique_slugs: 'flag',
  override: 'flag',
}

/** Property names in other systems, for suggestions in error messages. */
const SYNONYMS = {
  menu_icon: 'icon',
  name: 'label',
  rest_controller: 'rest_controller_class',
  slug: 'rewrite: { slug: … }',
}

/** Returns the specification without `override`. @throws CONTENT_TYPE_DEFINITION_INVALID if it has mistakes */
function validateSpec(name: string, input: ContentTypeSpec): ContentTypeSpec {
  checkRegistration(
    () => contentTypeMistake(input),
    (plugin, reason) => errors.CONTENT_TYPE_DEFINITION_INVALID(plugin, name, reason),
  )
  const { override: _, ...spec } = input
  return spec
}

/** Returns the first mistake in a specification, or null. */
function contentTypeMistake(spec: ContentTypeSpec): string | null {
  const wrong = shapeMistake(spec, SPEC, SYNONYMS)
  if (wrong !== null) return `it ${wrong}`
  const { rest_base: base, capability_type: type } = spec
  if (typeof type === 'object' && type.length !== 2)
    return `it has capability_type: ${JSON.stringify(type)}: name the singular and the plural`
  return restBaseMistake(base)
}

function complete(name: string, spec: ContentTypeSpec, { branding, since }: PluginContext): ContentType {
  const isPublic = spec.public ?? false
  const hierarchical = spec.hierarchical ?? false
  const queryable = spec.publicly_queryable ?? isPublic
  const capabilityBase = spec.capability_type ?? 'post'
  const capabilityType =
    typeof capabilityBase === 'string' ? ([capabilityBase, `${capabilityBase}s`] as const) : capabilityBase
  const map = spec.map_meta_cap ?? (spec.capabilities === undefined && ['post', 'page'].includes(capabilityType[0]))
  noteAuthor(spec.rest_controller_class)
  const labels = typeLabels(name, { hierarchical, label: spec.label, labels: spec.labels, since })
  return {
    name,
    label: labels['name'] ?? name,
    labels,
    description: spec.description ?? '',
    public: isPublic,
    hierarchical,
    supports: features(spec.supports ?? ['title', 'editor'], since('6.6')),
    has_archive: spec.has_archive ?? false,
    exclude_from_search: spec.exclude_from_search ?? !isPublic,
    publicly_queryable: queryable,
    show_ui: spec.show_ui ?? isPublic,
    show_in_nav_menus: spec.show_in_nav_menus ?? isPublic,
    show_in_rest: spec.show_in_rest ?? false,
    rest_base: spec.rest_base ?? name,
    rest_namespace: spec.rest_namespace ?? branding.namespace('v2'),
    rest_controller_class: spec.rest_controller_class,
    capability_type: capabilityType,
    capabilities: typeCapabilities(capabilityType, spec.capabilities),
    map_meta_cap: map,
    rewrite: completeRewrite(name, queryable, spec.rewrite),
    query_var: spec.query_var === true || spec.query_var === undefined ? (queryable ? name : false) : spec.query_var,
    icon: spec.icon ?? null,
    template: spec.template ?? [],
    unique_slugs: spec.unique_slugs ?? true,
    template_lock: spec.template_lock ?? false,
    delete_with_user: spec.delete_with_user ?? null,
    viewable: queryable,
  }
}

function completeRewrite(
  name: string,
  queryable: boolean,
  rewrite: ContentTypeSpec['rewrite'],
): ContentType['rewrite'] {
  if (rewrite === false || (rewrite === undefined && !queryable)) return false
  return { slug: rewrite?.slug ?? name, with_front: rewrite?.with_front ?? true }
}

/** @param saves whether types with an editor support autosave by default */
function features(supports: NonNullable<ContentTypeSpec['supports']>, saves: boolean): Record<string, unknown> {
  if (supports === false) return {}
  const named = isList(supports) ? Object.fromEntries(supports.map((feature) => [feature, true])) : { ...supports }
  if (!saves || !Object.hasOwn(named, 'editor')) return named
  const { autosave = true, ...others } = named as Record<string, unknown>
  return autosave === false ? others : { ...others, autosave }
}

const isList = (value: object): value is readonly string[] => Array.isArray(value)

function typeCapabilities(
  [one, many]: readonly [string, string],
  named: Readonly<Record<string, string>> = {},
): TypeCapabilities {
  const own: TypeCapabilities = { ...postCapabilities(one, many), ...named }
  // Users who may edit items may also create them, under any name of `edit_posts`.
  if (named['create_posts'] === undefined) own.create_posts = own.edit_posts
  return own
}
