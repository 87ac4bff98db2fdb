import type { Query } from './remote-site.ts'
import { HEAD_FIELD, HEAD_PARTS } from './convert/heads.ts'
import { words, type OldObject } from './values.ts'

/** A content type of the old site. */
export interface OldType {
  readonly slug: string
  readonly name: string
  /** Path of its route: `/{word}/v2/posts`. */
  readonly route: string
}

/** A taxonomy of the old site. */
export interface OldTaxonomy {
  readonly slug: string
  readonly name: string
  readonly route: string
  /** Field of posts with the IDs of terms. */
  readonly field: string
}

/** How a route is read: by position, by page number, or in one response. */
export type Paging = 'offset' | 'page' | 'single'

/** Objects of the old site that one route lists. */
export interface Collection {
  /** Name of its folder in the spool. */
  readonly key: string
  /** Name in the report. */
  readonly kind: string
  readonly holds: 'users' | 'terms' | 'items' | 'media' | 'menu items' | 'menus' | 'comments' | 'fonts'
  /** Slug of the content type or taxonomy on the old site; `''` for users and comments. */
  readonly slug: string
  readonly route: string
  readonly paging: Paging
  readonly query: Query
  /** Number of objects that the old site states; null if it states none. */
  readonly total: number | null
  /** Top-level fields of the first object; empty without objects. */
  readonly sample: OldObject
  /** Whether objects have their raw texts. */
  readonly isRaw: boolean
}

/** Fields that the import derives itself, or that only describe how the old site renders an object. */
const DERIVED_FIELDS: ReadonlySet<string> = new Set([
  '_links',
  '_embedded',
  'class_list',
  'permalink_template',
  'generated_slug',
  'avatar_urls',
  'author_avatar_urls',
  'missing_image_sizes',
  'type_label',
  'invalid',
  'capabilities',
  'extra_capabilities',
  'yoast_head',
])

/** Fields of objects that are converted, by kind of collection. */
const KNOWN_FIELDS: Readonly<Record<Collection['holds'], readonly string[]>> = {
  items: words(`
    id date date_gmt guid modified modified_gmt slug status type link title content excerpt author
    featured_media comment_status ping_status sticky template format meta password parent menu_order acf
    lang translations yoast_head_json`),
  media: words(`
    id date date_gmt guid modified modified_gmt slug status type link title author comment_status
    ping_status template meta alt_text caption description media_type mime_type media_details post
    source_url featured_media acf lang translations`),
  'menu items': words(`
    id title status url attr_title description type object object_id parent menu_order target classes
    xfn meta menus`),
  terms: [
    'id',
    'count',
    'description',
    'link',
    'name',
    'slug',
    'taxonomy',
    'parent',
    'meta',
    'acf',
    'lang',
    'translations',
  ],
  menus: ['id', 'description', 'name', 'slug', 'meta', 'locations', 'auto_add'],
  users: words(`
    id username name first_name last_name email url description link locale nickname slug
    registered_date roles meta acf`),
  comments: words(`
    id post parent author author_name author_email author_url author_ip date date_gmt content link
    status type meta`),
  fonts: ['id', 'theme_json_version', 'font_faces', 'font_family_settings'],
}

/** Fields that are converted but whose value can be computed again, so they are not reported. */
const COMPUTED_FIELDS: ReadonlySet<string> = new Set(
  words('filename filesize exif_orientation image_quality image_output_format image_save_progressive'),
)

/**
 * The parameter `_fields` for a collection: converted fields in their raw form, so that the old site renders nothing.
 * @param termFields fields with IDs of terms
 * @returns `''` without a sample, for all fields
 */
export function fieldsOf(
  { holds, isRaw, sample, slug }: Pick<Collection, 'holds' | 'isRaw' | 'sample' | 'slug'>,
  termFields: ReadonlySet<string>,
): string {
  const names = Object.keys(sample).filter((name) => isConverted(holds, name, termFields) || isSyncStatus(name))
  if (names.length === 0) return ''
  const fields = names.map((name) => {
    const value = sample[name]
    if (name === HEAD_FIELD) return HEAD_PARTS.map((part) => `${name}.${part}`).join(',')
    const hasForms = typeof value === 'object' && value !== null && ('raw' in value || 'rendered' in value)
    if (!hasForms) return name
    if (isRaw && 'raw' in value) return `${name}.raw`
    return 'protected' in value ? `${name}.rendered,${name}.protected` : `${name}.rendered`
  })
  // The number of revisions is only in a link.
  const links = holds === 'items' && slug !== '' ? ['_links.version-history'] : []
  return [...fields, ...links].join(',')
}

/** Fields of a collection that do not come. */
export function unknownFields(
  { holds, sample }: Pick<Collection, 'holds' | 'sample'>,
  termFields: ReadonlySet<string>,
): string[] {
  return Object.keys(sample).filter(
    (name) =>
      !DERIVED_FIELDS.has(name) &&
      !COMPUTED_FIELDS.has(name) &&
      !isSyncStatus(name) &&
      !isConverted(holds, name, termFields),
  )
}

function isConverted(holds: Collection['holds'], name: string, termFields: ReadonlySet<string>): boolean {
  return KNOWN_FIELDS[holds].includes(name) || (/^(?:items|media)$/.test(holds) && termFields.has(name))
}

/** Whether a field is the sync status of a pattern, whose name contains the word of the old site. */
export function isSyncStatus(name: string): boolean {
  return name.endsWith('_pattern_sync_status')
}
