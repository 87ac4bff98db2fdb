import { RequestCache, type PluginContext } from '../../../kernel/index.ts'
import { sql, type Store } from '../../storage/store/index.ts'
import type { Post } from './post.ts'

/**
 * The ID that the next post is to get, so that what depends on it can be stored with it: to change a post costs as much as
 * to store it. To be called in turn, and once before each post.
 */
export async function reservePostId(tx: Store): Promise<number> {
  const query =
    tx.dialect === 'postgres'
      ? sql<{ id: number }>`select nextval('posts_id_seq') as id`
      : sql<{ id: number }>`select coalesce((select seq from sqlite_sequence where name = 'posts'), 0) + 1 as id`
  return (await tx.first(query))!.id
}

/** What a post has that is not given any of it. */
const BLANK = {
  slug: '',
  title: '',
  content: '',
  excerpt: '',
  password: '',
  author_id: 0,
  parent_id: 0,
  menu_order: 0,
  comment_count: 0,
  guid: '',
  mime_type: '',
  content_filtered: '',
}

/** A post as it will be stored. */
type Reserved = Pick<Post, 'id' | 'type' | 'status' | 'date'> & Partial<Post>

/** What the URL of a new post is now, which identifies it for good; null where that has one of its terms. */
export async function guidBefore({ permalinks }: PluginContext['services'], post: Reserved) {
  const scope = new RequestCache()
  const structure = await permalinks.structure(scope)
  return structure.post.includes('%category%') ? null : permalinks.post({ ...BLANK, ...post }, scope)
}
