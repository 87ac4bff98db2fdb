import type { Facts } from './change.ts'

/** Statuses of posts that visitors can see. Lists of other posts have separate tags. */
const PUBLISHED: ReadonlySet<string> = new Set(['publish', 'inherit'])

/** Facts of a post that decide who can read it and its attachments and comments. */
const DECISIVE = ['type', 'status', 'author', 'parent', 'protected'] as const

/** Returns the prefix of tags of lists of posts by status: `unpublished:` or none. */
export function postPrefix(status: string): string {
  return PUBLISHED.has(status) ? '' : 'unpublished:'
}

/** Returns the prefix of tags of lists of comments by status: `unapproved:` or none. */
export function commentPrefix(status: string): string {
  return status === '1' ? '' : 'unapproved:'
}

/** A current or former term of a post. */
export interface TermOfPost {
  readonly id: number
  readonly taxonomy: string
}

/** Returns the tags of lists that a post is or was in. */
export function listsOfPost(before: Facts | null, after: Facts | null, terms: readonly TermOfPost[]): string[] {
  const tags = new Set<string>()
  for (const facts of [before, after]) {
    if (facts === null) continue
    const { type, status, author, parent } = facts
    if (type === 'revision') {
      tags.add(`revisions:parent=${String(parent)}`)
      continue
    }
    const list = `${postPrefix(String(status))}posts`
    tags.add(list).add(`${list}:type=${String(type)}`)
    tags.add(`${list}:author=${String(author)}`).add(`${list}:parent=${String(parent)}`)
    for (const { id, taxonomy } of terms) tags.add(`${list}:${taxonomy}=${id}`)
  }
  const isRevision = (after ?? before)?.['type'] === 'revision'
  if (!isRevision && DECISIVE.some((name) => before?.[name] !== after?.[name])) tags.add('posts:visibility')
  return [...tags]
}

/** Returns the tags of lists that are filtered or sorted by these meta keys and that contain the object. */
export function listsByMeta(kind: string, before: Facts | null, after: Facts | null, keys: Iterable<string>): string[] {
  const lists = new Set<string>()
  for (const facts of [before, after]) {
    if (kind === 'post' && facts !== null && facts['type'] !== 'revision')
      lists.add(`${postPrefix(String(facts['status']))}posts`)
    if (kind === 'comment' && facts !== null) lists.add(`${commentPrefix(String(facts['status']))}comments`)
    if (kind === 'term') lists.add('terms')
  }
  // Lists of users already depend on every user.
  return Array.from(lists, (list) => Array.from(keys, (key) => `${list}:meta=${key}`)).flat()
}

/** Returns the tags of lists that a comment is or was in. */
export function listsOfComment(before: Facts | null, after: Facts | null): string[] {
  const tags = new Set<string>()
  for (const facts of [before, after]) {
    if (facts === null) continue
    const list = `${commentPrefix(String(facts['status']))}comments`
    tags.add(list)
    for (const name of ['post', 'author', 'parent']) tags.add(`${list}:${name}=${String(facts[name])}`)
  }
  return [...tags]
}

/** Returns the tags of lists that a term is or was in. */
export function listsOfTerm(before: Facts | null, after: Facts | null): string[] {
  const taxonomies = [before, after].flatMap((facts) =>
    facts === null ? [] : [`terms:taxonomy=${String(facts['type'])}`],
  )
  return ['terms', ...new Set(taxonomies)]
}
