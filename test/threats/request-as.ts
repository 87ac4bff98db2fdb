import { addPosts, type TestPost } from '../helpers/content.ts'
import type { UserIds, SiteWithUsers } from '../helpers/site-with-users.ts'

// Helpers of the threat tests for all routes. Threats to a single plugin are tested with the plugin.

export const V2 = '/svc/v2'
export const POSTS = `${V2}/posts`

export type Login = keyof UserIds | 'visitor'
export const LOGINS: readonly Login[] = ['visitor', 'sub', 'con', 'ann', 'ed', 'admin']

// oxlint-disable-next-line typescript/no-explicit-any -- tests say what they expect by looking at it
export type Json = any

/** An answer, its body read. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  body: Json
}

/** Sends a request with a JSON body as a user. */
export async function requestAs(
  site: SiteWithUsers,
  login: Login,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await site.request(path, {
    method,
    headers: { 'content-type': 'application/json', ...(login === 'visitor' ? {} : site.by(login)), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  // Files are not JSON.
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  const read: unknown = isJson && text !== '' ? JSON.parse(text) : null
  return { status: response.status, headers: response.headers, text, body: read as Answer['body'] }
}

/** Stores a post and returns its ID. */
export async function add(site: SiteWithUsers, post: TestPost): Promise<number> {
  return (await addPosts(site.store, post))[0]!
}

/** Returns the row of a post. */
export async function stored(site: SiteWithUsers, id: number) {
  return (await site.store.first(site.store.db.selectFrom('posts').selectAll().where('id', '=', id)))!
}

/** Returns the content of the database that a rejected request must not change. */
export async function dump({ store }: SiteWithUsers): Promise<string> {
  const posts = store.db.selectFrom('posts').select(['id', 'status', 'title', 'author_id', 'slug'])
  const users = store.db.selectFrom('users').select(['id', 'login', 'email', 'password_hash'])
  const terms = store.db.selectFrom('terms').select(['id', 'name', 'slug'])
  return JSON.stringify([
    await store.all(posts.orderBy('id')),
    await store.all(users.orderBy('id')),
    await store.all(terms.orderBy('id')),
  ])
}
