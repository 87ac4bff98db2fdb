import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { FILE_KEY, METADATA_KEY } from '../../plugins/content/meta-keys.ts'
import { filesOf } from '../../plugins/content/media/attachment-data.ts'
import type { Store } from '../../plugins/storage/store/index.ts'

/** A rule for every database at rest: a description of the violation, and a query that selects violations as `subject`. */
type Invariant = readonly [breach: string, query: string]

/** Maximum number of reported rows for each rule. */
const MAX_REPORTED_ROWS = 5

/** Finds rows with a reference to a missing row. 0 means no reference. */
function dangling(table: string, column: string, target: string): Invariant {
  return [
    `${table}.${column} names no row of ${target}`,
    `select ${table}.id as subject from ${table} left join ${target} as target on target.id = ${table}.${column}
      where ${table}.${column} <> 0 and target.id is null`,
  ]
}

/** Finds rows that are their own ancestors. */
function circles(table: string): Invariant {
  return [
    `${table} are above themselves`,
    `with recursive above (id, up) as (
        select id, parent_id from ${table} where parent_id <> 0
        union select above.id, ${table}.parent_id from above join ${table} on ${table}.id = above.up
      ) select id as subject from above where id = up`,
  ]
}

/** Finds rows whose owner is missing. */
function orphans(table: string, column: string, owners: string): Invariant {
  return [
    `${table} of no row of ${owners}`,
    `select ${column} as subject from ${table} where ${column} not in (select id from ${owners})`,
  ]
}

/** Meta keys with at most one value per object. */
const SINGLE = [
  '_thumbnail_id',
  '_attached_file',
  '_attachment_metadata',
  '_page_template',
  '_trash_meta_status',
  '_desired_post_slug',
]

const quoted = (texts: readonly string[]) => texts.map((text) => `'${text}'`).join()

/** Condition for posts whose slug must be unique. */
const NAMED = `slug <> '' and status not in ('draft', 'pending', 'auto-draft')`

const INVARIANTS: readonly Invariant[] = [
  dangling('comments', 'parent_id', 'comments'),
  dangling('comments', 'author_id', 'users'),
  [
    'comments below one of another post',
    `select comments.id as subject from comments join comments as above on above.id = comments.parent_id
      where above.post_id <> comments.post_id`,
  ],
  ['comments of no post', 'select id as subject from comments where post_id not in (select id from posts)'],
  dangling('posts', 'parent_id', 'posts'),
  ['revisions of no post', `select id as subject from posts where type = 'revision' and parent_id = 0`],
  [
    'content outside of the trash whose author is nobody',
    `select id as subject from posts where author_id <> 0 and author_id not in (select id from users)
      and type in ('post', 'page', 'attachment') and status <> 'trash'`,
  ],
  [
    'terms below no term of their taxonomy',
    `select terms.id as subject from terms left join terms as above
      on above.id = terms.parent_id and above.taxonomy = terms.taxonomy
      where terms.parent_id <> 0 and above.id is null`,
  ],
  circles('comments'),
  circles('posts'),
  circles('terms'),
  orphans('post_meta', 'post_id', 'posts'),
  orphans('term_meta', 'term_id', 'terms'),
  orphans('comment_meta', 'comment_id', 'comments'),
  orphans('user_meta', 'user_id', 'users'),
  orphans('sessions', 'user_id', 'users'),
  orphans('application_passwords', 'user_id', 'users'),
  orphans('term_relationships', 'post_id', 'posts'),
  orphans('term_relationships', 'term_id', 'terms'),
  [
    'featured images that are no file',
    `select post_id as subject from post_meta where key = '_thumbnail_id'
      and value not in (select cast(id as text) from posts where type = 'attachment')`,
  ],
  [
    'more than one value of a key that has one',
    `select post_id as subject from post_meta where key in (${quoted(SINGLE)}) group by post_id, key having count(*) > 1`,
  ],
  [
    'more than one list of roles',
    `select user_id as subject from user_meta where key = 'roles' group by user_id having count(*) > 1`,
  ],
  [
    'numbers of comments that are wrong',
    `select id as subject from posts where comment_count <> (select count(*) from comments
      where comments.post_id = posts.id and comments.approved = '1' and comments.type <> 'note')`,
  ],
  [
    'numbers of posts of a term that are wrong',
    `select id as subject from terms where count <> (select count(*) from term_relationships as link
      join posts on posts.id = link.post_id where link.term_id = terms.id and posts.status = 'publish')`,
  ],
  [
    'relationships that carry another state than their post has',
    `select link.post_id as subject from term_relationships as link join posts on posts.id = link.post_id
      where link.post_type <> posts.type or link.post_status <> posts.status or link.post_date <> posts.date`,
  ],
  ['slugs of terms twice', 'select min(id) as subject from terms group by taxonomy, slug having count(*) > 1'],
  [
    'slugs of posts twice',
    `select min(id) as subject from posts where ${NAMED} and type not in ('page', 'revision')
      group by type, slug having count(*) > 1`,
  ],
  [
    'slugs of pages twice below one parent',
    `select min(id) as subject from posts where ${NAMED} and type = 'page'
      group by parent_id, slug having count(*) > 1`,
  ],
  [
    'more than one autosave of a user',
    `select min(id) as subject from posts where type = 'revision' and slug like '%-autosave-v1'
      group by parent_id, author_id having count(*) > 1`,
  ],
  ['logins twice', 'select min(id) as subject from users group by lower(login) having count(*) > 1'],
  [
    'email addresses twice',
    `select min(id) as subject from users where email <> ''
      group by lower(email) having count(*) > 1`,
  ],
  ['two users with one slug', 'select min(id) as subject from users group by slug having count(*) > 1'],
]

/** Options that contain the ID of an object, with the table and a condition for the object. */
const NAMING_OPTIONS: Readonly<Record<string, string>> = {
  sticky_posts: `select id from posts where type = 'post' and status <> 'trash'`,
  page_on_front: `select id from posts where status <> 'trash'`,
  page_for_posts: `select id from posts where status <> 'trash'`,
  site_icon: `select id from posts where type = 'attachment'`,
  site_logo: `select id from posts where type = 'attachment'`,
  default_category: `select id from terms where taxonomy = 'category'`,
}

/**
 * Checks a database at rest: dangling references, wrong counters, duplicate names. Returns a sentence for each violated rule
 * with the IDs of a few rows.
 */
export async function brokenInvariants(store: Store): Promise<string[]> {
  const broken: string[] = []
  for (const [breach, query] of INVARIANTS) {
    const rows = await store.all<{ subject: unknown }>(sql`${sql.raw(query)} limit ${MAX_REPORTED_ROWS}`)
    if (rows.length > 0) broken.push(`${breach}: ${rows.map(({ subject }) => subject).join(', ')}`)
  }
  return [...broken, ...(await brokenOptions(store))]
}

async function brokenOptions(store: Store): Promise<string[]> {
  const broken: string[] = []
  for (const { name, value } of await store.all(store.db.selectFrom('options').select(['name', 'value']))) {
    let parsed: unknown
    try {
      parsed = JSON.parse(value)
    } catch {
      broken.push(`option that is no JSON: ${name}`)
      continue
    }
    const objects = NAMING_OPTIONS[name]
    const ids = [parsed].flat().map(Number).filter(Boolean)
    if (objects === undefined || ids.length === 0) continue
    const there = await store.all<{ id: number }>(sql`${sql.raw(objects)} and id in (${sql.join(ids)})`)
    const missing = ids.filter((id) => !there.some((row) => row.id === id))
    if (missing.length > 0) broken.push(`option ${name} names nothing: ${missing.join(', ')}`)
    if (new Set(ids).size < ids.length) broken.push(`option ${name} names something twice`)
  }
  return broken
}

/**
 * Compares the files and rows of a site at rest: finds files without an attachment or a pending deletion, and attachments
 * without their file.
 * @param uploads the uploads folder
 */
export async function brokenFiles(store: Store, uploads: string): Promise<string[]> {
  const { db } = store
  const expectedFiles = new Set<string>()
  const mains = new Set<string>()
  const rows = await store.all(
    db.selectFrom('post_meta').select(['post_id', 'key', 'value']).where('key', 'in', [FILE_KEY, METADATA_KEY]),
  )
  for (const { post_id: id, value: main } of rows.filter(({ key }) => key === FILE_KEY)) {
    const metadata = rows.find(({ post_id: owner, key }) => owner === id && key === METADATA_KEY)
    mains.add(main)
    for (const file of filesOf({ file: main, metadata: metadata && JSON.parse(metadata.value) }))
      expectedFiles.add(file)
  }
  const pending = new Set((await store.all(db.selectFrom('pending_files').select('file'))).map(({ file }) => file))
  const entries = await readdir(uploads, { recursive: true, withFileTypes: true }).catch(() => [])
  const there = new Set(
    entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name).slice(join(uploads, '/').length)),
  )
  const stray = [...there].filter((file) => !expectedFiles.has(file) && !pending.has(file) && !file.startsWith('.'))
  const missing = [...mains].filter((file) => !there.has(file))
  return [...stray.map((file) => `file of no attachment: ${file}`), ...missing.map((file) => `missing file: ${file}`)]
}
