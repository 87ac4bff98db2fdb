import { hash } from 'node:crypto'
import type { NewRow, Store } from '../../storage/store/index.ts'
import {
  LOCATIONS_OPTION,
  MENU_TAXONOMY,
  metaOfItem,
  ITEM_POST_TYPE,
  type StoredItem,
} from '../../content/menu-items.ts'

/** Name of the option with the state of the setup, which exists only on sites that began with the sample. */
export const SETUP_OPTION = 'site_setup'

/** The state of the setup in the admin. */
export interface SiteSetup {
  /** `new` until the setup was shown, `done` after it was completed or dismissed. */
  readonly status: 'new' | 'started' | 'done'
  /** Names of the steps that were completed or skipped. */
  readonly steps: readonly string[]
}

const NEW_SETUP: SiteSetup = { status: 'new', steps: [] }

/** IDs of the rows of the sample, stored in an option. */
export interface SampleList extends Record<'users' | 'posts' | 'terms' | 'comments', number[]> {
  /** Options set with the sample, by name. */
  options: Record<string, unknown>
  /** Digest of the posts, terms and comments of the sample. */
  digest: string
}

export interface SampleParts {
  /** Home URL of the site. */
  home: string
  /** URL of the login page. */
  admin: string
  /** Prefix of block names and classes in content. */
  mark: string
  login: string
  passwordHash: string
}

export const ADMINISTRATOR = { key: 'roles', value: JSON.stringify(['administrator']), json: 1 }

/** Creates a user, terms, posts and a comment in an empty site. */
export async function fillSample(
  tx: Store,
  { home, admin, mark, login, passwordHash }: SampleParts,
): Promise<SampleList> {
  const { MENU, samplePosts, TERMS } = await import('./sample-content.ts')
  const { db } = tx
  const now = Date.now()
  const at = (age: number) => new Date(now - age * 60_000).toISOString().slice(0, 19).replace('T', ' ')
  const names = { login, slug: login, name: login }
  const user = await insert(tx, 'users', { ...names, registered: at(0), password_hash: passwordHash })
  const nickname = { key: 'nickname', value: login, json: 0 }
  await tx.run(db.insertInto('user_meta').values([ADMINISTRATOR, nickname].map((meta) => ({ ...meta, user_id: user }))))

  const contents = samplePosts(admin, mark)
  const terms = new Map<string, number>()
  for (const term of TERMS) {
    const count = contents.filter((post) => post.terms?.includes(term.slug)).length
    terms.set(term.slug, await insert(tx, 'terms', { ...term, count }))
  }

  const ids = new Map<string, number>()
  for (const [index, { terms: slugs = [], ...post }] of contents.entries()) {
    const date = at(contents.length - index)
    const dates = { date, date_gmt: date, modified: date, modified_gmt: date }
    const comment_status = post.type === 'post' ? 'open' : 'closed'
    const row = { ...post, ...dates, status: 'publish', author_id: user, comment_status }
    const id = await insert(tx, 'posts', row)
    const guid = `${home}/?${post.type === 'post' ? 'p' : 'page_id'}=${id}`
    await tx.run(db.updateTable('posts').set({ guid }).where('id', '=', id))
    for (const slug of slugs) {
      await tx.run(db.insertInto('term_relationships').values({ post_id: id, term_id: terms.get(slug)! }))
    }
    ids.set(post.slug, id)
  }
  const commented = [...ids.values()].at(-1)!
  const comment = await insert(tx, 'comments', {
    post_id: commented,
    author_name: 'A reader',
    date: at(0),
    date_gmt: at(0),
    content: 'Readers answer like this. A comment can be held back, or removed.',
  })
  await tx.run(db.updateTable('posts').set({ comment_count: 1 }).where('id', '=', commented))

  const menu = await insert(tx, 'terms', {
    taxonomy: MENU_TAXONOMY,
    name: MENU.name,
    slug: MENU.slug,
    count: MENU.pages.length + 1,
  })
  const addItem = async (
    order: number,
    title: string,
    item: Pick<StoredItem, 'type' | 'object' | 'object_id' | 'url'>,
  ) => {
    const date = at(0)
    const dates = { date, date_gmt: date, modified: date, modified_gmt: date }
    const row = { type: ITEM_POST_TYPE, title, menu_order: order, ...dates, status: 'publish', author_id: user }
    const id = await insert(tx, 'posts', row)
    await tx.run(
      db
        .updateTable('posts')
        .set({ slug: String(id), guid: `${home}/?p=${id}` })
        .where('id', '=', id),
    )
    await tx.run(db.insertInto('term_relationships').values({ post_id: id, term_id: menu }))
    const meta = metaOfItem({ ...item, object_id: item.object_id || id, parent: 0, target: '', classes: [''], xfn: [] })
    const values = Object.entries(meta).flatMap(([key, all]) =>
      all.map((value) => {
        const isText = typeof value === 'string'
        return { post_id: id, key, value: isText ? value : JSON.stringify(value), json: isText ? 0 : 1 }
      }),
    )
    await tx.run(db.insertInto('post_meta').values(values))
    return id
  }
  const items = [await addItem(1, 'Home', { type: 'custom', object: 'custom', object_id: 0, url: `${home}/` })]
  for (const [at, slug] of MENU.pages.entries())
    items.push(await addItem(at + 2, '', { type: 'post_type', object: 'page', object_id: ids.get(slug)!, url: '' }))

  const options = {
    title: 'A new site',
    description: 'A place to write, and to be read',
    default_category: terms.get('general')!,
    [LOCATIONS_OPTION]: { primary: menu },
    // An import that replaces the sample deletes it, unless the setup has started.
    [SETUP_OPTION]: NEW_SETUP,
  }
  for (const [name, value] of Object.entries(options)) {
    const option = db.insertInto('options').values({ name, value: JSON.stringify(value) })
    await tx.run(option.onConflict((conflict) => conflict.column('name').doNothing()))
  }
  await tx.syncSequences()
  const posts = [...ids.values(), ...items]
  const list = { users: [user], posts, terms: [...terms.values(), menu], comments: [comment] }
  return { ...list, options, digest: await digestOf(tx, list) }
}

async function insert<Table extends 'users' | 'terms' | 'posts' | 'comments'>(
  tx: Store,
  table: Table,
  row: NewRow<Table>,
): Promise<number> {
  const query = tx.db
    .insertInto<'users' | 'terms' | 'posts' | 'comments'>(table)
    .values(row as never)
    .returning('id')
  return (await tx.first(query))!.id
}

/** Digest of the sample content, without counts, to detect whether it was changed. */
export async function digestOf(store: Store, list: Pick<SampleList, 'posts' | 'terms' | 'comments'>): Promise<string> {
  const { db } = store
  const posts = db
    .selectFrom('posts')
    .select(['id', 'type', 'status', 'slug', 'title', 'content', 'excerpt', 'password', 'modified_gmt'])
  const terms = db.selectFrom('terms').select(['id', 'taxonomy', 'name', 'slug', 'description', 'parent_id'])
  const comments = db.selectFrom('comments').select(['id', 'content', 'approved'])
  const rows = [
    await store.all(posts.where('id', 'in', list.posts).orderBy('id')),
    await store.all(terms.where('id', 'in', list.terms).orderBy('id')),
    await store.all(comments.where('id', 'in', list.comments).orderBy('id')),
  ]
  return hash('sha256', JSON.stringify(rows))
}
