import DataLoader from 'dataloader'
import { firstFreeSlug } from '../../resources/index.ts'
import type { Store } from '../../storage/store/index.ts'
import type { ContentTypes } from '../content-types/index.ts'
import type { Post } from './post.ts'

/** Slugs that the site's own URLs use. */
const RESERVED: ReadonlySet<string> = new Set(['atom', 'embed', 'feed', 'rdf', 'rss', 'rss2'])

/** Maximum number of slugs to query in one statement. */
const MOST_SLUGS = 1000

/** A requested slug, and the properties of the post that its uniqueness depends on. */
export interface WantedSlug extends Pick<Post, 'type' | 'parent_id'> {
  /** 0 for a new post. */
  id: number
  wanted: string
  /** Names of all hierarchical types if the type of the post is hierarchical, otherwise null. */
  hierarchical: readonly string[] | null
}

/** Returns `WantedSlug.hierarchical` for a post type. */
export function typesSharingSlugs(contentTypes: Pick<ContentTypes, 'all' | 'get'>, type: string): string[] | null {
  if (contentTypes.get(type)?.hierarchical !== true) return null
  return contentTypes.all().flatMap(({ name, hierarchical }) => (hierarchical ? [name] : []))
}

/**
 * Returns a free slug for each wish, independently of the other wishes. Slugs are unique within a type; for
 * hierarchical types among the children of a parent, across those types; for attachments among all posts. Usually takes
 * one statement.
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

/** For each wish, the stored slugs that collide with it, including the requested slugs. */
async function takenOf(store: Store, asked: readonly Asked[]): Promise<ReadonlySet<string>[]> {
  const slugs = asked.flatMap((one) => one.slugs)
  const wishes = asked.map(({ wish }) => wish)
  const owners = await ownersOf(store, slugs, wishes)
  return wishes.map((wish) => new Set(owners.flatMap((owner) => (collides(owner, wish) ? owner.slug : []))))
}

/** Whether a slug looks like a page number of a split post or of a list. */
function isPaging({ wanted, hierarchical }: WantedSlug): boolean {
  return hierarchical !== null && /^(?:page)?\d+$/.test(wanted)
}

type SlugOwner = Pick<Post, 'id' | 'slug' | 'type' | 'parent_id'>

/** Whether the post must not share its slug with the owner. */
function collides(owner: SlugOwner, { id, type, parent_id: parent, hierarchical }: WantedSlug): boolean {
  if (owner.id === id) return false
  if (type === 'attachment') return owner.type !== 'revision'
  if (hierarchical === null) return owner.type === type
  return owner.parent_id === parent && (owner.type === 'attachment' || hierarchical.includes(owner.type))
}

/** The posts that have one of the slugs; includes all that collide with a wish. */
async function ownersOf(
  store: Store,
  slugs: readonly string[],
  wishes: readonly WantedSlug[],
): Promise<readonly SlugOwner[]> {
  const select = store.db
    .selectFrom('posts')
    .select(['id', 'slug', 'type', 'parent_id'])
    .where(store.isIn('posts.slug', slugs))
  // Slugs that are unique only below one parent can occur very often.
  const belowParents = wishes.every(({ type, hierarchical }) => type !== 'attachment' && hierarchical !== null)
  if (!belowParents) return store.all(select)
  const parents = wishes.map((wish) => wish.parent_id)
  return store.all(select.where(store.isIn('posts.parent_id', parents)))
}
