import type { PluginContext, Store } from '../../public.ts'
import { KNOWN_PLUGINS } from '../known-data.ts'
import type { Values } from './definitions.ts'

/** A definition derived from imported content, for the owner to confirm. */
export interface DraftDefinition {
  readonly kind: 'type' | 'taxonomy'
  readonly name: string
  /** Number of posts or terms. */
  readonly count: number
  /** The definition in the form of Custom Post Type UI. */
  readonly values: Values
}

/** Types that content management systems use internally; posts of them are not content. */
const INTERNAL_TYPES: ReadonlySet<string> = new Set([
  'revision',
  'custom_css',
  'customize_changeset',
  'oembed_cache',
  'user_request',
])
const INTERNAL_TAXONOMIES: ReadonlySet<string> = new Set(['link_category', 'post_format', 'nav_menu'])

/** Derives definitions of the content types and taxonomies that have rows but no definition. */
export async function draftDefinitions(plugin: PluginContext): Promise<DraftDefinition[]> {
  const { branding, services } = plugin
  const { contentTypes, store, taxonomies } = services
  const isDefinable = (name: string, known: ReadonlySet<string>) =>
    !known.has(name) && branding.ownTypeName(name) === name && !isOfOtherPlugin(name)
  const types = await typesInUse(store)
  const ofTypes = types
    .filter(({ type }) => contentTypes.get(type) === undefined && isDefinable(type, INTERNAL_TYPES))
    .map(draftOfType)
  const uses = await taxonomiesInUse(store)
  const unknown = uses.filter(
    ({ taxonomy }) => taxonomies.get(taxonomy) === undefined && isDefinable(taxonomy, INTERNAL_TAXONOMIES),
  )
  const byTaxonomy = Map.groupBy(await typesOfTaxonomies(store, unknown), ({ taxonomy }) => taxonomy)
  const ofTaxonomies = unknown.map((use) => draftOfTaxonomy(use, byTaxonomy.get(use.taxonomy) ?? []))
  return [...ofTypes, ...ofTaxonomies].filter(({ name }) => /^[a-z0-9_-]{1,32}$/.test(name))
}

function isOfOtherPlugin(name: string): boolean {
  return KNOWN_PLUGINS.some(({ contentTypes = [], taxonomies = [] }) =>
    [...contentTypes, ...taxonomies].some((pattern) =>
      pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
    ),
  )
}

interface TypeInUse {
  readonly type: string
  readonly count: number
  readonly contents: number
  readonly excerpts: number
  readonly comments: number
  readonly published: number
  readonly children: number
  readonly images: number
}

function typesInUse(store: Store): Promise<TypeInUse[]> {
  return store.all(
    store.db
      .selectFrom('posts')
      .groupBy('type')
      .orderBy('type')
      .select((of) => {
        const { fn } = of
        const above = of.selectFrom('posts as above').select('above.id').whereRef('above.id', '=', 'posts.parent_id')
        const image = of.selectFrom('post_meta').select('post_meta.id').whereRef('post_meta.post_id', '=', 'posts.id')
        const isChild = of.exists(above.whereRef('above.type', '=', 'posts.type'))
        const hasImage = of.exists(image.where('post_meta.key', '=', '_thumbnail_id'))
        return [
          'type',
          fn.countAll<number>().as('count'),
          fn.count<number>('id').filterWhere('content', '<>', '').as('contents'),
          fn.count<number>('id').filterWhere('excerpt', '<>', '').as('excerpts'),
          fn.count<number>('id').filterWhere('comment_status', '=', 'open').as('comments'),
          fn.count<number>('id').filterWhere('status', '=', 'publish').as('published'),
          fn.count<number>('id').filterWhere(isChild).as('children'),
          fn.count<number>('id').filterWhere(hasImage).as('images'),
        ]
      }),
  )
}

interface TaxonomyInUse {
  readonly taxonomy: string
  readonly count: number
  readonly children: number
}

function taxonomiesInUse(store: Store): Promise<TaxonomyInUse[]> {
  return store.all(
    store.db
      .selectFrom('terms')
      .groupBy('taxonomy')
      .orderBy('taxonomy')
      .select(({ fn }) => [
        'taxonomy',
        fn.countAll<number>().as('count'),
        fn.count<number>('id').filterWhere('parent_id', '>', 0).as('children'),
      ]),
  )
}

interface TypeOfTaxonomy {
  readonly taxonomy: string
  readonly type: string
}

async function typesOfTaxonomies(store: Store, of: readonly TaxonomyInUse[]): Promise<TypeOfTaxonomy[]> {
  if (of.length === 0) return []
  return await store.all(
    store.db
      .selectFrom('term_relationships')
      .innerJoin('terms', 'terms.id', 'term_relationships.term_id')
      .innerJoin('posts', 'posts.id', 'term_relationships.post_id')
      .select(['terms.taxonomy', 'posts.type'])
      .distinct()
      .where(
        'terms.taxonomy',
        'in',
        of.map(({ taxonomy }) => taxonomy),
      )
      .orderBy('posts.type'),
  )
}

function draftOfType({ type: name, ...use }: TypeInUse): DraftDefinition {
  const label = labelOf(name)
  const has = (number: number) => Number(number) > 0
  const supports = [
    'title',
    ...(has(use.contents) ? ['editor'] : []),
    ...(has(use.excerpts) ? ['excerpt'] : []),
    ...(has(use.images) ? ['thumbnail'] : []),
    ...(has(use.comments) ? ['comments'] : []),
    ...(has(use.children) ? ['page-attributes'] : []),
    'author',
    'revisions',
    'custom-fields',
  ]
  const isPublic = has(use.published)
  const values = {
    name,
    label,
    singular_label: label,
    public: String(isPublic),
    publicly_queryable: String(isPublic),
    show_ui: 'true',
    show_in_nav_menus: String(isPublic),
    show_in_rest: 'true',
    has_archive: 'false',
    hierarchical: String(has(use.children)),
    rewrite: 'true',
    rewrite_slug: name,
    rewrite_withfront: 'true',
    query_var: 'true',
    supports,
  }
  return { kind: 'type', name, count: Number(use.count), values }
}

function draftOfTaxonomy(
  { taxonomy: name, count, children }: TaxonomyInUse,
  types: readonly TypeOfTaxonomy[],
): DraftDefinition {
  const label = labelOf(name)
  const values = {
    name,
    label,
    singular_label: label,
    public: 'true',
    show_ui: 'true',
    show_in_rest: 'true',
    show_admin_column: 'true',
    show_in_quick_edit: 'true',
    hierarchical: String(Number(children) > 0),
    rewrite: 'true',
    rewrite_slug: name,
    rewrite_withfront: 'true',
    query_var: 'true',
    object_types: types.map(({ type }) => type),
  }
  return { kind: 'taxonomy', name, count: Number(count), values }
}

/** Returns a label for a name: `case_study` becomes `Case study`. */
function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ').replaceAll('-', ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
