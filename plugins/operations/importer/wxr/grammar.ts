/**
 * The elements of a WXR file that the reader knows, with the elements that can contain them. The parser uses it to
 * repair files: an element that its parent cannot contain ends the parent, and one whose parent lacks a start tag opens
 * it.
 */

const META = ['wp:postmeta', 'wp:commentmeta', 'wp:termmeta'] as const
const TERMS = ['wp:category', 'wp:tag', 'wp:term'] as const

/** Elements that contain elements, with the elements that can contain them. */
const CONTAINERS: Readonly<Record<string, readonly string[]>> = {
  rss: [],
  channel: ['rss'],
  image: ['channel'],
  item: ['channel'],
  'wp:author': ['channel'],
  'wp:category': ['channel'],
  'wp:tag': ['channel'],
  'wp:term': ['channel'],
  'wp:comment': ['item'],
  'wp:postmeta': ['item'],
  'wp:commentmeta': ['wp:comment'],
  'wp:termmeta': TERMS,
}

const authorFields = ['id', 'login', 'email', 'display_name', 'first_name', 'last_name']
const itemFields = [
  'wp:post_id',
  'wp:post_date',
  'wp:post_date_gmt',
  'wp:post_date_utc',
  'wp:post_modified',
  'wp:post_modified_gmt',
  'wp:post_modified_utc',
  'wp:comment_status',
  'wp:ping_status',
  'wp:post_name',
  'wp:status',
  'wp:post_parent',
  'wp:menu_order',
  'wp:post_type',
  'wp:post_password',
  'wp:is_sticky',
  'wp:attachment_url',
]
const commentFields = [
  'id',
  'author',
  'author_email',
  'author_url',
  'author_IP',
  'date',
  'date_gmt',
  'content',
  'approved',
  'type',
  'parent',
  'user_id',
]

/** Elements that contain text, with the elements that can contain them. */
const LEAVES: Readonly<Record<string, readonly string[]>> = {
  title: ['channel', 'item', 'image'],
  link: ['channel', 'item', 'image'],
  description: ['channel', 'item', 'image'],
  url: ['image'],
  width: ['image'],
  height: ['image'],
  pubDate: ['channel', 'item'],
  language: ['channel'],
  lastBuildDate: ['channel'],
  generator: ['channel'],
  copyright: ['channel'],
  docs: ['channel'],
  ttl: ['channel'],
  cloud: ['channel'],
  'wp:wxr_version': ['channel'],
  'wp:base_site_url': ['channel'],
  'wp:base_blog_url': ['channel'],
  guid: ['item'],
  category: ['item', 'channel'],
  comments: ['item'],
  'dc:creator': ['item'],
  'content:encoded': ['item'],
  'excerpt:encoded': ['item'],
  'wfw:commentRss': ['item'],
  'slash:comments': ['item'],
  ...Object.fromEntries(authorFields.map((field) => [`wp:author_${field}`, ['wp:author']])),
  ...Object.fromEntries(itemFields.map((field) => [field, ['item']])),
  ...Object.fromEntries(commentFields.map((field) => [`wp:comment_${field}`, ['wp:comment']])),
  'wp:meta_key': META,
  'wp:meta_value': META,
  'wp:term_id': ['wp:term', 'wp:category', 'wp:tag'],
  'wp:term_taxonomy': ['wp:term'],
  'wp:term_slug': ['wp:term'],
  'wp:term_parent': ['wp:term'],
  'wp:term_name': ['wp:term'],
  'wp:term_description': ['wp:term'],
  'wp:category_nicename': ['wp:category'],
  'wp:category_parent': ['wp:category'],
  'wp:cat_name': ['wp:category'],
  'wp:category_description': ['wp:category'],
  'wp:tag_slug': ['wp:tag'],
  'wp:tag_name': ['wp:tag'],
  'wp:tag_description': ['wp:tag'],
}

interface Known {
  readonly parents: ReadonlySet<string>
  readonly isLeaf: boolean
}

const KNOWN: ReadonlyMap<string, Known> = new Map<string, Known>([
  ...Object.entries(CONTAINERS).map(([name, parents]) => [name, { parents: new Set(parents), isLeaf: false }] as const),
  ...Object.entries(LEAVES).map(([name, parents]) => [name, { parents: new Set(parents), isLeaf: true }] as const),
])

/** Elements whose text can contain HTML, so that an unprefixed tag in it is text. */
const MARKUP: ReadonlySet<string> = new Set([
  'content:encoded',
  'excerpt:encoded',
  'description',
  'wp:comment_content',
  'wp:meta_value',
  'wp:term_description',
  'wp:category_description',
  'wp:tag_description',
])

/** Elements that a record can contain several times. */
const REPEATABLE: ReadonlySet<string> = new Set([
  'category',
  'wp:postmeta',
  'wp:commentmeta',
  'wp:termmeta',
  'wp:comment',
])

export function isKnown(name: string): boolean {
  return KNOWN.has(name)
}

/** Whether an element contains text only. */
export function isLeaf(name: string): boolean {
  return KNOWN.get(name)?.isLeaf === true
}

export function canContainMarkup(name: string): boolean {
  return MARKUP.has(name)
}

export function isRepeatable(name: string): boolean {
  return REPEATABLE.has(name) || !KNOWN.has(name)
}

/** Whether one known element can contain another. */
export function canContain(parent: string, child: string): boolean {
  return KNOWN.get(child)?.parents.has(parent) === true
}

/**
 * The element that is missing between two elements: `wp:postmeta` between `item` and `wp:meta_key`; undefined if no
 * single element fits.
 */
export function missingBetween(ancestor: string, child: string): string | undefined {
  const parents = KNOWN.get(child)?.parents ?? []
  for (const parent of parents) if (canContain(ancestor, parent)) return parent
  return undefined
}

/** Whether a tag with this name is part of the format wherever it occurs, because no HTML has such elements. */
export function isUnmistakable(name: string): boolean {
  return KNOWN.has(name) && (name.includes(':') || name === 'item' || name === 'channel' || name === 'rss')
}
