import type { Store } from '../../storage/store/index.ts'
import { TERMS } from './sample-content.ts'
import { sampleList } from './sample.ts'

/** Content of the sample that no user has changed. */
export interface UntouchedSample {
  readonly posts: readonly { readonly id: number; readonly type: string }[]
  readonly terms: readonly { readonly id: number; readonly taxonomy: string }[]
}

/**
 * Returns the posts, pages and terms of the sample that no user has changed: posts that were never saved and that have
 * no comments of readers, and terms that only these posts have.
 */
export async function untouchedSample(store: Store): Promise<UntouchedSample> {
  const list = await sampleList(store)
  if (list === null) return { posts: [], terms: [] }
  const { db } = store
  const posts = await store.all(
    db
      .selectFrom('posts')
      .select(['id', 'type'])
      .where('id', 'in', list.posts)
      .where('type', 'in', ['post', 'page'])
      .where('status', '=', 'publish')
      .whereRef('modified_gmt', '=', 'date_gmt')
      .where('id', 'not in', db.selectFrom('comments').select('post_id').where('id', 'not in', list.comments))
      .orderBy('id'),
  )
  const terms = await store.all(
    db.selectFrom('terms').select(['id', 'taxonomy', 'name', 'slug']).where('id', 'in', list.terms).orderBy('id'),
  )
  const links = await store.all(
    db.selectFrom('term_relationships').select(['post_id', 'term_id']).where('term_id', 'in', list.terms),
  )
  const ids = new Set(posts.map(({ id }) => id))
  const used = new Set(links.flatMap(({ post_id: post, term_id: term }) => (ids.has(post) ? [] : [term])))
  // New posts need the default category.
  const general = list.options['default_category']
  const isUnchanged = ({ id, taxonomy, name, slug }: (typeof terms)[number]) =>
    id !== general &&
    !used.has(id) &&
    TERMS.some((term) => term.taxonomy === taxonomy && term.name === name && term.slug === slug)
  return { posts, terms: terms.filter(isUnchanged).map(({ id, taxonomy }) => ({ id, taxonomy })) }
}
