import { RequestCache, type PluginContext } from '../../../kernel/index.ts'
import { sql, type Store } from '../../storage/store/index.ts'
import type { Post } from './post.ts'

/**
 * Reserves the ID of the next post, so that the row can be inserted with values that depend on it; an update after the
 * insert would cost as much as the insert. Call it within the write turn, once before each insert.
 */
export async function reservePostId(tx: Store): Promise<number> {
  const query =
    tx.dialect === 'postgres'
      ? sql<{ id: number }>`select nextval('posts_id_seq') as id`
      : sql<{ id: number }>`select coalesce((select seq from sqlite_sequence where name = 'posts'), 0) + 1 as id`
  return (await tx.first(query))!.id
}

/** Defaults of the columns that a new post does not set. */
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

/** A post about to be inserted. */
type Reserved = Pick<Post, 'id' | 'type' | 'status' | 'date'> & Partial<Post>

/** The current URL of a new post, which becomes its permanent GUID. Null if the URL contains one of its terms. */
export async function guidBefore({ permalinks }: PluginContext['services'], post: Reserved) {
  const scope = new RequestCache()
  const structure = await permalinks.structure(scope)
  return structure.post.includes('%category%') ? null : permalinks.post({ ...BLANK, ...post }, scope)
}
