import DataLoader from 'dataloader'
import { firstFreeSlug } from '../../resources/index.ts'
import type { Store } from '../../storage/store/index.ts'
import type { ContentTypes } from '../content-types/index.ts'
import type { Post } from './post.ts'

/** Slugs that the site's own URLs have. */
const RESERVED: ReadonlySet<string> = new Set(['atom', 'embed', 'feed', 'rdf', 'rss', 'rss2'])

/** How many slugs are looked for at once. */
const MOST_SLUGS = 1000

/** A slug that a post is to have, and what its uniqueness depends on. */
export interface WantedSlug extends Pick<Post, 'type' | 'parent_id'> {
  /** 0 for a post that is not stored yet. */
  id: number
  wanted: string
  /** Names of the hierarchical types, if the post is of one of them. */
  hierarchical: readonly string[] | null
}

/** The `hierarchical` of a wish for a slug of a post of a type. */
export function typesSharingSlugs(contentTypes: Pick<ContentTypes, 'all' | 'get'>, type: string): string[] | null {
  if (contentTypes.get(type)?.hierarchical !== true) return null
  return contentTypes.all().flatMap(({ name, hierarchical }) => (hierarchical ? [name] : []))
}

/**
 * Slugs that no other post has, one for each wish, whatever the other wishes get: unique in its type, where the type is
 * hierarchical among those of the same parent, and for files among all posts. Mostly that takes one statement.
 */
export function freeSlugs(store: Store, wishes: readonly WantedSlug[]): Promise<string[]> {
  const loader = new DataLoader((asked: readonly Asked[]) => takenOf(store, asked), { cache: false })
  const most = Math.ceil(MOST_SLUGS / wishes.length)
  return Promise.all(
    wishes.map((wish) => {
      const first = RESERVED.has(wish.wanted) || isPaging(wish) ? 2 : 1
      return firstFreeSlug(wish.wanted, (slugs) => loader.load({ wish, slugs }), { first, most })
    }),
  )
}

interface Asked {
  wish: WantedSlug
  slugs: readonly string[]
}

/** For each wish, the stored slugs that collide with it. They include those it was asked about. */
async function takenOf(store: Store, asked: readonly Asked[]): Promise<ReadonlySet<string>[]> {
  const slugs = asked.flatMap((one) => one.slugs)
  const wishes = asked.map(({ wish }) => wish)
  const owners = await ownersOf(store, slugs, wishes)
  return wishes.map((wish) => new Set(owners.flatMap((owner) => (collides(owner, wish) ? owner.slug : []))))
}

/** Whether a slug reads as a page number, of a longer text or of a list. */
function isPaging({ wanted, hierarchical }: WantedSlug): boolean {
  return hierarchical !== null && /^(?:page)?\d+$/.test(wanted)
}

type SlugOwner = Pick<Post, 'id' | 'slug' | 'type' | 'parent_id'>

/** Whether two posts must not have the same slug. */
function collides(owner: SlugOwner, { id, type, parent_id: parent, hierarchical }: WantedSlug): boolean {
  if (owner.id === id) return false
  if (type === 'attachment') return owner.type !== 'revision'
  if (hierarchical === null) return owner.type === type
  return owner.parent_id === parent && (owner.type === 'attachment' || hierarchical.includes(owner.type))
}

/** The posts that have one of the slugs, at least all that collide with one of the wishes. */
async function ownersOf(
  store: Store,
  slugs: readonly string[],
  wishes: readonly WantedSlug[],
): Promise<readonly SlugOwner[]> {
  const select = store.db
    .selectFrom('posts')
    .select(['id', 'slug', 'type', 'parent_id'])
    .where(store.isIn('posts.slug', slugs))
  // Slugs that are unique below one parent alone may be those of very many.
  const belowParents = wishes.every(({ type, hierarchical }) => type !== 'attachment' && hierarchical !== null)
  if (!belowParents) return store.all(select)
  const parents = wishes.map((wish) => wish.parent_id)
  return store.all(select.where(store.isIn('posts.parent_id', parents)))
}
