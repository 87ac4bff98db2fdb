import { sql } from 'kysely'
import type { NewRow, Store } from '../../plugins/storage/store/index.ts'
import { until } from './until.ts'

/** A post for a test. By default published, with a date and a slug derived from its title. */
export type TestPost = Partial<NewRow<'posts'>> & { meta?: Record<string, string | number>; terms?: readonly number[] }

let postCount = 0

/** Stores posts, newest first, and returns their IDs. */
export async function addPosts(store: Store, ...posts: readonly TestPost[]): Promise<number[]> {
  const ids: number[] = []
  for (const { meta = {}, terms = [], ...post } of posts) {
    postCount += 1
    const title = post.title ?? `Post ${postCount}`
    const date = post.date ?? `2024-05-${String(28 - (ids.length % 28)).padStart(2, '0')} 12:00:00`
    const row = {
      type: 'post',
      status: 'publish',
      slug: title.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
      author_id: 1,
      date_gmt: date,
      modified: date,
      modified_gmt: date,
      ...post,
      title,
      date,
    }
    const stored = await store.first(store.db.insertInto('posts').values(row).returning('id'))
    const id = stored!.id
    ids.push(id)
    for (const [key, value] of Object.entries(meta)) {
      await store.run(store.db.insertInto('post_meta').values({ post_id: id, key, value: String(value) }))
    }
    for (const term of terms) {
      await store.run(store.db.insertInto('term_relationships').values({ post_id: id, term_id: term }))
    }
  }
  return ids
}

/** Stores a term and returns its ID. */
export async function addTerm(
  store: Store,
  term: Pick<NewRow<'terms'>, 'taxonomy' | 'name'> & Partial<NewRow<'terms'>>,
): Promise<number> {
  const row = { slug: term.name.toLowerCase().replace(/[^a-z0-9]+/g, '-'), ...term }
  return (await store.first(store.db.insertInto('terms').values(row).returning('id')))!.id
}

/** Waits until the full-text index, which the SQLite store updates in the background, contains every post. */
export async function indexed(store: Store): Promise<void> {
  if (store.dialect !== 'sqlite') return
  const queued = sql<{ left: number }>`select count(*) as "left" from posts_text_queue`
  await until(async () => (await store.first(queued))?.left === 0)
}
