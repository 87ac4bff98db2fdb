import { trimMarks } from '../../../kernel/index.ts'
import { encodeName } from '../../resources/index.ts'
import type { LinkedPost } from './linked.ts'

/** URL structure of the site, derived from its options. */
export interface Structure {
  /** Pattern for posts with its tags: `/%year%/%postname%/`; '' for plain URLs. */
  post: string
  /** The pattern split at its tags: literal parts and tag names alternate. */
  parts: readonly string[]
  /** The literal prefix before the first tag: `/`, or `/blog/`. */
  front: string
  /** Prefix of all pretty URLs: `/`, or `/index.php/`. */
  root: string
  /** Trailing slash of URLs: `/` or ''. */
  slash: string
  categoryBase: string
  tagBase: string
  /** ID of the static front page; 0 for none. */
  home: number
}

/** The options that the structure is derived from. */
export const STRUCTURE_OPTIONS = ['permalink', 'category_base', 'tag_base'] as const
type StructureOptions = Readonly<Partial<Record<(typeof STRUCTURE_OPTIONS)[number], unknown>>>

/** @param home ID of the static front page; 0 for none */
export function readStructure(set: StructureOptions, home: number): Structure {
  // The text that the owner typed is percent-encoded as in links; the case of ASCII letters stays.
  const post = typeof set.permalink === 'string' ? set.permalink.replace(/[^!-~]+/g, encodeName) : ''
  const rooted = post === '' || post.startsWith('/') ? post : `/${post}`
  return {
    post: rooted,
    parts: rooted.split(/%(\w+)%/),
    front: rooted.slice(0, rooted.includes('%') ? rooted.indexOf('%') : 1) || '/',
    root: rooted.startsWith('/index.php/') ? '/index.php/' : '/',
    slash: rooted.endsWith('/') ? '/' : '',
    categoryBase: baseOf(set.category_base),
    tagBase: baseOf(set.tag_base),
    home,
  }
}

function baseOf(option: unknown): string {
  return typeof option === 'string' ? trimMarks(option.replace(/[^!-~]+/g, encodeName), '/') : ''
}

/** Positions of the date parts in `YYYY-MM-DD HH:MM:SS`. */
const DATE_PARTS: Readonly<Record<string, readonly [begin: number, end: number]>> = {
  year: [0, 4],
  monthnum: [5, 7],
  day: [8, 10],
  hour: [11, 13],
  minute: [14, 16],
  second: [17, 19],
}

/** The tags of dates, from the longest period to the shortest. */
export const DATE_TAGS: readonly string[] = Object.keys(DATE_PARTS)

/** The value of a tag in the URL of a post; unknown tags are unchanged. */
export function tagValue(tag: string, post: LinkedPost, slug: string): string {
  if (tag === 'postname' || tag === 'pagename') return slug
  if (tag === 'post_id') return String(post.id)
  const range = DATE_PARTS[tag]
  return range === undefined ? `%${tag}%` : post.date.slice(...range)
}
