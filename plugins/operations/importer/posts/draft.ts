import { METADATA_KEY } from '../../../content/meta-keys.ts'
import type { ImportContext } from '../context.ts'
import { attachmentMeta, mimeType, safeMetadata } from '../media.ts'
import { fingerprint } from '../old-sites/fingerprint.ts'
import type { Columns } from '../old-sites/object-state.ts'
import { storedValue, type Value } from '../php-values.ts'
import type { ImportedUsers } from '../users/users.ts'
import type { WxrItem } from '../wxr/types.ts'
import { datesOf } from './dates.ts'

/** An item as this site stores it, but for references: they still have the IDs of the old site. */
export interface Draft {
  readonly item: WxrItem
  /** Columns that contain no reference to other items. */
  readonly columns: Columns
  readonly content: string
  readonly excerpt: string
  readonly meta: readonly (readonly [key: string, value: Value])[]
  /** Path of an attachment's file below the uploads folder; `''` for none. */
  readonly file: string
  /** Hash of all this. */
  readonly source: number
}

/** Reads an item: filters its texts and replaces the URLs of the old site. */
export async function draftOf(context: ImportContext, users: ImportedUsers, item: WxrItem): Promise<Draft> {
  const type = context.typeName(item.type)
  const author = await users.idOf(item.creator)
  const isAttachment = type === 'attachment'
  const file = isAttachment ? context.paths.pathOf(item) : ''
  const { title, content, excerpt } = await textsOf(context, users, item, author)
  const { date, dateGmt, modified, modifiedGmt } = datesOf(item, context.now)
  const columns: Columns = {
    type,
    status: item.status,
    slug: item.slug,
    title,
    // A revision has no password: the password of its post applies.
    password: type === 'revision' ? '' : item.password,
    author_id: author,
    menu_order: item.menuOrder,
    date,
    date_gmt: dateGmt,
    modified,
    modified_gmt: modifiedGmt,
    comment_status: item.commentStatus,
    ping_status: item.pingStatus,
    guid: context.rewrite(item.guid),
    mime_type: isAttachment ? mimeType(item, file) : '',
  }
  const meta = readMeta(context, isAttachment ? attachmentMeta(item, file) : item.meta, file)
  const source = fingerprint([
    ...Object.entries(columns).map(([name, value]) => (name === 'author_id' || value === context.now ? '' : value)),
    item.creator,
    item.parent,
    item.sticky ? 1 : 0,
    content,
    excerpt,
    ...meta.flatMap(([key, value]) => [key, storedValue(value).value]),
    ...item.terms.flatMap(({ taxonomy, slug }) => [taxonomy, slug]),
    ...context.mapValueTaps,
  ])
  const { findings } = context
  findings.add('types', type)
  findings.add('statuses', item.status)
  for (const [key] of meta) findings.add('meta post', key)
  if (type !== 'revision') findings.addContent(content)
  return { item, columns, content, excerpt, meta, file, source }
}

/** The texts of an item with URLs of this site, filtered unless its author may write unfiltered HTML. */
async function textsOf(
  { filter, rewrite, trustsHtml }: ImportContext,
  users: ImportedUsers,
  item: WxrItem,
  author: number,
): Promise<{ title: string; content: string; excerpt: string }> {
  const { title } = item
  const texts = { title, content: rewrite(item.content), excerpt: rewrite(item.excerpt) }
  if (trustsHtml || (await users.mayWriteHtml(author))) return texts
  return {
    title: filter.title(title),
    content: filter.content(texts.content, title),
    excerpt: filter.content(texts.excerpt, title),
  }
}

function readMeta(context: ImportContext, meta: WxrItem['meta'], file: string): [string, Value][] {
  return context.values.read(meta).map(([key, value]) => {
    const filtered = context.filter.meta(key, value)
    return [key, key === METADATA_KEY ? safeMetadata(filtered, file) : filtered]
  })
}
