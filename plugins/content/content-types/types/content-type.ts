import type { Controller, PluginContext } from '../../../../kernel/index.ts'

/** The capabilities of a content type: the name of each for this type. */
export interface TypeCapabilities {
  edit_post: string
  read_post: string
  delete_post: string
  edit_posts: string
  edit_others_posts: string
  delete_posts: string
  publish_posts: string
  read_private_posts: string
  create_posts: string
  read: string
  delete_private_posts: string
  delete_published_posts: string
  delete_others_posts: string
  edit_private_posts: string
  edit_published_posts: string
  [own: string]: string
}

/** The controller class of a content type or a taxonomy: constructed once for each, with its name. */
// oxlint-disable-next-line typescript/no-explicit-any -- a controller of whatever items
export type ControllerClass = new (plugin: PluginContext, name: string) => Controller<any>

/** What a content type is registered with; all of it is optional. */
export interface ContentTypeSpec {
  /** Its name, in the plural. */
  label?: string
  /** Labels in an admin, such as `name`, `singular_name`, `add_new_item`. */
  labels?: Readonly<Record<string, string | null>>
  description?: string
  /** Whether it is for readers of the site; the default of most of the following. */
  public?: boolean
  /** Whether items can have a parent of the same type. */
  hierarchical?: boolean
  /** Features that its items support; `false` for none. `title` and `editor` by default. */
  supports?: readonly string[] | Readonly<Record<string, unknown>> | false
  /** Whether there is an archive page, or its slug. */
  has_archive?: boolean | string
  exclude_from_search?: boolean
  /** Whether its items have pages of their own. */
  publicly_queryable?: boolean
  show_ui?: boolean
  show_in_nav_menus?: boolean
  /** Whether the REST API serves it. */
  show_in_rest?: boolean
  /** The last part of its route in the REST API; its name by default. */
  rest_base?: string
  rest_namespace?: string
  /** The controller of its routes: the posts controller by default; `false`, or what is not a controller, for no routes. */
  rest_controller_class?: ControllerClass | false
  /** Taxonomies of its items. */
  taxonomies?: readonly string[]
  /** What its capabilities are named for: `book`, or singular and plural; `post` by default. */
  capability_type?: string | readonly [singular: string, plural: string]
  /** Names for single capabilities. */
  capabilities?: Readonly<Record<string, string>>
  /** Whether capabilities on one item depend on its author and status; by default when `capability_type` is `post` or `page` and `capabilities` is not given. */
  map_meta_cap?: boolean
  /** How the URLs of its items begin; `false` for none, by default its name when it is publicly queryable. */
  rewrite?: false | { slug: string; with_front?: boolean }
  /** The query variable that names an item; `false` for none. */
  query_var?: string | boolean
  /** Name of an icon. */
  icon?: string | null
  /** Blocks of a new item. */
  template?: readonly unknown[]
  template_lock?: 'all' | 'insert' | false
  /** Whether items are deleted with their author; null decides by the support of `author`. */
  delete_with_user?: boolean | null
}

/** A content type, with all defaults. */
export interface ContentType {
  readonly name: string
  readonly label: string
  readonly labels: Readonly<Record<string, string | null>>
  readonly description: string
  readonly public: boolean
  readonly hierarchical: boolean
  /** Feature → true, or the arguments it was given. */
  readonly supports: Readonly<Record<string, unknown>>
  readonly has_archive: boolean | string
  readonly exclude_from_search: boolean
  readonly publicly_queryable: boolean
  readonly show_ui: boolean
  readonly show_in_nav_menus: boolean
  readonly show_in_rest: boolean
  readonly rest_base: string
  readonly rest_namespace: string
  /** undefined: the posts controller. */
  readonly rest_controller_class: ControllerClass | false | undefined
  readonly capability_type: readonly [singular: string, plural: string]
  readonly capabilities: Readonly<TypeCapabilities>
  readonly map_meta_cap: boolean
  readonly rewrite: false | { readonly slug: string; readonly with_front: boolean }
  readonly query_var: string | false
  readonly icon: string | null
  readonly template: readonly unknown[]
  readonly template_lock: 'all' | 'insert' | false
  readonly delete_with_user: boolean | null
  /** Whether its items have pages of their own. */
  readonly viewable: boolean
}

/** The content types of the site. The types of a plugin, and its changes to other types, are removed with it. */
export interface ContentTypes {
  /**
   * Registers a type, or replaces the one with the same name.
   * @param name lower-case letters, digits, `_` and `-`, at most 20
   * @throws CONTENT_TYPE_INVALID
   */
  register(name: string, spec?: ContentTypeSpec): ContentType
  /**
   * Changes some of what a type was registered with, such as its controller.
   * @throws CONTENT_TYPE_UNKNOWN
   */
  change(name: string, changes: ContentTypeSpec): ContentType
  get(name: string): ContentType | undefined
  /** In order of registration. */
  all(): ContentType[]
  /** Those that the REST API serves, in order of registration. */
  exposed(): ContentType[]
  /** Whether items of a type have a feature, such as `comments`. */
  supports(name: string, feature: string): boolean
}
