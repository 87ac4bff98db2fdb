import type { ControllerClass } from '../content-types/types/content-type.ts'

/** The capabilities of a taxonomy: the name of each for it. */
export interface TaxonomyCapabilities {
  manage_terms: string
  edit_terms: string
  delete_terms: string
  assign_terms: string
}

/** What a taxonomy is registered with; all of it is optional. */
export interface TaxonomySpec {
  /** Its name, in the plural. */
  label?: string
  /** Labels in an admin, such as `name`, `singular_name`, `add_new_item`. */
  labels?: Readonly<Record<string, string | null>>
  description?: string
  /** Whether it is for readers of the site; the default of most of the following. True by default. */
  public?: boolean
  /** Whether terms can have a parent. */
  hierarchical?: boolean
  /** Whether its terms have pages of their own. */
  publicly_queryable?: boolean
  show_ui?: boolean
  show_in_nav_menus?: boolean
  show_tagcloud?: boolean
  show_in_quick_edit?: boolean
  show_admin_column?: boolean
  /** Whether the REST API serves it. */
  show_in_rest?: boolean
  /** The last part of its route in the REST API; its name by default. */
  rest_base?: string
  rest_namespace?: string
  /** The controller of its routes: the terms controller by default; `false`, or what is not a controller, for no routes. */
  rest_controller_class?: ControllerClass | false
  capabilities?: Partial<TaxonomyCapabilities>
  /** How the URLs of its terms begin; `false` for none. */
  rewrite?: false | { slug: string; with_front?: boolean; hierarchical?: boolean }
  /** The query variable that names a term; `false` for none. */
  query_var?: string | boolean
  /** The term that posts without one get. */
  default_term?: { name: string; slug?: string; description?: string } | null
}

/** A taxonomy, with all defaults. */
export interface Taxonomy {
  readonly name: string
  /**
   * What hooks, meta and registered fields call its terms: `tag` for the taxonomy `post_tag`, otherwise its name.
   */
  readonly objectType: string
  readonly label: string
  readonly labels: Readonly<Record<string, string | null>>
  readonly description: string
  readonly public: boolean
  readonly hierarchical: boolean
  readonly publicly_queryable: boolean
  readonly show_ui: boolean
  readonly show_in_nav_menus: boolean
  readonly show_tagcloud: boolean
  readonly show_in_quick_edit: boolean
  readonly show_admin_column: boolean
  readonly show_in_rest: boolean
  readonly rest_base: string
  readonly rest_namespace: string
  /** undefined: the terms controller. */
  readonly rest_controller_class: ControllerClass | false | undefined
  readonly capabilities: Readonly<TaxonomyCapabilities>
  readonly rewrite: false | { readonly slug: string; readonly with_front: boolean; readonly hierarchical: boolean }
  readonly query_var: string | false
  readonly default_term: { readonly name: string; readonly slug?: string; readonly description?: string } | null
}

/** The taxonomies of the site. The taxonomies of a plugin, and its changes to others, are removed with it. */
export interface Taxonomies {
  /**
   * Registers a taxonomy, or replaces the one with the same name.
   * @param name lower-case letters, digits, `_` and `-`, at most 32
   * @param objectTypes the content types whose items have its terms
   * @throws TAXONOMY_INVALID
   */
  register(name: string, objectTypes: string | readonly string[], spec?: TaxonomySpec): Taxonomy
  /**
   * Changes some of what a taxonomy was registered with, such as its controller.
   * @throws TAXONOMY_UNKNOWN
   */
  change(name: string, changes: TaxonomySpec): Taxonomy
  /** Gives a taxonomy to a content type. Either may be registered later. */
  attach(taxonomy: string, contentType: string): void
  get(name: string): Taxonomy | undefined
  /** In order of registration. */
  all(): Taxonomy[]
  /** Those that the REST API serves, in order of registration. */
  exposed(): Taxonomy[]
  /** The taxonomies of a content type, in order of registration. */
  ofType(contentType: string): Taxonomy[]
  /** Names of the content types of a taxonomy. */
  typesOf(taxonomy: string): string[]
}
