import { escapeHtmlOnce } from '../../../library/markup/index.ts'
import { mapInSlices } from '../../../library/long-work/index.ts'
import type { Post } from '../../../content/posts/index.ts'
import type { Term } from '../../../content/terms/index.ts'
import type { Rendering } from '../renderer.ts'
import { linkOf, publicPost, titleOf } from './current-post.ts'

/** A page above another one. */
export interface TrailItem {
  readonly url: string
  /** Title or name as HTML; `''` for a post without a title. */
  readonly name: string
}

/** The parts of a rendering that trails need. */
type Place = Pick<Rendering, 'plugin' | 'scope'>

/**
 * Returns the pages above a post, topmost first: its parents, or its first term with the terms above it. The front page
 * is not included.
 * @param byTerms whether terms have priority over parents
 */
export async function trailOf(post: Post, place: Place, byTerms = false): Promise<TrailItem[]> {
  const isHierarchical = place.plugin.services.contentTypes.get(post.type)?.hierarchical === true
  const terms = isHierarchical && !byTerms ? [] : await termsOf(post, place)
  return terms.length > 0 || !isHierarchical ? terms : parentsOf(post, place)
}

/** Returns a term and the terms above it, topmost first. */
export async function trailOfTerm(
  term: Pick<Term, 'id' | 'parent_id'>,
  { plugin, scope }: Place,
): Promise<TrailItem[]> {
  const { permalinks, terms } = plugin.services
  const ancestors = await permalinks.termsAbove(term, scope)
  const chain = await mapInSlices([...ancestors.toReversed(), term], ({ id }) => terms.get(id, scope))
  return mapInSlices(
    chain.filter((one) => one !== undefined),
    async (one) => ({ url: await permalinks.term(one, scope), name: escapeHtmlOnce(one.name) }),
  )
}

/** Returns the ancestors of a post. Stops at the first ancestor that is not public. */
async function parentsOf(post: Post, place: Place): Promise<TrailItem[]> {
  const { permalinks, posts } = place.plugin.services
  const ids = (await permalinks.above(post, place.scope)).map(({ id }) => id)
  await posts.loadAll(ids, place.scope)
  const items: TrailItem[] = []
  for (const id of ids) {
    const ancestor = await publicPost(id, place)
    if (ancestor === undefined) break
    items.unshift({ url: await linkOf(ancestor, place), name: await titleOf(ancestor, place) })
  }
  return items
}

/** Returns the first term of a post and the terms above it. Prefers hierarchical taxonomies. */
async function termsOf(post: Post, place: Place): Promise<TrailItem[]> {
  const { taxonomies, terms } = place.plugin.services
  const shown = taxonomies.ofType(post.type).filter((one) => one.publicly_queryable && one.show_in_rest)
  const levelled = shown.filter(({ hierarchical }) => hierarchical)
  const ofPost = await terms.ofPosts(place.scope).load(post.id)
  const term = [...levelled, ...shown].flatMap(({ name }) => ofPost.get(name) ?? []).at(0)
  return term === undefined ? [] : trailOfTerm(term, place)
}
