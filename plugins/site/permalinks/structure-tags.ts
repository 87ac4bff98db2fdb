import type { LinkedPost } from './linked.ts'

/** Where the parts of a date stand in `YYYY-MM-DD HH:MM:SS`. */
const DATE_PARTS: Readonly<Record<string, readonly [begin: number, end: number]>> = {
  year: [0, 4], monthnum: [5, 7], day: [8, 10], hour: [11, 13], minute: [14, 16], second: [17, 19],
} // prettier-ignore

/** What stands for a tag in the URL of a post; an unknown tag stays. */
export function tagValue(tag: string, post: LinkedPost, slug: string): string {
  if (tag === 'postname' || tag === 'pagename') return slug
  if (tag === 'post_id') return String(post.id)
  const range = DATE_PARTS[tag]
  return range === undefined ? `%${tag}%` : post.date.slice(...range)
}
