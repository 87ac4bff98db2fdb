/**
 * The data by which an import recognizes a WordPress plugin. A name that ends with `*` is a prefix of names; all names
 * are those of the export.
 */
export interface KnownPlugin {
  /** Name of the WordPress plugin. */
  readonly name: string
  /** Optional plugins that serve its data; empty if no plugin does. */
  readonly servedBy: readonly string[]
  readonly contentTypes?: readonly string[]
  readonly taxonomies?: readonly string[]
  readonly metaKeys?: readonly string[]
  /** Beginnings of meta values, for plugins whose keys users choose. */
  readonly metaValues?: readonly string[]
  readonly options?: readonly string[]
  readonly shortcodes?: readonly string[]
  /** Prefixes of the names of blocks, without the slash. */
  readonly blocks?: readonly string[]
}

/** The WordPress plugins whose data an import recognizes. */
export const KNOWN_PLUGINS: readonly KnownPlugin[] = [
  {
    name: 'Advanced Custom Fields',
    servedBy: ['custom-fields'],
    contentTypes: ['acf-field-group', 'acf-field'],
    metaValues: ['field_*'],
    options: ['acf_version'],
    blocks: ['acf'],
  },
  {
    name: 'Advanced Custom Fields (types and taxonomies)',
    servedBy: ['custom-types'],
    contentTypes: ['acf-post-type', 'acf-taxonomy'],
  },
  { name: 'Custom Post Type UI', servedBy: ['custom-types'], options: ['cptui_post_types', 'cptui_taxonomies'] },
  {
    name: 'Polylang',
    servedBy: ['languages'],
    taxonomies: ['language', 'post_translations', 'term_language', 'term_translations'],
    metaKeys: ['_pll_*'],
    options: ['polylang'],
    blocks: ['polylang'],
  },
]
