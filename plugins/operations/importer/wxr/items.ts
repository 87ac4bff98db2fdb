import { detached } from './characters.ts'
import {
  PLAIN_FEED,
  readBoolean,
  readDate,
  readFeedDate,
  readFields,
  readId,
  readMeta,
  readNumber,
  type Element,
  type Fields,
  type Findings,
} from './element.ts'
import type { WxrComment, WxrItem, WxrItemTerm } from './types.ts'

/** Reads a post of any type with its terms, meta and comments. */
export function readItem(element: Element, findings: Findings): WxrItem {
  const item = readFields(emptyItem(element.line), element, ITEM_FIELDS, findings, PLAIN_FEED)
  item.terms = withoutRepeated(item.terms)
  // Skipped, so that neither its date nor its ID matters.
  if (item.type === '') return item
  if ([item.date, item.dateGmt, item.published, item.modified, item.modifiedGmt].every((date) => date === ''))
    findings.repaired('missing-date', element, '')
  if (item.id === 0) findings.repaired('missing-id', element, '')
  return item
}

const emptyItem = (line: number): WxrItem => ({
  kind: 'item',
  line,
  id: 0,
  type: '',
  status: '',
  slug: '',
  title: '',
  link: '',
  creator: '',
  guid: '',
  content: '',
  excerpt: '',
  published: '',
  date: '',
  dateGmt: '',
  modified: '',
  modifiedGmt: '',
  commentStatus: '',
  pingStatus: '',
  parent: 0,
  menuOrder: 0,
  password: '',
  sticky: false,
  attachmentUrl: '',
  terms: [],
  meta: [],
  comments: [],
})

const ITEM_FIELDS: Fields<WxrItem> = {
  __proto__: null as never,
  title: (item, { text }) => (item.title = text),
  link: (item, { text }) => (item.link = detached(text.trim())),
  guid: (item, { text }) => (item.guid = text.trim()),
  pubDate: (item, child, findings) => (item.published = readFeedDate(child, findings)),
  'dc:creator': (item, { text }) => (item.creator = text.trim()),
  'content:encoded': (item, { text }) => (item.content = text),
  'excerpt:encoded': (item, { text }) => (item.excerpt = text),
  'wp:post_id': (item, child, findings) => (item.id = readId(child, findings)),
  'wp:post_type': (item, { text }) => (item.type = text.trim()),
  'wp:status': (item, { text }) => (item.status = text.trim()),
  'wp:post_name': (item, { text }) => (item.slug = text.trim()),
  'wp:post_date': (item, child, findings) => (item.date = readDate(child, findings)),
  'wp:post_date_gmt': (item, child, findings) => (item.dateGmt = readDate(child, findings)),
  'wp:post_modified': (item, child, findings) => (item.modified = readDate(child, findings)),
  'wp:post_modified_gmt': (item, child, findings) => (item.modifiedGmt = readDate(child, findings)),
  'wp:comment_status': (item, { text }) => (item.commentStatus = text.trim()),
  'wp:ping_status': (item, { text }) => (item.pingStatus = text.trim()),
  'wp:post_parent': (item, child, findings) => (item.parent = readId(child, findings)),
  'wp:menu_order': (item, child, findings) => (item.menuOrder = readNumber(child, findings)),
  'wp:post_password': (item, { text }) => (item.password = text),
  'wp:is_sticky': (item, child, findings) => (item.sticky = readBoolean(child, findings)),
  'wp:attachment_url': (item, { text }) => (item.attachmentUrl = detached(text.trim())),
  'wp:postmeta': (item, element, findings) => item.meta.push(readMeta(element, findings)),
  'wp:comment': (item, element, findings) => item.comments.push(readComment(element, findings)),
  category: readItemTerm,
}

/** Reads a term of an item. */
function readItemTerm(item: WxrItem, element: Element, findings: Findings): void {
  const { text, attributes } = element
  const { domain = '', nicename = '' } = attributes
  if (text.trim() === '' && nicename.trim() === '') return
  if (domain === '' && nicename !== '') findings.repaired('missing-taxonomy', element)
  const taxonomy = domain === 'tag' ? 'post_tag' : domain || 'category'
  item.terms.push({ taxonomy, slug: nicename.trim(), name: text })
}

/** Removes terms without a slug that the item has with a slug: the oldest exports list each term twice. */
function withoutRepeated(terms: readonly WxrItemTerm[]): WxrItemTerm[] {
  if (terms.every(({ slug }) => slug !== '')) return [...terms]
  const names = new Set(terms.filter(({ slug }) => slug !== '').map(({ name }) => name))
  return terms.filter(({ slug, name }) => slug !== '' || !names.has(name))
}

function readComment(element: Element, findings: Findings): WxrComment {
  const comment = readFields(emptyComment(), element, COMMENT_FIELDS, findings)
  if (comment.date === '' && comment.dateGmt === '') findings.repaired('missing-comment-date', element, comment.author)
  return comment
}

const emptyComment = (): WxrComment => ({
  id: 0,
  author: '',
  email: '',
  url: '',
  ip: '',
  date: '',
  dateGmt: '',
  content: '',
  approved: '',
  type: '',
  parent: 0,
  userId: 0,
  meta: [],
})

const COMMENT_FIELDS: Fields<WxrComment> = {
  __proto__: null as never,
  'wp:comment_id': (comment, child, findings) => (comment.id = readId(child, findings)),
  'wp:comment_author': (comment, { text }) => (comment.author = text),
  'wp:comment_author_email': (comment, { text }) => (comment.email = text.trim()),
  'wp:comment_author_url': (comment, { text }) => (comment.url = text.trim()),
  'wp:comment_author_IP': (comment, { text }) => (comment.ip = text.trim()),
  'wp:comment_date': (comment, child, findings) => (comment.date = readDate(child, findings)),
  'wp:comment_date_gmt': (comment, child, findings) => (comment.dateGmt = readDate(child, findings)),
  'wp:comment_content': (comment, { text }) => (comment.content = text),
  'wp:comment_approved': (comment, { text }) => (comment.approved = text.trim()),
  'wp:comment_type': (comment, { text }) => (comment.type = text.trim()),
  'wp:comment_parent': (comment, child, findings) => (comment.parent = readId(child, findings)),
  'wp:comment_user_id': (comment, child, findings) => (comment.userId = readId(child, findings)),
  'wp:commentmeta': (comment, element, findings) => comment.meta.push(readMeta(element, findings)),
}
