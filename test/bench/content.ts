import { hashApplicationPassword } from '../../plugins/people/application-passwords/index.ts'
import type { NewRow, Store } from '../../plugins/storage/store/index.ts'

/** Number of objects of each kind. */
export interface SiteSize {
  posts: number
  pages: number
  categories: number
  tags: number
  users: number
  media: number
  /** Comments of each post. With several comments, one is a reply to another. */
  comments: number
  /** Revisions of every fourth post. */
  revisions: number
}

/** A blog of several years. */
export const BLOG: SiteSize = {
  posts: 2000,
  pages: 40,
  categories: 40,
  tags: 200,
  users: 25,
  media: 600,
  comments: 3,
  revisions: 2,
}

/** IDs of the objects of a site, in the order of their numbers. */
export interface SiteIds {
  posts: number[]
  pages: number[]
  categories: number[]
  tags: number[]
  users: number[]
  media: number[]
  comments: number[]
}

/** Login name and application password of an author of posts. */
export const AUTHOR = { login: 'writer1', password: 'AbCd EfGh IjKl MnOp QrSt UvWx' }

/** Number of rows of one statement. */
const ROWS_PER_STATEMENT = 100

/**
 * Fills an empty database with a reproducible site: posts of about 1.2 kB of text with blocks (every fourth without blocks),
 * each with an image, two categories, three tags, meta, and comments by visitors and users.
 * @param mark prefix of block comments
 */
export async function fillSite(store: Store, size: SiteSize, mark: string): Promise<SiteIds> {
  return await store.transaction(async (tx) => {
    const users = await fillUsers(tx, size)
    const categories = await fillTerms(tx, 'category', size.categories, size.posts)
    const tags = await fillTerms(tx, 'post_tag', size.tags, size.posts)
    const pages = await fillPages(tx, size, users, mark)
    const posts = await insertAll(
      tx,
      'posts',
      range(size.posts).map((index) => postRow(index, users, size, mark)),
    )
    const media = await fillMedia(tx, size, posts, users)
    await insertAll(
      tx,
      'post_meta',
      posts.flatMap((id, index) => postMeta(id, index, media)),
    )
    await insertAll(
      tx,
      'term_relationships',
      posts.flatMap((id, index) => termsOf(id, index, categories, tags)),
      null,
    )
    await fillRevisions(tx, size, posts, users)
    const comments = await fillComments(tx, size, posts, users)
    const options = {
      title: 'A site of some years',
      permalink: '/%year%/%monthnum%/%postname%/',
      default_category: categories[0] ?? 0,
      // A single client comments without a delay.
      comment_flood_seconds: 0,
    }
    const rows = Object.entries(options).map(([name, value]) => ({ name, value: JSON.stringify(value) }))
    await insertAll(tx, 'options', rows, null)
    return { posts, pages, categories, tags, users, media, comments }
  })
}

/** Stores users with roles, one of them with an application password. */
export async function fillUsers(tx: Store, size: SiteSize): Promise<number[]> {
  const users = await insertAll(
    tx,
    'users',
    range(size.users).map((index) => ({
      login: `writer${index}`,
      slug: `writer-${index}`,
      name: title(index, 2),
      email: `writer${index}@example.com`,
      url: index % 3 === 0 ? `https://example.com/${index}` : '',
      registered: dateOf(index * 5),
    })),
  )
  const roles = (index: number) =>
    JSON.stringify([index === 0 ? 'administrator' : index % 5 === 0 ? 'editor' : 'author'])
  await insertAll(
    tx,
    'user_meta',
    users.flatMap((id, index) => [
      { user_id: id, key: 'roles', value: roles(index), json: 1 },
      { user_id: id, key: 'nickname', value: `writer${index}`, json: 0 },
      { user_id: id, key: 'description', value: sentence(index, 24), json: 0 },
    ]),
  )
  const row = {
    user_id: users[1]!,
    uuid: '8c0f3c1e-6b7a-4d29-9a43-5c1d0c6f2b11',
    name: 'bench',
    created: 1_750_000_000,
  }
  await insertAll(tx, 'application_passwords', [{ ...row, hash: hashApplicationPassword(AUTHOR.password) }])
  return users
}

/** Stores terms of a taxonomy that share a number of posts. */
export async function fillTerms(tx: Store, taxonomy: string, count: number, posts: number): Promise<number[]> {
  const nested = taxonomy === 'category'
  const rows = range(count).map((index) => ({
    taxonomy,
    name: `${title(index, 1)} ${index}`,
    slug: `${taxonomy.replace('_', '-')}-${index}`,
    description: index % 2 === 0 ? sentence(index, 12) : '',
    count: Math.floor(((nested ? 2 : 3) * posts) / count),
  }))
  return nested ? insertNested(tx, 'terms', rows) : insertAll(tx, 'terms', rows)
}

/** Inserts rows in a tree: every fourth is at the top and is the parent of the next three. */
async function insertNested(tx: Store, table: 'terms' | 'posts', rows: readonly object[]): Promise<number[]> {
  const isTop = (index: number) => index % 4 === 0
  const top = await insertAll(
    tx,
    table,
    rows.filter((_, index) => isTop(index)),
  )
  const topOf = (index: number) => top[Math.floor(index / 4)]!
  const children = rows.flatMap((row, index) => (isTop(index) ? [] : [{ ...row, parent_id: topOf(index) }]))
  const below = await insertAll(tx, table, children)
  return rows.map((_, index) => (isTop(index) ? topOf(index) : below[index - Math.floor(index / 4) - 1]!))
}

/** Numbers of the page with a feed from an unknown host, and of the page that plugins exclude from the cache. */
export const FEED_PAGE = 20
export const DICE_PAGE = 21

async function fillPages(tx: Store, size: SiteSize, users: readonly number[], mark: string): Promise<number[]> {
  const feed = `<!-- ${mark}:rss {"feedURL":"https://feed.invalid/"} /-->`
  const more = (index: number) => (index === FEED_PAGE ? feed : index === DICE_PAGE ? '[dice]' : '')
  const row = (index: number): NewRow<'posts'> => ({
    ...datesOf(index * 30),
    type: 'page',
    status: 'publish',
    slug: `page-${index}`,
    title: title(index, 3),
    content: [...paragraphs(index, 3), more(index)].join('\n\n'),
    author_id: users[index % users.length]!,
    menu_order: index,
    comment_status: 'closed',
    ping_status: 'closed',
  })
  return insertNested(tx, 'posts', range(size.pages).map(row))
}

function postRow(index: number, users: readonly number[], size: SiteSize, mark: string): NewRow<'posts'> {
  const texts = paragraphs(index, 2 + (index % 3))
  return {
    ...datesOf(index),
    type: 'post',
    status: 'publish',
    slug: `post-${index}`,
    title: title(index, 5 + (index % 4)),
    content: index % 4 === 3 ? texts.join('\n\n') : inBlocks(texts, index, mark),
    excerpt: index % 2 === 0 ? sentence(index, 22) : '',
    author_id: users[index % users.length]!,
    comment_count: size.comments,
    guid: `https://example.com/?p=${index}`,
  }
}

/** Meta of a post of such a site. Responses contain few of these keys. */
function postMeta(id: number, index: number, media: readonly number[]): NewRow<'post_meta'>[] {
  const row = (key: string, value: string) => ({ post_id: id, key, value, json: 0 })
  const image = media.length === 0 ? [] : [row('_thumbnail_id', String(media[index % media.length]))]
  return [...image, row('_edit_last', '1'), row('subtitle', sentence(index, 7)), row('views', String(index * 17))]
}

function termsOf(
  id: number,
  index: number,
  categories: readonly number[],
  tags: readonly number[],
): NewRow<'term_relationships'>[] {
  const pick = (terms: readonly number[], count: number) =>
    range(count).map((nth) => terms[(index * count + nth) % terms.length]!)
  const terms = new Set([...pick(categories, 2), ...pick(tags, 3)])
  return [...terms].map((term) => ({ post_id: id, term_id: term }))
}

async function fillMedia(
  tx: Store,
  size: SiteSize,
  posts: readonly number[],
  users: readonly number[],
): Promise<number[]> {
  const media = await insertAll(
    tx,
    'posts',
    range(size.media).map((index) => ({
      ...datesOf(index),
      type: 'attachment',
      status: 'inherit',
      slug: `image-${index}`,
      title: title(index, 2),
      excerpt: index % 3 === 0 ? sentence(index, 8) : '',
      author_id: users[index % users.length]!,
      parent_id: posts[index % posts.length] ?? 0,
      guid: `https://example.com/image-${index}.jpg`,
      mime_type: 'image/jpeg',
    })),
  )
  await insertAll(
    tx,
    'post_meta',
    media.flatMap((id, index) => mediaMeta(id, index)),
  )
  return media
}

function mediaMeta(id: number, index: number): NewRow<'post_meta'>[] {
  const file = `2025/01/image-${index}.jpg`
  const sizes = Object.fromEntries(
    Object.entries({ thumbnail: [150, 150], medium: [300, 200], large: [1024, 683] }).map(([name, [width, height]]) => [
      name,
      { file: `image-${index}-${width}x${height}.jpg`, width, height, mime_type: 'image/jpeg', filesize: 40_000 },
    ]),
  )
  const facts = { width: 1600, height: 1067, file, filesize: 250_000, sizes }
  return [
    { post_id: id, key: '_attached_file', value: file, json: 0 },
    { post_id: id, key: '_attachment_metadata', value: JSON.stringify(facts), json: 1 },
    { post_id: id, key: '_attachment_image_alt', value: sentence(index, 6), json: 0 },
  ]
}

async function fillRevisions(
  tx: Store,
  size: SiteSize,
  posts: readonly number[],
  users: readonly number[],
): Promise<void> {
  const rows = posts.flatMap((id, index) => {
    if (index % 4 !== 0) return []
    return range(size.revisions).map((nth) => ({
      ...datesOf(index),
      type: 'revision',
      status: 'inherit',
      slug: `${id}-revision-v1`,
      title: `${title(index, 5)} ${nth}`,
      content: paragraphs(index, 2).join('\n\n'),
      author_id: users[index % users.length]!,
      parent_id: id,
    }))
  })
  await insertAll(tx, 'posts', rows)
}

async function fillComments(
  tx: Store,
  size: SiteSize,
  posts: readonly number[],
  users: readonly number[],
): Promise<number[]> {
  const row = (post: number, index: number, nth: number): NewRow<'comments'> => {
    const byUser = (index + nth) % 4 === 0
    const { date, date_gmt } = datesOf(index)
    return {
      date,
      date_gmt,
      post_id: post,
      author_id: byUser ? users[index % users.length]! : 0,
      author_name: title(index + nth, 2),
      author_email: `reader${index % 50}@example.com`,
      author_url: nth === 0 ? 'https://example.com/reader' : '',
      author_ip: '192.0.2.1',
      content: sentence(index + nth, 30),
    }
  }
  if (size.comments === 0) return []
  const first = await insertAll(
    tx,
    'comments',
    posts.map((post, index) => row(post, index, 0)),
  )
  const others = posts.flatMap((post, index) =>
    range(size.comments - 1).map((nth) => ({ ...row(post, index, nth + 1), parent_id: nth === 0 ? first[index]! : 0 })),
  )
  return [...first, ...(await insertAll(tx, 'comments', others))]
}

/** Inserts rows, many with one statement. Returns their IDs; none if the table has no `id` (null). */
async function insertAll(
  tx: Store,
  table: 'term_relationships' | 'options',
  rows: readonly object[],
  id: null,
): Promise<number[]>
async function insertAll(tx: Store, table: Table, rows: readonly object[]): Promise<number[]>
async function insertAll(tx: Store, table: string, rows: readonly object[], id: 'id' | null = 'id'): Promise<number[]> {
  const ids: number[] = []
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    // Rows of one statement name the same columns.
    const insert = tx.db.insertInto(table as 'posts').values(rows.slice(at, at + ROWS_PER_STATEMENT))
    if (id === null) await tx.run(insert)
    else for (const row of await tx.all(insert.returning('id'))) ids.push(row.id)
  }
  return ids.sort((a, b) => a - b)
}

type Table = 'posts' | 'post_meta' | 'terms' | 'users' | 'user_meta' | 'comments' | 'application_passwords'

// Text

const WORDS = (
  'the a of and to in that it was for on with as his they at be this from have or by one had not but what all were when ' +
  'we there can an your which their said if do will each about how up out them then she many some so these would other ' +
  'into has more her two like him see time could no make than first been its who now people my made over did down only ' +
  'way find use may water long little very after words called just where most know garden morning letter river kitchen ' +
  'window paper station summer neighbour photograph library mountain recipe holiday question weather question evening'
).split(' ')

/** Returns a pseudorandom word. */
function word(seed: number, place: number): string {
  let mixed = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(place + 1, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  return WORDS[(mixed >>> 8) % WORDS.length]!
}

const SYLLABLES = 'ka lo mi ter van sol nu bri den pa'.split(' ')

/** Returns one of a thousand rare words, for searches. */
export function rareWord(seed: number): string {
  const number = Math.imul(seed + 1, 0x9e3779b1) >>> 8
  return [1, 10, 100].map((place) => SYLLABLES[Math.floor(number / place) % 10]).join('')
}

/** Returns a number of pseudorandom words. */
export function title(seed: number, words: number): string {
  const text = range(words)
    .map((place) => word(seed, place))
    .join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Returns a title with a full stop. */
export function sentence(seed: number, words: number): string {
  return `${title(seed + 7919, words)}.`
}

/** Returns paragraphs of about 400 characters, with links, emphasis and non-ASCII characters. */
function paragraphs(seed: number, count: number): string[] {
  return range(count).map((nth) => {
    const own = seed * 31 + nth
    const link = `<a href="https://example.com/${word(own, 1)}">${word(own, 2)} ${word(own, 3)}</a>`
    return `${sentence(own, 26)} ${link} — <em>${word(own, 4)}</em> ${sentence(own + 1, 30)} It’s “${rareWord(own)}”.`
  })
}

function inBlocks(texts: readonly string[], seed: number, mark: string): string {
  const block = (name: string, html: string) => `<!-- ${mark}:${name} -->\n${html}\n<!-- /${mark}:${name} -->`
  const [first = '', ...rest] = texts.map((text) => block('paragraph', `<p>${text}</p>`))
  return [first, block('heading', `<h2>${title(seed, 4)}</h2>`), ...rest].join('\n\n')
}

// Dates

/** Time of the newest post. */
export const NEWEST = Date.UTC(2025, 5, 1, 12)

/** Returns the time of a number of seven-hour steps before the newest post. */
function dateOf(steps: number): string {
  return storedTime(NEWEST - steps * 7 * 3600_000)
}

/** Formats a time in milliseconds as it is stored. */
export function storedTime(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}

function datesOf(steps: number): Record<'date' | 'date_gmt' | 'modified' | 'modified_gmt', string> {
  const date = dateOf(steps)
  return { date, date_gmt: date, modified: date, modified_gmt: date }
}

/** Returns the first `count` numbers from 0. */
export function range(count: number): number[] {
  return Array.from({ length: Math.max(count, 0) }, (_, index) => index)
}
