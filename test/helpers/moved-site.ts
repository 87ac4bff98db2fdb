import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { hashApplicationPassword } from '../../plugins/people/application-passwords/index.ts'
import type { NewRow, Store } from '../../plugins/storage/store/index.ts'
import { openStore } from '../../plugins/storage/store/open.ts'
import { BLOG, fillSite, range, sentence, title } from '../bench/content.ts'
import { databaseProcesses, ProcessorTime } from './processor-time.ts'
import { filePlace, type Place } from './stores.ts'
import { run } from './svc-serve.ts'
import { until } from './until.ts'

const BIN = resolve(import.meta.dirname, '../../bin/svc-import')
/** Application password of the administrator `mover` of the old site. */
export const PASSWORD = 'abcdefghijklmnopqrstuvwx'
/** IDs far above the others, with gaps between them. */
const UNUSUAL_IDS = [99_999, 1_000_003, 70_000_001, 2_147_483_000]

/** A plugin with a content type, a taxonomy and meta, which both sites run. */
const PLUGIN = `
export default {
  name: 'recipes',
  needs: ['content-types', 'taxonomies', 'meta'],
  apply({ services }) {
    services.contentTypes.register('recipe', { label: 'Recipes', public: true, show_in_rest: true, rest_base: 'recipes',
      hierarchical: true, supports: ['title', 'editor', 'author', 'custom-fields', 'page-attributes', 'revisions'] })
    services.taxonomies.register('course', 'recipe', { label: 'Courses', show_in_rest: true, rest_base: 'courses' })
    services.meta.register('post', 'subtitle', { type: 'string', single: true, show_in_rest: true })
    services.meta.register('post', 'views', { type: 'integer', single: true, show_in_rest: true })
    services.meta.register('post', 'spice', { type: 'string', show_in_rest: true })
  },
}
`
/** Returns the files of a site with the plugin. */
export function filesOf(plugins: object): Record<string, string> {
  const config = { plugins: { recipes: { use: './recipes.js' }, ...plugins }, log: 'warn' }
  return { 'svc.config.json': JSON.stringify(config), 'recipes.js': PLUGIN }
}
const FILES = filesOf({ 'first-run': false })

/** The result of moving a site. */
export interface MovedSite {
  /** Number of posts of all types, and of all objects, on the old site. */
  items: number
  objects: number
  /** Seconds of each run, the killed ones included. */
  seconds: number[]
  /** Seconds of processor time; null where it cannot be measured. */
  processor: Record<'importing' | 'source' | 'database', number | null>
  /** The report of the last run. */
  report: string
  /** Rows that differ between both sites. */
  differences: string[]
}

/**
 * Moves a generated site from a running server to an empty site with `svc-import`, which is killed at random moments.
 * @param posts number of posts; there are pages, media, comments, terms, menus and items of another type in addition
 * @param kills number of times that the command is killed
 * @param makePlace creates the database of the new site
 */
export async function moveSite(posts: number, kills: number, makePlace: () => Promise<Place>): Promise<MovedSite> {
  await using herePlace = await makePlace()
  await using old = await serveOldSite(posts)
  const { home } = old
  const folder = await mkdtemp(join(tmpdir(), 'moved-'))
  try {
    for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, name), text)
    await writeFile(join(folder, 'password'), PASSWORD)
    const commands: number[] = []
    const command = () => {
      const started = startImport(folder, home, herePlace.url)
      if (started.pid !== undefined) commands.push(started.pid)
      return started
    }
    const importing = new ProcessorTime(() => commands)
    const source = new ProcessorTime(() => (old.pid === undefined ? [] : [old.pid]))
    await using processes = databaseProcesses(herePlace.url)
    const database = new ProcessorTime(() => processes.ids)
    const seconds: number[] = []
    const expectedPages = Math.ceil(posts / 100)
    for (let kill = 0; kill < kills; kill += 1) {
      const started = performance.now()
      const running = command()
      const before = await pagesIn(folder)
      const pages = before + 1 + Math.floor((Math.random() * (expectedPages - before)) / (kills - kill))
      const isLast = kill === kills - 1 && Math.random() < 0.5
      await until(async () => running.isOver() || (isLast ? await hasRead(folder) : (await pagesIn(folder)) >= pages))
      running.kill()
      const { code, output } = await running.end()
      if (code === 1) throw new Error(output)
      seconds.push((performance.now() - started) / 1000)
    }
    const started = performance.now()
    const { code, output } = await command().end()
    if (code !== 0) throw new Error(output)
    seconds.push((performance.now() - started) / 1000)
    const processor = { importing: importing.stop(), source: source.stop(), database: database.stop() }
    await using before = await open(old.place)
    const hereHome = /^Imported \d+ objects from \S+ to (\S+) /m.exec(output)?.[1] ?? ''
    return {
      ...(await countOf(before.store)),
      seconds,
      processor,
      report: output,
      differences: await differencesOf(old, herePlace, [hereHome]),
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A generated site, served by `svc-serve`. */
export interface OldSite extends AsyncDisposable {
  readonly home: string
  readonly place: Place
  readonly pid: number | undefined
}

/** Serves a generated site. @param posts as `moveSite` */
export async function serveOldSite(posts: number): Promise<OldSite> {
  const place = await filePlace()
  await fillOldSite(place, posts)
  const server = await run(['--database', place.url, '--port', '0'], FILES)
  return {
    home: await server.home(),
    place,
    pid: server.pid,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}

/** Compares the rows of both sites that the REST API shows. @param homes home URLs that the new site has had */
export async function differencesOf(old: OldSite, here: Place, homes: readonly string[]): Promise<string[]> {
  await using before = await open(old.place)
  await using after = await open(here)
  return rowsThatDiffer(await contentOf(before.store, [old.home]), await contentOf(after.store, homes))
}

function startImport(folder: string, home: string, database: string) {
  const flags = ['--user', 'mover', '--password-file', 'password', '--allow', '127.0.0.1:*', '--no-download']
  const child = spawn(process.execPath, [BIN, home, ...flags, '--compare', 'all', '--database', database], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += part.toString()))
  const ended = once(child, 'close') as Promise<[number | null]>
  return {
    pid: child.pid,
    isOver: () => child.exitCode !== null,
    kill: () => child.kill('SIGKILL'),
    end: async () => {
      const [code] = await ended
      return { code, output }
    },
  }
}

/** The files in which the command stores what it has read. */
async function spooledFiles(folder: string): Promise<string[]> {
  return await readdir(join(folder, 'data/uploads/.imports'), { recursive: true }).catch(() => [])
}

async function pagesIn(folder: string): Promise<number> {
  return (await spooledFiles(folder)).filter((name) => name.endsWith('.jsonl')).length
}

/** Whether the command has read everything and begins to store it. */
async function hasRead(folder: string): Promise<boolean> {
  return (await spooledFiles(folder)).some((name) => name.endsWith('read.json'))
}

async function open({ url }: Place): Promise<{ store: Store } & AsyncDisposable> {
  const store = await openStore(url)
  return { store, [Symbol.asyncDispose]: () => store.close() }
}

async function fillOldSite(place: Place, posts: number): Promise<void> {
  await using opened = await open(place)
  const { store } = opened
  const { db } = store
  const size = { ...BLOG, posts, media: Math.ceil(posts / 20), revisions: 0 }
  const ids = await fillSite(store, size, 'wp')
  await store.transaction(async (tx) => {
    for (const [index, status] of (['draft', 'private', 'pending', 'trash'] as const).entries()) {
      const some = ids.posts.filter((_id, at) => at % 40 === index)
      for (const id of some) await tx.run(db.updateTable('posts').set({ status }).where('id', '=', id))
    }
    const recipe = (id: number, parent: number): NewRow<'posts'> => ({
      id,
      type: 'recipe',
      status: 'publish',
      slug: `recipe-${id}`,
      title: title(id, 4),
      content: `<!-- wp:paragraph -->\n<p>${sentence(id, 20)}</p>\n<!-- /wp:paragraph -->`,
      author_id: ids.users[0]!,
      parent_id: parent,
      date: '2024-05-06 07:08:09',
      date_gmt: '2024-05-06 07:08:09',
      modified: '2024-05-06 07:08:09',
      modified_gmt: '2024-05-06 07:08:09',
      guid: `https://old.example/?p=${id}`,
    })
    for (const [index, id] of UNUSUAL_IDS.entries()) {
      await tx.run(db.insertInto('posts').values(recipe(id, UNUSUAL_IDS[index + 1] ?? 0)))
      for (const value of ['mild', 'hot']) {
        await tx.run(db.insertInto('post_meta').values({ post_id: id, key: 'spice', value, json: 0 }))
      }
    }
    const revision = { type: 'revision', status: 'inherit', content: 'Older', date: '2024-05-06 07:08:09' }
    for (const id of ids.posts.slice(0, 30)) {
      const row = { ...revision, parent_id: id, slug: `${id}-revision-v1`, title: 'Older', date_gmt: revision.date }
      await tx.run(db.insertInto('posts').values({ ...row, modified: revision.date, modified_gmt: revision.date }))
    }
    await addMenu(tx, ids.posts)
    await addMover(tx)
  })
  await store.syncSequences()
}

async function addMenu(tx: Store, posts: readonly number[]): Promise<void> {
  const { db } = tx
  const menu = (await tx.first(
    db.insertInto('terms').values({ taxonomy: 'nav_menu', slug: 'main', name: 'Main', count: 20 }).returning('id'),
  ))!.id
  for (const order of range(20)) {
    const row = { type: 'nav_menu_item', status: 'publish', title: `Item ${order}`, menu_order: order + 1 }
    const dates = { date: '2024-01-01 00:00:00', date_gmt: '2024-01-01 00:00:00' }
    const item = (await tx.first(
      db
        .insertInto('posts')
        .values({ ...row, ...dates })
        .returning('id'),
    ))!.id
    const meta = {
      type: 'post_type',
      object: 'post',
      object_id: String(posts[order]),
      menu_item_parent: '0',
      target: '',
    }
    for (const [key, value] of Object.entries(meta)) {
      await tx.run(db.insertInto('post_meta').values({ post_id: item, key: `_menu_item_${key}`, value, json: 0 }))
    }
    await tx.run(db.insertInto('term_relationships').values({ post_id: item, term_id: menu }))
  }
}

async function addMover(tx: Store): Promise<void> {
  const { db } = tx
  const user = {
    login: 'mover',
    slug: 'mover',
    name: 'Mover',
    email: 'mover@old.example',
    registered: '2024-01-01 00:00:00',
  }
  const { id } = (await tx.first(db.insertInto('users').values(user).returning('id')))!
  const roles = { user_id: id, key: 'roles', value: '["administrator"]', json: 1 as const }
  await tx.run(db.insertInto('user_meta').values(roles))
  const password = { uuid: crypto.randomUUID(), user_id: id, name: 'move', hash: hashApplicationPassword(PASSWORD) }
  await tx.run(db.insertInto('application_passwords').values({ ...password, created: 1, scopes: '[]' }))
}

async function countOf(store: Store): Promise<{ items: number; objects: number }> {
  const count = async (table: 'posts' | 'terms' | 'users' | 'comments') =>
    Number((await store.first(store.db.selectFrom(table).select((of) => of.fn.countAll<number>().as('n'))))!.n)
  const items = await count('posts')
  return { items, objects: items + (await count('terms')) + (await count('users')) + (await count('comments')) }
}

/** The rows of a site that the REST API shows, by a name. */
async function contentOf(store: Store, homes: readonly string[]): Promise<Map<string, string>> {
  const { db } = store
  const content = new Map<string, string>()
  const styles = new Set<number>()
  const withoutHome = (text: string) => homes.reduce((changed, home) => changed.replaceAll(home, 'HOME'), text)
  const add = (name: string, row: object) => content.set(name, withoutHome(JSON.stringify(row)))
  const columns = [
    'id',
    'type',
    'status',
    'title',
    'content',
    'excerpt',
    'author_id',
    'parent_id',
    'date',
    'slug',
  ] as const
  for (const post of await store.all(db.selectFrom('posts').select([...columns, 'menu_order', 'comment_count']))) {
    // Reading the styles of a theme creates them.
    if (post.type === 'svc_global_styles') {
      styles.add(post.id)
      continue
    }
    // Menu items have neither author, date nor slug in the REST API.
    const { author_id: _author, date: _date, slug: _slug, ...shown } = post
    add(`post ${post.id}`, post.type === 'nav_menu_item' ? shown : post)
  }
  for (const { id, ...comment } of await store.all(
    db.selectFrom('comments').select(['id', 'post_id', 'parent_id', 'author_name', 'content', 'approved', 'date']),
  )) {
    add(`comment ${id}`, comment)
  }
  const terms = ['id', 'taxonomy', 'slug', 'name', 'description', 'parent_id'] as const
  for (const term of await store.all(db.selectFrom('terms').select(terms))) {
    if (term.taxonomy !== 'svc_theme') add(`term ${term.id}`, term)
  }
  for (const user of await store.all(db.selectFrom('users').select(['id', 'login', 'slug', 'email', 'name']))) {
    add(`user ${user.id}`, user)
  }
  for (const link of await store.all(db.selectFrom('term_relationships').select(['post_id', 'term_id']))) {
    if (!styles.has(link.post_id)) add(`term ${link.term_id} of ${link.post_id}`, link)
  }
  return content
}

function rowsThatDiffer(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].flatMap((name) =>
    before.get(name) === after.get(name)
      ? []
      : [`${before.get(name) ?? `no ${name}`} → ${after.get(name) ?? 'nothing'}`],
  )
}
