import {
  date,
  integer,
  PLAIN_FEED,
  readFields,
  readMeta,
  signed,
  type CountUnknown,
  type Element,
  type Fields,
} from './element.ts'
import type { WxrComment, WxrItem } from './types.ts'

/** Reads a post of any type with its terms, meta and comments. */
export function readItem(element: Element, count: CountUnknown): WxrItem {
  return readFields(emptyItem(), element, ITEM_FIELDS, count, PLAIN_FEED)
}

const emptyItem = (): WxrItem => ({
  kind: 'item',
  id: 0,
  type: 'post',
  status: 'publish',
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
  commentStatus: 'closed',
  pingStatus: 'closed',
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
  link: (item, { text }) => (item.link = text.trim()),
  guid: (item, { text }) => (item.guid = text.trim()),
  pubDate: (item, { text }) => (item.published = text.trim()),
  'dc:creator': (item, { text }) => (item.creator = text.trim()),
  'content:encoded': (item, { text }) => (item.content = text),
  'excerpt:encoded': (item, { text }) => (item.excerpt = text),
  'wp:post_id': (item, { text }) => (item.id = integer(text)),
  'wp:post_type': (item, { text }) => (item.type = text.trim()),
  'wp:status': (item, { text }) => (item.status = text.trim()),
  'wp:post_name': (item, { text }) => (item.slug = text.trim()),
  'wp:post_date': (item, { text }) => (item.date = date(text)),
  'wp:post_date_gmt': (item, { text }) => (item.dateGmt = date(text)),
  'wp:post_modified': (item, { text }) => (item.modified = date(text)),
  'wp:post_modified_gmt': (item, { text }) => (item.modifiedGmt = date(text)),
  'wp:comment_status': (item, { text }) => (item.commentStatus = text.trim()),
  'wp:ping_status': (item, { text }) => (item.pingStatus = text.trim()),
  'wp:post_parent': (item, { text }) => (item.parent = integer(text)),
  'wp:menu_order': (item, { text }) => (item.menuOrder = signed(text)),
  'wp:post_password': (item, { text }) => (item.password = text),
  'wp:is_sticky': (item, { text }) => (item.sticky = text.trim() === '1'),
  'wp:attachment_url': (item, { text }) => (item.attachmentUrl = text.trim()),
  'wp:postmeta': (item, element, count) => item.meta.push(readMeta(element, count)),
  'wp:comment': (item, element, count) =>
    item.comments.push(readFields(emptyComment(), element, COMMENT_FIELDS, count)),
  // The oldest exports list each term twice; the entry without a slug is redundant.
  category: (item, { text, attributes }) => {
    const { domain, nicename } = attributes
    if (domain === undefined || nicename === undefined || nicename === '') return
    item.terms.push({ taxonomy: domain === 'tag' ? 'post_tag' : domain, slug: nicename, name: text })
  },
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
  approved: '1',
  type: '',
  parent: 0,
  userId: 0,
  meta: [],
})

const COMMENT_FIELDS: Fields<WxrComment> = {
  __proto__: null as never,
  'wp:comment_id': (comment, { text }) => (comment.id = integer(text)),
  'wp:comment_author': (comment, { text }) => (comment.author = text),
  'wp:comment_author_email': (comment, { text }) => (comment.email = text.trim()),
  'wp:comment_author_url': (comment, { text }) => (comment.url = text.trim()),
  'wp:comment_author_IP': (comment, { text }) => (comment.ip = text.trim()),
  'wp:comment_date': (comment, { text }) => (comment.date = date(text)),
  'wp:comment_date_gmt': (comment, { text }) => (comment.dateGmt = date(text)),
  'wp:comment_content': (comment, { text }) => (comment.content = text),
  'wp:comment_approved': (comment, { text }) => (comment.approved = text.trim()),
  'wp:comment_type': (comment, { text }) => (comment.type = text.trim()),
  'wp:comment_parent': (comment, { text }) => (comment.parent = integer(text)),
  'wp:comment_user_id': (comment, { text }) => (comment.userId = integer(text)),
  'wp:commentmeta': (comment, element, count) => comment.meta.push(readMeta(element, count)),
}
