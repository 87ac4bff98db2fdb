import { type CompiledQuery, sql } from 'kysely'
import { branding } from '../../bin/config/index.ts'
import type { NewRow, Store } from '../../plugins/storage/store/index.ts'
import { withoutIndexes } from '../../plugins/storage/store/indexes.ts'
import { openStore } from '../../plugins/storage/store/open.ts'
import { filePlace, postgresPlace } from '../helpers/stores.ts'
import { AUTHOR, BLOG, fillTerms, fillUsers, NEWEST, range, rareWord, sentence, storedTime, title } from './content.ts'
import { Contestant } from './contestant.ts'
import { markdownTable } from './table.ts'

/** Default number of posts of the large site. */
export const MANY = 1_000_000
/** Number of posts of the small site that the large site is compared with. */
const SMALL_SITE_POSTS = 10_000
/** Maximum ratio of the times of a list on the large and the small site. */
const BUDGET = 1.5
/** Minimum and maximum number of reads of each list, and the time in milliseconds after which the minimum suffices. */
const READS = { least: 5, max: 25, enough: 3000 }
/** Time span of the posts of the largest site. */
const YEARS = 15
/** Number of terms that all posts share. */
const CATEGORIES = 16
const TAGS = 120
/** Number of rows of one statement. */
const ROWS_PER_STATEMENT = 500

/**
 * Compares the times of lists on a site with many posts and one with 10,000, for each documented order and filter. Requests
 * alternate between both sites; the report contains the medians. Totals are cached until a write, so the first response,
 * which counts the rows, is reported separately.
 * @param server URL of a PostgreSQL server for the databases; without it SQLite files
 */
export async function compareLists(
  posts: number,
  isIncluded: (name: string) => boolean,
  server: string | undefined,
): Promise<string> {
  const place = () => (server === undefined ? filePlace() : postgresPlace(server))
  await using small = await place()
  await using large = await place()
  const ids = await fillLists(small.url, SMALL_SITE_POSTS)
  process.stderr.write(`${SMALL_SITE_POSTS} posts are there\n`)
  await fillLists(large.url, posts)
  process.stderr.write(`${posts} posts are there\n`)
  return await compare(small.url, large.url, listsOf(ids).filter(isIncluded))
}

async function compare(small: string, large: string, lists: readonly string[]): Promise<string> {
  await using smallSite = await Contestant.start(['cold', small, 'meta'])
  await using many = await Contestant.start(['cold', large, 'meta'])
  if (lists.some((list) => list.includes('meta'))) for (const site of [smallSite, many]) await indexMeta(site)
  const plain = median((await readInTurns(smallSite, many, PLAIN)).map(([, ofMany]) => ofMany))
  const rows: string[][] = []
  for (const list of lists) {
    const [first, ...others] = await readInTurns(smallSite, many, list)
    const [ofSmall, ofMany] = [0, 1].map((site) => median(others.map((pair) => pair[site]!))) as [number, number]
    const ratio = ofMany / ofSmall
    rows.push(
      [list, first![0], first![1], ofSmall, ofMany].map((cell) => (typeof cell === 'string' ? cell : cell.toFixed(1))),
    )
    rows.at(-1)!.push(ratio.toFixed(2), ratio > BUDGET ? 'over' : '', (ofMany / plain).toFixed(2))
    process.stderr.write(`${list} ${ratio.toFixed(2)}, of a plain one ${(ofMany / plain).toFixed(2)}\n`)
  }
  const head = [
    'list',
    'first of few, ms',
    'first of many',
    'few, ms',
    'many',
    'ratio',
    `≤ ${BUDGET}`,
    'of a plain one',
  ]
  return markdownTable(head, rows)
}

/** The list that other lists are compared with. */
const PLAIN = 'posts?orderby=date&order=desc'

/** Waits until the values of all posts are indexed: until then, lists by these values can time out. */
async function indexMeta({ url }: Contestant): Promise<void> {
  const began = performance.now()
  for (let status = 503; status !== 200; await new Promise((resolve) => setTimeout(resolve, 500)))
    status = (
      await fetch(`${url}/${branding('svc').namespace('v2')}/posts?meta[color]=none&meta[price]=-1&meta[rank]=-1`)
    ).status
  process.stderr.write(`meta is indexed after ${((performance.now() - began) / 1000).toFixed(1)} s\n`)
}

/** Milliseconds of each response, for both sites. */
async function readInTurns(smallSite: Contestant, many: Contestant, list: string): Promise<[number, number][]> {
  const times: [number, number][] = []
  const began = performance.now()
  while (times.length < READS.least || (times.length < READS.max && performance.now() - began < READS.enough)) {
    times.push([await timeOf(smallSite, list), await timeOf(many, list)])
  }
  return times
}

const CREDENTIALS = Buffer.from(`${AUTHOR.login}:${AUTHOR.password}`).toString('base64')

async function timeOf({ url }: Contestant, list: string): Promise<number> {
  const headers: Record<string, string> = list.includes('status=') ? { authorization: `Basic ${CREDENTIALS}` } : {}
  const start = performance.now()
  const response = await fetch(`${url}/${branding('svc').namespace('v2')}/${list}`, { headers })
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${list}: answered with ${response.status}`)
  return performance.now() - start
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

interface ListIds {
  users: number[]
  categories: number[]
  tags: number[]
}

/** Paths with each documented order and filter of posts, pages, media and the search, relative to the namespace. */
function listsOf({ users, categories, tags }: ListIds): string[] {
  const [user, other] = users.slice(3)
  // One term of each group, so that posts can have both.
  const [category, second] = [categories[5], categories[categories.length - 5]]
  const [tag, next] = [tags[7], tags[tags.length - 7]]
  const orders = ['author', 'date', 'id', 'modified', 'parent', 'slug', 'title'].flatMap((order) =>
    ['asc', 'desc'].map((direction) => `orderby=${order}&order=${direction}`),
  )
  const terms = [
    `categories=${category}`,
    `categories=${category},${second}`,
    `tags=${tag},${next}`,
    `categories=${category}&tags=${tag}`,
    `tags=${tag}&orderby=title`,
    `tags=${tag}&orderby=modified`,
    `categories=${category},${second}&orderby=title`,
    `categories_exclude=${category}`,
    `tags_exclude=${tag},${next}`,
    `categories[terms]=${category},${second}&categories[operator]=AND`,
    `categories=${category}&tags_exclude=${tag}`,
    `categories[terms]=${categories[0]}&categories[include_children]=true`,
    `categories=${category}&tags=${tag}&tax_relation=OR`,
    `categories=${category}&author=${user}`,
  ]
  const people = [
    `author=${user}`,
    `author=${user},${other}`,
    `author=${user}&orderby=title`,
    `author=${user}&orderby=modified`,
    `author_exclude=${user}`,
    `author_exclude=${user},${other}&orderby=title`,
  ]
  const times = ['after=2024-01-01T00:00:00', 'before=2015-01-01T00:00:00'].flatMap((time) => [
    time,
    `${time}&order=asc`,
    `${time}&orderby=title`,
    `modified_${time}`,
    `modified_${time}&orderby=modified`,
    `modified_${time}&orderby=title`,
    `modified_${time}&order=asc`,
  ])
  const searches = ['example', 'garden', rareWord(42), 'garden letter', '"summer neighbour"', 'example -garden']
  const found = searches.map((text) => `search=${encodeURIComponent(text)}`)
  const others = [
    'page=5',
    'per_page=100&_fields=id',
    'exclude=1,2,3',
    'include=1,2,3',
    'include=3,1,2&orderby=include',
    'slug=post-77',
    'slug[]=post-77&slug[]=post-78&orderby=include_slugs',
    'sticky=true',
    'sticky=false',
    'status=draft',
    'status=publish,draft',
    'status=draft&orderby=title',
  ]
  const ranked = [
    ...found.map((search) => `${search}&orderby=relevance`),
    ...['title', 'modified'].map((order) => `search=garden&orderby=${order}`),
    `search=garden&categories=${category}`,
  ]
  const byMeta = [
    'meta[rank][gt]=0',
    'meta[price]=77',
    'meta[color]=red',
    'meta[color][in]=red,blue',
    'meta[color][ne]=red',
    'meta[price][gte]=100&meta[price][lt]=101',
    'meta[price][gte]=10000',
    'meta[price][lt]=40000',
    'orderby=meta.price&order=asc',
    'orderby=meta.price&order=desc',
    'orderby=meta.color',
    'orderby=meta.rank',
    'meta[price][gte]=10000&orderby=meta.price&order=asc',
    'meta[color]=red&orderby=meta.price',
    'meta[rank][gt]=0&orderby=meta.price',
    'meta[color]=red&orderby=title',
    'meta[color]=red&page=5',
    `meta[color]=red&categories=${category}`,
    `meta[price][lt]=10000&categories=${category}`,
    `orderby=meta.price&categories=${category}`,
    'meta[price][exists]=false',
    'meta[color]=red&cursor=first',
  ]
  const pages = [
    ...orders,
    'orderby=menu_order',
    'menu_order=7',
    'parent=0',
    'parent=0&orderby=menu_order&order=asc',
    'parent=0&orderby=title',
    'parent_exclude=0',
    'parent_exclude=0&orderby=title',
  ]
  const media = [
    'page=1',
    'media_type=image',
    'media_type=application',
    'mime_type=image/png',
    'mime_type=image/png&orderby=title',
    'parent=0',
    'search=garden',
    `author=${user}`,
  ]
  return [
    ...[...byMeta, ...orders, ...terms, ...people, ...times, ...found, ...ranked, ...others].map(
      (query) => `posts?${query}`,
    ),
    ...pages.map((query) => `pages?${query}`),
    ...media.map((query) => `media?${query}`),
    ...searches.map((text) => `search?search=${encodeURIComponent(text)}`),
  ]
}

/** Fills an empty database with reproducible posts, and a tenth as many pages and files. */
async function fillLists(url: string, posts: number): Promise<ListIds> {
  const store = await openStore(url)
  try {
    const ids = await store.bulk(() => store.transaction((tx) => fill(tx, posts)))
    // The maintenance that the site, or PostgreSQL, otherwise runs in the background.
    if (store.dialect === 'sqlite') await indexTexts(store)
    else await store.run(sql`vacuum analyze`)
    return ids
  } finally {
    await store.close()
  }
}

async function indexTexts(store: Store): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.run(
      sql`insert into posts_text (rowid, title, excerpt, content) select id, title, excerpt, content from posts`,
    )
    await tx.run(sql`insert into posts_brief (rowid, title, excerpt) select id, title, excerpt from posts`)
    await tx.run(sql`delete from posts_text_queue`)
  })
}

async function fill(tx: Store, posts: number): Promise<ListIds> {
  const users = await fillUsers(tx, BLOG)
  const categories = await fillTerms(tx, 'category', CATEGORIES, posts)
  const tags = await fillTerms(tx, 'post_tag', TAGS, posts)
  const indexAgain = await withoutIndexes(tx, ['posts', 'post_meta', 'term_relationships'])
  const others = Math.floor(posts / 10)
  const step = (YEARS * 365 * 86_400_000) / posts
  await insertRows(tx, 'posts', posts, (index) => postRow(index, step, users))
  await insertRows(tx, 'posts', others, (index) => pageRow(index, step * 10, users, posts))
  await insertRows(tx, 'posts', others, (index) => fileRow(index, step * 10, users, posts, posts + others))
  await insertRows(tx, 'post_meta', posts, (index) =>
    metaRow(index, 'price', String((hash(index, 8) * 50_021) % 50_000)),
  )
  await insertRows(tx, 'post_meta', posts, (index) => metaRow(index, 'color', COLORS[hash(index, 9) % COLORS.length]!))
  const ranked = Math.floor(posts / 1000)
  await insertRows(tx, 'post_meta', ranked, (index) => metaRow(index * 1000, 'rank', String(1 + hash(index, 10))))
  // Each post has one term of each group.
  const groups = [...groupsOf(categories, 2), ...groupsOf(tags, 3)]
  for (const [nth, terms] of groups.entries()) {
    await insertRows(tx, 'term_relationships', posts, (index) => {
      const { id, type, status, date } = postRow(index, step, users)
      const term = terms[hash(index, nth) % terms.length]!
      return { post_id: id!, term_id: term, post_type: type!, post_status: status!, post_date: date! }
    })
  }
  await indexAgain()
  // Otherwise the site counts as new and gets sample content.
  await tx.run(tx.db.insertInto('options').values({ name: 'title', value: '"A large site"' }))
  return { users, categories, tags }
}

const COLORS = [
  'red',
  'blue',
  'green',
  'black',
  'white',
  'pink',
  'brown',
  'gold',
  'teal',
  'lime',
  'navy',
  'gray',
  'plum',
  'rose',
  'sand',
  'mint',
  'rust',
  'wine',
  'jade',
  'coal',
]

function metaRow(index: number, key: string, value: string): NewRow<'post_meta'> {
  return { post_id: index + 1, key, value, json: 0 }
}

function groupsOf(terms: readonly number[], count: number): number[][] {
  const size = Math.floor(terms.length / count)
  return range(count).map((nth) => terms.slice(nth * size, (nth + 1) * size))
}

function hash(index: number, place: number): number {
  const mixed = Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(place + 1, 0x85ebca6b)
  return (Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 8) & 0xffff
}

function row(index: number, step: number, users: readonly number[]): NewRow<'posts'> {
  const published = NEWEST - Math.floor(index * step)
  // Every seventh post was modified up to three years later.
  const later = index % 7 === 0 ? Math.min(NEWEST, published + hash(index, 1) * 1_440_000) : published
  const [date, modified] = [storedTime(published), storedTime(later)]
  return {
    title: title(index, 5),
    content: `<p>${sentence(index, 40)} See <a href="https://example.com/">here</a>: “${rareWord(index)}”.</p>`,
    author_id: users[hash(index, 2) % users.length]!,
    date,
    date_gmt: date,
    modified,
    modified_gmt: modified,
  }
}

function postRow(index: number, step: number, users: readonly number[]): NewRow<'posts'> {
  const status = index % 20 === 5 ? 'draft' : 'publish'
  const named = {
    id: index + 1,
    type: 'post',
    slug: `post-${index}`,
    status,
    parent_id: 0,
    menu_order: 0,
    mime_type: '',
  }
  return { ...row(index, step, users), ...named }
}

/** Parents of pages: a quarter has none, a tenth has the first page, the others have one of these. */
function pageRow(index: number, step: number, users: readonly number[], before: number): NewRow<'posts'> {
  const above = index % 10 === 1 ? 0 : index - (index % 4)
  const parent = index % 4 === 0 ? 0 : before + 1 + above
  const place = { slug: `page-${index}`, status: 'publish', parent_id: parent, menu_order: hash(index, 3) % 50 }
  return { ...row(index, step, users), id: before + index + 1, type: 'page', ...place, mime_type: '' }
}

const MIME_TYPES = ['image/jpeg', 'image/jpeg', 'image/png', 'application/pdf']

function fileRow(
  index: number,
  step: number,
  users: readonly number[],
  posts: number,
  before: number,
): NewRow<'posts'> {
  const parent = index % 3 === 0 ? 0 : 1 + (index % posts)
  const named = {
    id: before + index + 1,
    type: 'attachment',
    slug: `file-${index}`,
    status: 'inherit',
    parent_id: parent,
  }
  return { ...row(index, step, users), ...named, menu_order: 0, mime_type: MIME_TYPES[hash(index, 4) % 4]! }
}

/** Inserts rows with the same columns in the same order, with a statement that is built once. */
async function insertRows<T extends 'posts' | 'post_meta' | 'term_relationships'>(
  tx: Store,
  table: T,
  count: number,
  rowOf: (index: number) => NewRow<T>,
): Promise<void> {
  let compiled: CompiledQuery | undefined
  for (let at = 0; at < count; at += ROWS_PER_STATEMENT) {
    const rows = range(Math.min(ROWS_PER_STATEMENT, count - at)).map((index) => rowOf(at + index))
    const parameters = rows.flatMap((values) => Object.values(values))
    if (compiled?.parameters.length !== parameters.length) compiled = tx.db.insertInto(table).values(rows).compile()
    await tx.run({ ...compiled, parameters })
  }
}
