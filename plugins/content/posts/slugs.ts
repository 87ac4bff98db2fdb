import type { ContentTypes } from '../content-types/index.ts'
import type { Store } from '../../storage/store/index.ts'
import type { Post } from './reader.ts'

/** The most bytes a slug has. */
const LONGEST = 200
/** Names below an address that are the site's own. */
const RESERVED: ReadonlySet<string> = new Set(['atom', 'embed', 'feed', 'rdf', 'rss', 'rss2'])
/** What the slug of a post in the trash ends with, so that others can take it. */
const TRASHED = '__trashed'

/** How many names are looked for at once. */
const MOST_NAMES = 1000

/** A slug that a post is to have, and what its uniqueness depends on. */
export interface SlugWish extends Pick<Post, 'type' | 'parent_id'> {
  /** 0 for a post that is not stored yet. */
  id: number
  wanted: string
  /** Names of the types with levels, if the post is of one of them. */
  hierarchical: readonly string[] | null
}

/** A slug as it was given: one that is already written as slugs are stays as it is. */
export function toSlug(given: string, slugify: (title: string) => string): string {
  const text = given.trim()
  if (!/^(?:[a-z0-9_-]|%[0-9a-f]{2})*$/.test(text)) return slugify(text)
  return cut(text.replace(/-{2,}/g, '-').replace(/^-|-$/g, ''))
}

/** The slug of a post in the trash. */
export function trashedSlug(slug: string): string {
  return slug.endsWith(TRASHED) ? slug : `${cut(slug, LONGEST - TRASHED.length)}${TRASHED}`
}

/** The slug before the trash, where nobody has kept it. */
export function untrashedSlug(slug: string): string {
  return slug.endsWith(TRASHED) ? slug.slice(0, -TRASHED.length) : slug
}

/** The `hierarchical` of a wish for a slug of a post of a type. */
export function typesSharingSlugs(contentTypes: Pick<ContentTypes, 'all' | 'get'>, type: string): string[] | null {
  if (contentTypes.get(type)?.hierarchical !== true) return null
  return contentTypes.all().flatMap(({ name, hierarchical }) => (hierarchical ? [name] : []))
}

/**
 * Slugs that no other post has, one for each wish, whatever the other wishes get: unique in its type, where the type has
 * levels among those of the same parent, and for files among all content. The first free one of `slug`, `slug-2`,
 * `slug-3` … Mostly that takes one statement. Who stores one of them keeps others from writing.
 */
export async function freeSlugs(store: Store, wishes: readonly SlugWish[]): Promise<string[]> {
  const found = new Map<SlugWish, string>()
  let waiting = wishes
  let first = 1
  for (let size = 1; waiting.length > 0; size = Math.min(size * 10, Math.ceil(MOST_NAMES / waiting.length))) {
    const tried = new Map(
      waiting.map((wish) => [wish, Array.from({ length: size }, (_, index) => numbered(wish.wanted, first + index))]),
    )
    const owners = Map.groupBy(await ownersOf(store, [...tried.values()].flat(), waiting), ({ slug }) => slug)
    for (const [wish, names] of tried) {
      const free = names.find(
        (name) =>
          !RESERVED.has(name) && !isPaging(name, wish) && !owners.get(name)?.some((owner) => meets(owner, wish)),
      )
      if (free !== undefined) found.set(wish, free)
    }
    waiting = waiting.filter((wish) => !found.has(wish))
    first += size
  }
  return wishes.map((wish) => found.get(wish)!)
}

/** Whether a name reads as the number of a page, of a longer text or of a list. */
function isPaging(name: string, { hierarchical }: SlugWish): boolean {
  return hierarchical !== null && /^(?:page)?\d+$/.test(name)
}

type SlugOwner = Pick<Post, 'id' | 'slug' | 'type' | 'parent_id'>

/** Whether two posts must not have the same slug. */
function meets(owner: SlugOwner, { id, type, parent_id: parent, hierarchical }: SlugWish): boolean {
  if (owner.id === id) return false
  if (type === 'attachment') return owner.type !== 'revision'
  if (hierarchical === null) return owner.type === type
  return owner.parent_id === parent && (owner.type === 'attachment' || hierarchical.includes(owner.type))
}

/** The posts that have one of the names, at least all that meet one of the wishes. */
async function ownersOf(
  store: Store,
  names: readonly string[],
  wishes: readonly SlugWish[],
): Promise<readonly SlugOwner[]> {
  let select = store.db
    .selectFrom('posts')
    .select(['id', 'slug', 'type', 'parent_id'])
    .where(store.isIn('posts.slug', names))
  // Names that are unique below one parent alone may be those of very many.
  if (wishes.every(({ type, hierarchical }) => type !== 'attachment' && hierarchical !== null)) {
    select = select.where(
      store.isIn(
        'posts.parent_id',
        wishes.map((wish) => wish.parent_id),
      ),
    )
  }
  return store.all(select)
}

function numbered(slug: string, number: number): string {
  if (number === 1) return slug
  const suffix = `-${number}`
  return `${cut(slug, LONGEST - suffix.length)}${suffix}`
}

/** The beginning of a slug, without half of an encoded letter at its end. */
export function cut(slug: string, length = LONGEST): string {
  if (slug.length <= length) return slug
  let end = slug.slice(0, length).replace(/%[0-9a-f]?$/, '')
  // A letter beyond ASCII is two to four encoded bytes: none of them says anything alone.
  while (end !== '' && !decodes(end)) end = end.slice(0, -3)
  return end.replace(/-$/, '')
}

function decodes(slug: string): boolean {
  try {
    decodeURIComponent(slug)
    return true
  } catch {
    return false
  }
}
