import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { addPosts } from '../helpers/content.ts'
import type { SiteWithUsers } from '../helpers/site-with-users.ts'

/** IDs of one object of each kind. No object of another kind has the ID, nor gets it during a test. */
export const FIXED_IDS = {
  post: 700_001,
  page: 700_002,
  attachment: 700_003,
  item: 700_004,
  revision: 700_005,
  trashed: 700_006,
  category: 600_001,
  tag: 600_002,
  menu: 600_003,
  comment: 500_001,
  user: 400_001,
} as const

export type Kind = keyof typeof FIXED_IDS

/** Stores an object of each kind with its ID. */
export async function storeFixedObjects({ store }: SiteWithUsers): Promise<void> {
  const { db } = store
  await addPosts(
    store,
    { id: FIXED_IDS.post, title: 'Fixed post' },
    { id: FIXED_IDS.page, type: 'page', title: 'Fixed page' },
    { id: FIXED_IDS.attachment, type: 'attachment', status: 'inherit', title: 'Fixed file', mime_type: 'image/png' },
    { id: FIXED_IDS.item, type: 'nav_menu_item', title: 'Fixed item' },
    { id: FIXED_IDS.revision, type: 'revision', status: 'inherit', title: 'Fixed revision', parent_id: FIXED_IDS.post },
    { id: FIXED_IDS.trashed, type: 'page', status: 'trash', title: 'Fixed trashed page' },
  )
  const term = (id: number, taxonomy: string) => ({
    id,
    taxonomy,
    name: `Fixed ${taxonomy}`,
    slug: `fixed-${taxonomy}`,
  })
  const terms = [
    term(FIXED_IDS.category, 'category'),
    term(FIXED_IDS.tag, 'post_tag'),
    term(FIXED_IDS.menu, 'nav_menu'),
  ]
  await store.run(db.insertInto('terms').values(terms))
  const date = '2024-05-01 12:00:00'
  const comment = { id: FIXED_IDS.comment, post_id: FIXED_IDS.post, content: 'Fixed', date, date_gmt: date }
  await store.run(db.insertInto('comments').values({ ...comment, approved: '1' }))
  const user = { id: FIXED_IDS.user, login: 'fixed', email: 'fixed@mail.example', slug: 'fixed', name: 'Fixed' }
  await store.run(db.insertInto('users').values({ ...user, registered: date }))
}

/** Tables with what requests write, and their columns; the server itself changes the other columns of webhooks. */
const WRITTEN: Readonly<Record<string, string>> = {
  posts: '*',
  post_meta: '*',
  terms: '*',
  term_meta: '*',
  term_relationships: '*',
  comments: '*',
  comment_meta: '*',
  users: '*',
  user_meta: '*',
  options: '*',
  application_passwords: '*',
  webhooks: 'id, url, name, kinds, types, unpublished',
}

/** Returns a digest of the rows of each table that requests write. */
export async function snapshot({ store }: SiteWithUsers): Promise<Record<string, string>> {
  const digests: Record<string, string> = {}
  for (const [name, columns] of Object.entries(WRITTEN)) {
    const rows = await store.all(sql`select ${sql.raw(columns)} from ${sql.table(name)}`)
    const lines = rows.map((row) => JSON.stringify(row)).sort()
    digests[name] = createHash('sha256').update(lines.join('\n')).digest('hex')
  }
  return digests
}
