import DataLoader from 'dataloader'
import type { PluginContext } from '../../../kernel/index.ts'
import { firstFreeSlug, slugOwners } from '../../resources/index.ts'
import type { Store } from '../../storage/store/index.ts'
import type { ContentTypes } from '../content-types/index.ts'
import type { Post } from './post.ts'
import type { TermsByTaxonomy } from './post-terms.ts'

type SlugHook = PluginContext['hooks']['slug_owners']

/** Slugs that the site's own URLs use. */
const RESERVED: ReadonlySet<string> = new Set(['atom', 'embed', 'feed', 'rdf', 'rss', 'rss2'])

/** Maximum number of slugs to query in one statement. */
const MAX_SLUGS_PER_QUERY = 1000

/** A requested slug, and the properties of the post that its uniqueness depends on. */
export interface SlugRequest extends Pick<Post, 'type' | 'parent_id'> {
  /** 0 for a new post. */
  id: number
  desired: string
  /** Names of all hierarchical types if the type of the post is hierarchical, otherwise null. */
  hierarchical: readonly string[] | null
  /** Terms that the write gives the post, for taps of `slug_owners`. */
  terms?: TermsByTaxonomy | undefined
}

/** Returns `SlugRequest.hierarchical` for a post type. */
export function typesSharingSlugs(contentTypes: Pick<ContentTypes, 'all' | 'get'>, type: string): string[] | null {
  if (contentTypes.get(type)?.hierarchical !== true) return null
  return contentTypes.all().flatMap(({ name, hierarchical }) => (hierarchical ? [name] : []))
}

/**
 * Returns a free slug for each request, independently of the other requests. Slugs are unique within a type; for
 * hierarchical types among the children of a parent, across those types; for attachments among all posts. Usually takes
 * one statement.
 */
export function freeSlugs(hook: SlugHook, store: Store, requests: readonly SlugRequest[]): Promise<string[]> {
  const loader = new DataLoader((candidates: readonly SlugCandidates[]) => findTakenSlugs(hook, store, candidates), {
    cache: false,
  })
  const maxSlugs = Math.ceil(MAX_SLUGS_PER_QUERY / requests.length)
  return Promise.all(
    requests.map((request) => {
      const first = RESERVED.has(request.desired) || isPaging(request) ? 2 : 1
      return firstFreeSlug(request.desired, (slugs) => loader.load({ request, slugs }), { first, most: maxSlugs })
    }),
  )
}

interface SlugCandidates {
  request: SlugRequest
  slugs: readonly string[]
}

/** For each request, the stored slugs that collide with it, including the requested slugs. */
async function findTakenSlugs(
  hook: SlugHook,
  store: Store,
  candidates: readonly SlugCandidates[],
): Promise<ReadonlySet<string>[]> {
  const allSlugs = candidates.flatMap((one) => one.slugs)
  const owners = await findSlugOwners(
    store,
    allSlugs,
    candidates.map(({ request }) => request),
  )
  const colliding = candidates.map(({ request }) => owners.filter((owner) => collides(owner, request)))
  const filtered = async (own: readonly SlugOwner[], index: number) => {
    const { request, slugs } = candidates[index]!
    const { type, id, parent_id: parent, terms = new Map() } = request
    return slugOwners(hook, own, type, () => ({ kind: 'post', type, id, parent, slugs, terms, facts: {} }))
  }
  const taken = hook.isUsed() ? await Promise.all(colliding.map(filtered)) : colliding
  const sets: Set<string>[] = []
  for (const own of taken) sets.push(new Set(own.map(({ slug }) => slug)))
  return sets
}

/** Whether a slug looks like a page number of a split post or of a list. */
function isPaging({ desired, hierarchical }: SlugRequest): boolean {
  return hierarchical !== null && /^(?:page)?\d+$/.test(desired)
}

type SlugOwner = Pick<Post, 'id' | 'slug' | 'type' | 'parent_id'>

/** Whether a requested slug collides with a stored post that has the same slug, the owner. */
function collides(owner: SlugOwner, { id, type, parent_id: parent, hierarchical }: SlugRequest): boolean {
  if (owner.id === id) return false
  if (type === 'attachment') return owner.type !== 'revision'
  if (hierarchical === null) return owner.type === type
  return owner.parent_id === parent && (owner.type === 'attachment' || hierarchical.includes(owner.type))
}

/** The posts that have one of the slugs; includes all that collide with a request. */
async function findSlugOwners(
  store: Store,
  slugs: readonly string[],
  requests: readonly SlugRequest[],
): Promise<readonly SlugOwner[]> {
  const select = store.db
    .selectFrom('posts')
    .select(['id', 'slug', 'type', 'parent_id'])
    .where(store.isIn('posts.slug', slugs))
  // Slugs that are unique only below one parent can occur very often.
  const belowParents = requests.every(({ type, hierarchical }) => type !== 'attachment' && hierarchical !== null)
  if (!belowParents) return store.all(select)
  const parents = requests.map((request) => request.parent_id)
  return store.all(select.where(store.isIn('posts.parent_id', parents)))
}
