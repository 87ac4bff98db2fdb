import { cacheUntil } from '../../library/caching/index.ts'
import type { SiteOptions } from '../../foundation/settings/index.ts'
import type { Post } from '../posts/index.ts'

const DAY_MS = 86_400_000

/** Checks whether a post accepts comments: its own setting and, if the site closes old posts, its age. */
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
  // Comments close without a write, so cached responses must expire then.
  cacheUntil(closing)
  return closing > Date.now()
}
