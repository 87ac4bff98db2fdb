import { FILE_KEY } from '../../../content/meta-keys.ts'
import { MENU_ITEM_KEYS } from '../../../content/menu-items.ts'
import type { Row } from '../../../storage/store/index.ts'
import type { CommentWithMeta, ItemTerm, MetaRow } from '../batches.ts'
import { exportedSlug, metaElements, rfc822 } from './head.ts'
import type { FormatNames } from './names.ts'
import { element, escapeXml, plainElement, cdata } from './xml.ts'

/** Missing dates in files. */
const NO_DATE = '0000-00-00 00:00:00'

/** The data in the element of an item, in addition to its row. */
export interface ItemParts {
  readonly link: string
  /** Login of the author. */
  readonly author: string
  /** Whether the parent exists. */
  readonly hasParent: boolean
  readonly isSticky: boolean
  /** URL of the file of an attachment; `''` if it has none. */
  readonly attachmentUrl: string
  readonly terms: readonly ItemTerm[]
  readonly meta: readonly MetaRow[]
}

/** Returns the element of an item up to its comments. */
export function itemStart(post: Row<'posts'>, parts: ItemParts, names: FormatNames): string {
  const { link, author, hasParent, isSticky, attachmentUrl, terms } = parts
  const categories = terms.map(({ taxonomy, slug, name }) => {
    const attributes = `domain="${escapeXml(names.type(taxonomy))}" nicename="${escapeXml(exportedSlug(slug))}"`
    return `<category ${attributes}>${cdata(name)}</category>`
  })
  // A post that was never modified gets its date, as imports do it.
  const modifiedGmt = post.modified === '' && post.modified_gmt === '' ? post.date_gmt : post.modified_gmt
  const fields = [
    element('title', post.title),
    plainElement('link', link),
    plainElement('pubDate', published(post.date_gmt)),
    element('dc:creator', author),
    `<guid isPermaLink="false">${escapeXml(post.guid)}</guid>`,
    '<description></description>',
    element('content:encoded', post.content),
    element('excerpt:encoded', post.excerpt),
    plainElement('wp:post_id', post.id),
    element('wp:post_date', post.date || NO_DATE),
    element('wp:post_date_gmt', post.date_gmt || NO_DATE),
    element('wp:post_modified', post.modified || post.date || NO_DATE),
    element('wp:post_modified_gmt', modifiedGmt || NO_DATE),
    element('wp:comment_status', post.comment_status),
    element('wp:ping_status', post.ping_status),
    element('wp:post_name', exportedSlug(post.slug)),
    element('wp:status', post.status),
    plainElement('wp:post_parent', hasParent ? post.parent_id : 0),
    plainElement('wp:menu_order', post.menu_order),
    element('wp:post_type', names.type(post.type)),
    // The password of a post applies to its revisions.
    element('wp:post_password', post.type === 'revision' ? '' : post.password),
    plainElement('wp:is_sticky', isSticky ? 1 : 0),
    ...(post.type === 'attachment' ? [element('wp:attachment_url', attachmentUrl)] : []),
    ...categories,
  ]
  const meta = metaElements('wp:postmeta', orderedMeta(post, parts.meta, names), (key) => names.metaKey(key))
  return `  <item>\n      ${fields.join('\n      ')}${meta}\n`
}

export const ITEM_END = '  </item>\n'

/** Puts the file of an attachment first, as imports store it, and gives types in menu items their names of the format. */
function orderedMeta(post: Row<'posts'>, meta: readonly MetaRow[], names: FormatNames): readonly MetaRow[] {
  if (post.type === 'attachment') {
    const file = meta.find(({ key }) => key === FILE_KEY)
    return file === undefined ? meta : [file, ...meta.filter(({ key }) => key !== FILE_KEY)]
  }
  return meta.map((row) =>
    row.key === MENU_ITEM_KEYS.object && row.json === 0 ? { ...row, value: names.type(row.value) } : row,
  )
}

/** Returns the path of an attachment's file below the uploads folder; `''` if it has none. */
export function fileOf(meta: readonly MetaRow[]): string {
  return meta.find(({ key, json }) => key === FILE_KEY && json === 0)?.value ?? ''
}

export function commentElement({ comment, meta }: CommentWithMeta, names: FormatNames): string {
  const fields = [
    plainElement('wp:comment_id', comment.id),
    element('wp:comment_author', comment.author_name),
    element('wp:comment_author_email', comment.author_email),
    plainElement('wp:comment_author_url', comment.author_url),
    element('wp:comment_author_IP', comment.author_ip),
    element('wp:comment_date', comment.date || NO_DATE),
    element('wp:comment_date_gmt', comment.date_gmt || NO_DATE),
    element('wp:comment_content', comment.content),
    element('wp:comment_approved', comment.approved),
    element('wp:comment_type', comment.type),
    plainElement('wp:comment_parent', comment.parent_id),
    plainElement('wp:comment_user_id', comment.author_id),
  ]
  const metaFields = metaElements('wp:commentmeta', meta, (key) => names.metaKey(key))
  return `      <wp:comment>${fields.join('')}${metaFields}</wp:comment>\n`
}

function published(date: string): string {
  const time = Date.parse(`${date.replace(' ', 'T')}Z`)
  return Number.isNaN(time) ? '' : rfc822(new Date(time))
}
