import { keepUntil } from '../../library/caching/index.ts'
import type { SiteOptions } from '../../foundation/settings/index.ts'
import type { Post } from '../posts/index.ts'

/** Milliseconds of a day. */
const DAY_MS = 86_400_000

/** Whether a post takes new comments: by itself, and by its age where the site closes old ones. */
export async function isOpen(
  options: SiteOptions,
  { type, comment_status, date_gmt }: Pick<Post, 'type' | 'comment_status' | 'date_gmt'>,
): Promise<boolean> {
  if (comment_status !== 'open') return false
  if (type !== 'post') return true
  const { close_comments_for_old_posts: closes, close_comments_days_old: days } = await options.many([
    'close_comments_for_old_posts',
    'close_comments_days_old',
  ])
  if (!closes || !(Number(days) > 0)) return true
  const closing = Date.parse(`${date_gmt.replace(' ', 'T')}Z`) + Number(days) * DAY_MS
  // Nothing is written when it closes.
  keepUntil(closing)
  return closing > Date.now()
}
