import type { WxrComment } from '../../wxr/types.ts'
import { dateOf, idOf, rawOf, text, type OldObject } from '../values.ts'
import { metaOf, type Conversion } from './conversion.ts'

/** Statuses of comments in exports by their names in the REST API. */
const STATUSES: Readonly<Record<string, string>> = { __proto__: null as never, approved: '1', approve: '1', hold: '0' }

/** Converts a comment. */
export function commentOf(object: OldObject, conversion: Conversion): WxrComment {
  const status = text(object['status'])
  const type = text(object['type']) || 'comment'
  return {
    id: idOf(object['id']),
    author: text(object['author_name']),
    email: text(object['author_email']),
    url: text(object['author_url']),
    ip: text(object['author_ip']),
    date: dateOf(object['date']),
    dateGmt: dateOf(object['date_gmt']),
    content: rawOf(object['content']),
    // A comment without a status, or with an unknown one, is not shown.
    approved: STATUSES[status] ?? (status || '0'),
    type,
    parent: idOf(object['parent']),
    userId: idOf(object['author']),
    meta: metaOf(object, conversion, 'comments', 'comment', type),
  }
}
