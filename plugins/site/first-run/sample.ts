import { createHash } from 'node:crypto'
import { freeUserSlug } from '../../people/users/index.ts'
import type { NewRow, Row, Store } from '../../storage/store/index.ts'

/** Name of the option that lists what the sample consists of. */
const OPTION = 'sample_site'

/** Ids of what the sample consists of, as the option keeps them. */
interface Listed {
  users: number[]
  posts: number[]
  terms: number[]
  comments: number[]
  /** Options that came with it, by name. */
  options: Record<string, unknown>
  /** Digest of posts, terms and comments as they were made. */
  digest: string
}

/** The administrator of a sample that was removed. */
export interface FormerAdministrator {
  user: Row<'users'>
  meta: { key: string; value: string; json: number }[]
  applicationPasswords: Row<'application_passwords'>[]
}

/** What a new sample is made with. */
export interface SampleParts {
  /** Home address of the site. */
  home: string
  login: string
  passwordHash: string
}

/** Whether the database holds neither people nor content, and no sample has ever been made. */
export async function isEmptySite(store: Store): Promise<boolean> {
  if ((await listed(store)) !== null) return false
  for (const table of ['users', 'posts', 'terms'] as const) {
    if ((await store.first(store.db.selectFrom(table).select('id').limit(1))) !== undefined) return false
  }
  return true
}

/**
 * Fills an empty site: a few posts, pages and terms, a comment, and an administrator.
 * @param beforeCommit what is done once all is made and nothing counts yet; when it fails, nothing is made
 * @returns false when the site was not empty, or another process was faster
 */
export async function makeSample(
  store: Store,
  parts: SampleParts,
  beforeCommit: () => Promise<void> = async () => {},
): Promise<boolean> {
  return await store.inTurn(async (tx) => {
    if (!(await isEmptySite(tx))) return false
    // Claims the site: whoever comes second waits here, and finds the option.
    const claim = tx.db.insertInto('options').values({ name: OPTION, value: 'null' })
    const { changes } = await tx.run(claim.onConflict((conflict) => conflict.column('name').doNothing()))
    if (changes === 0) return false
    const list = await fill(tx, parts)
    await tx.run(
      tx.db
        .updateTable('options')
        .set({ value: JSON.stringify(list) })
        .where('name', '=', OPTION),
    )
    await beforeCommit()
    return true
  })
}

/**
 * Whether the site holds the sample and nothing else, and nobody has changed it; an import may then take its place with
 * `removeSample`.
 */
export async function isOnlySample(store: Store): Promise<boolean> {
  const list = await listed(store)
  if (list === null) return false
  for (const table of ['users', 'posts', 'terms', 'comments'] as const) {
    const rows = await store.all(
      store.db
        .selectFrom(table)
        .select('id')
        .orderBy('id')
        .limit(list[table].length + 1),
    )
    if (rows.map(({ id }) => id).join() !== list[table].join()) return false
  }
  return (await digestOf(store, list)) === list.digest
}

/**
 * Takes the sample away. Call it inside the transaction of the import that takes its place, and at its end
 * `restoreAdministrator` with what is returned, so that the site's owner can still log in.
 */
export async function removeSample(tx: Store): Promise<FormerAdministrator[]> {
  const list = await listed(tx)
  if (list === null) return []
  const former = await administratorsOf(tx, list.users)
  for (const table of ['comments', 'posts', 'terms', 'users'] as const) {
    if (list[table].length > 0) await tx.run(tx.db.deleteFrom(table).where('id', 'in', list[table]))
  }
  for (const [name, value] of Object.entries(list.options)) {
    // What the owner has set meanwhile stays.
    await tx.run(tx.db.deleteFrom('options').where('name', '=', name).where('value', '=', JSON.stringify(value)))
  }
  await tx.run(tx.db.deleteFrom('options').where('name', '=', OPTION))
  return former
}

/**
 * Gives the owner of a former sample an account again, unless the import brought an administrator with a password. An
 * account of the same login that came without a password becomes the owner's; otherwise the owner gets a new id.
 */
export async function restoreAdministrator(tx: Store, former: readonly FormerAdministrator[]): Promise<void> {
  for (const { user, meta, applicationPasswords } of former) {
    if (await hasAdministrator(tx)) return
    const { id: formerId, ...row } = user
    const namesake = await tx.first(
      tx.db.selectFrom('users').select(['id', 'password_hash']).where('login', '=', user.login),
    )
    if (namesake !== undefined && namesake.password_hash !== '') return
    let id: number
    if (namesake === undefined) {
      const free = (await tx.first(tx.db.selectFrom('users').select('id').where('id', '=', formerId))) === undefined
      const slug = await freeUserSlug(tx, row.slug)
      const values = { ...row, slug, ...(free ? { id: formerId } : {}) }
      id = (await tx.first(tx.db.insertInto('users').values(values).returning('id')))!.id
      for (const one of meta) await tx.run(tx.db.insertInto('user_meta').values({ ...one, user_id: id }))
    } else {
      id = namesake.id
      await tx.run(tx.db.updateTable('users').set({ password_hash: user.password_hash }).where('id', '=', id))
      await tx.run(tx.db.deleteFrom('user_meta').where('user_id', '=', id).where('key', '=', 'roles'))
      await tx.run(tx.db.insertInto('user_meta').values({ ...ADMINISTRATOR, user_id: id }))
    }
    for (const { id: _, ...password } of applicationPasswords) {
      await tx.run(tx.db.insertInto('application_passwords').values({ ...password, user_id: id }))
    }
  }
}

const ADMINISTRATOR = { key: 'roles', value: JSON.stringify(['administrator']), json: 1 }

async function listed(store: Store): Promise<Listed | null> {
  const row = await store.first(store.db.selectFrom('options').select('value').where('name', '=', OPTION))
  return row === undefined ? null : (JSON.parse(row.value) as Listed | null)
}

async function administratorsOf(tx: Store, ids: readonly number[]): Promise<FormerAdministrator[]> {
  const former: FormerAdministrator[] = []
  for (const id of ids) {
    const user = await tx.first(tx.db.selectFrom('users').selectAll().where('id', '=', id))
    if (user === undefined) continue
    const meta = await tx.all(
      tx.db.selectFrom('user_meta').select(['key', 'value', 'json']).where('user_id', '=', id).orderBy('id'),
    )
    const applicationPasswords = await tx.all(
      tx.db.selectFrom('application_passwords').selectAll().where('user_id', '=', id).orderBy('id'),
    )
    former.push({ user, meta, applicationPasswords })
  }
  return former
}

async function hasAdministrator(tx: Store): Promise<boolean> {
  const query = tx.db
    .selectFrom('users')
    .innerJoin('user_meta', 'user_meta.user_id', 'users.id')
    .select('users.id')
    .where('users.password_hash', '!=', '')
    .where('user_meta.key', '=', 'roles')
    .where('user_meta.value', 'like', '%"administrator"%')
  return (await tx.first(query.limit(1))) !== undefined
}

/** What is compared to tell whether somebody has changed the sample. Counts may change by themselves. */
async function digestOf(store: Store, list: Pick<Listed, 'posts' | 'terms' | 'comments'>): Promise<string> {
  const { db } = store
  const posts = await store.all(
    db
      .selectFrom('posts')
      .select(['id', 'type', 'status', 'slug', 'title', 'content', 'excerpt', 'password', 'modified_gmt'])
      .where('id', 'in', list.posts)
      .orderBy('id'),
  )
  const terms = await store.all(
    db
      .selectFrom('terms')
      .select(['id', 'taxonomy', 'name', 'slug', 'description', 'parent_id'])
      .where('id', 'in', list.terms)
      .orderBy('id'),
  )
  const comments = await store.all(
    db.selectFrom('comments').select(['id', 'content', 'approved']).where('id', 'in', list.comments).orderBy('id'),
  )
  return createHash('sha256')
    .update(JSON.stringify([posts, terms, comments]))
    .digest('hex')
}

/** One post or page of the sample. */
interface SamplePost {
  type: 'post' | 'page'
  slug: string
  title: string
  content: string
  /** Slugs of its terms. */
  terms?: string[]
}

const TERMS: readonly NewRow<'terms'>[] = [
  { taxonomy: 'category', name: 'General', slug: 'general', description: 'What belongs nowhere else.' },
  { taxonomy: 'category', name: 'How it works', slug: 'how-it-works' },
  { taxonomy: 'post_tag', name: 'sample', slug: 'sample' },
  { taxonomy: 'post_tag', name: 'reading', slug: 'reading' },
]

/** Newest last. */
const POSTS: readonly SamplePost[] = [
  {
    type: 'page',
    slug: 'about',
    title: 'About this site',
    content: '<p>A page stands outside of the order of posts. Say here who you are and what the site is about.</p>',
  },
  {
    type: 'page',
    slug: 'contact',
    title: 'Contact',
    content: '<p>Tell your readers how they reach you.</p>',
  },
  {
    type: 'post',
    slug: 'bring-your-own-content',
    title: 'Bring your own content',
    content:
      '<p>An export of another site is read with <code>svc-import</code>: posts, pages, comments, terms and menus, with their ids as long as this sample is all there is.</p>\n' +
      '<p>The sample leaves by itself then.</p>',
    terms: ['how-it-works', 'sample'],
  },
  {
    type: 'post',
    slug: 'ask-for-less',
    title: 'Ask for less, or for more',
    content:
      '<p>A client that needs the titles alone asks for <code>_fields=id,title</code>, and the server does no more work than that.</p>\n' +
      '<p>One that wants the author and the terms of each post as well adds <code>_embed</code>.</p>',
    terms: ['how-it-works', 'reading', 'sample'],
  },
  {
    type: 'post',
    slug: 'hello',
    title: 'Hello',
    content: '<p>This is the first post of a new site. Change it, or delete it and write your own.</p>',
    terms: ['general', 'sample'],
  },
]

async function fill(tx: Store, { home, login, passwordHash }: SampleParts): Promise<Listed> {
  const { db } = tx
  const now = Date.now()
  const at = (age: number) => new Date(now - age * 60_000).toISOString().slice(0, 19).replace('T', ' ')
  const { id: user } = (await tx.first(
    db
      .insertInto('users')
      .values({ login, slug: login, name: login, registered: at(0), password_hash: passwordHash })
      .returning('id'),
  ))!
  const nickname = { key: 'nickname', value: login, json: 0 }
  await tx.run(db.insertInto('user_meta').values([ADMINISTRATOR, nickname].map((meta) => ({ ...meta, user_id: user }))))

  const terms = new Map<string, number>()
  for (const term of TERMS) {
    const count = POSTS.filter((post) => post.terms?.includes(term.slug)).length
    terms.set(
      term.slug,
      (await tx.first(
        db
          .insertInto('terms')
          .values({ ...term, count })
          .returning('id'),
      ))!.id,
    )
  }

  const posts: number[] = []
  for (const [index, { terms: slugs = [], ...post }] of POSTS.entries()) {
    const date = at(POSTS.length - index)
    const dates = { date, date_gmt: date, modified: date, modified_gmt: date }
    const row = {
      ...post,
      ...dates,
      status: 'publish',
      author_id: user,
      comment_status: post.type === 'post' ? 'open' : 'closed',
    }
    const { id } = (await tx.first(db.insertInto('posts').values(row).returning('id')))!
    const guid = `${home}/?${post.type === 'post' ? 'p' : 'page_id'}=${id}`
    await tx.run(db.updateTable('posts').set({ guid }).where('id', '=', id))
    for (const slug of slugs) {
      await tx.run(db.insertInto('term_relationships').values({ post_id: id, term_id: terms.get(slug)! }))
    }
    posts.push(id)
  }

  const commented = posts.at(-1)!
  const { id: comment } = (await tx.first(
    db
      .insertInto('comments')
      .values({
        post_id: commented,
        author_name: 'A reader',
        date: at(0),
        date_gmt: at(0),
        content: 'Readers answer like this. A comment can be held back, or removed.',
      })
      .returning('id'),
  ))!
  await tx.run(db.updateTable('posts').set({ comment_count: 1 }).where('id', '=', commented))

  const options = { title: 'A new site', description: 'Content over HTTP', default_category: terms.get('general')! }
  for (const [name, value] of Object.entries(options)) {
    const insert = db.insertInto('options').values({ name, value: JSON.stringify(value) })
    await tx.run(insert.onConflict((conflict) => conflict.column('name').doNothing()))
  }
  await tx.syncSequences()
  const list = { users: [user], posts, terms: [...terms.values()], comments: [comment] }
  return { ...list, options, digest: await digestOf(tx, list) }
}
