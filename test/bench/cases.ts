import type { Load } from './contestant.ts'
import { CONSTANT_ROUTE, type Mode } from './server.ts'
import { AUTHOR, DICE_PAGE, FEED_PAGE, rareWord, type SiteIds } from './content.ts'

/** One line of the report. */
export interface Case extends Load {
  name: string
  /** The server to measure. */
  server: 'fastify' | Mode
  headers?: Record<string, string>
  /** Whether the client revalidates a response with its `ETag`. The bare server sends the whole response. */
  revalidates?: boolean
  /** Number of concurrent connections, if not the default. */
  connections?: number
  /** Minimum ratio to the bare server. */
  budget?: number
}

/** The front page of the site, from the root of its REST API. */
const FRONT_PAGE = '/../'

/** An image of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
)

/**
 * Returns the measured cases, in the order of the report.
 * @param namespace namespace of the default routes
 */
export function casesOf(namespace: string, ids: SiteIds): Case[] {
  const site = (name: string, path: string): Case => ({ name, server: 'cold', path: `/${namespace}${path}` })
  const middle = <T>(list: readonly T[]) => list[Math.floor(list.length / 2)]!
  const credentials = Buffer.from(`${AUTHOR.login}:${AUTHOR.password}`).toString('base64')
  const byAuthor = (one: Case): Case => ({
    ...one,
    name: `${one.name}, application password`,
    headers: { authorization: `Basic ${credentials}` },
  })
  const write = (name: string, path: string, body: Record<string, unknown>): Case => ({
    ...site(`write: ${name}`, path),
    method: 'POST',
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    connections: 8,
  })
  const list = site('posts: 30 kB', '/posts?per_page=10')
  const pagesWith = (number: number | null) => {
    const shown = [...ids.pages.slice(0, number === null ? 10 : 9), ...(number === null ? [] : [ids.pages[number]!])]
    return site('pages', `/pages?include=${shown.join()}`)
  }
  const content = `<p>${'Some words of a post. '.repeat(50)}</p>`
  return [
    { name: 'constant: Fastify', server: 'fastify', path: CONSTANT_ROUTE },
    { name: 'constant: Fastify, same headers', server: 'fastify', path: `${CONSTANT_ROUTE}/headers` },
    { name: 'constant: all defaults', server: 'cold', path: CONSTANT_ROUTE, budget: 0.9 },
    byAuthor({ name: 'constant', server: 'cold', path: CONSTANT_ROUTE }),
    { ...list, name: 'posts: 30 kB, cold' },
    { ...list, name: 'posts: 30 kB, warm fragments', server: 'warm' },
    { ...list, name: 'posts: 30 kB, cached', server: 'cached', budget: 0.95 },
    { ...list, name: 'posts: 30 kB, 304', server: 'cached', revalidates: true, budget: 1.4 },
    { ...list, name: 'posts: 30 kB, cached, a tap of a plugin', server: 'plugins', budget: 0.95 },
    { ...pagesWith(null), name: 'pages: 10, cached', server: 'cached' },
    { ...pagesWith(FEED_PAGE), name: 'pages: 10, cached, one with a feed that fails', server: 'cached' },
    { ...pagesWith(DICE_PAGE), name: 'pages: 10, one that is never cached', server: 'plugins' },
    { name: 'front page', server: 'cold', path: FRONT_PAGE },
    { name: 'front page, cached', server: 'cached', path: FRONT_PAGE, budget: 0.9 },
    { name: 'front page, 304', server: 'cached', path: FRONT_PAGE, revalidates: true, budget: 1.4 },
    site('post', `/posts/${middle(ids.posts)}`),
    byAuthor(site('post', `/posts/${middle(ids.posts)}`)),
    site('posts: 10', '/posts'),
    byAuthor(site('posts: 10', '/posts')),
    site('posts: 100, _fields', '/posts?per_page=100&_fields=id,title,link'),
    site('posts: 10, _embed', '/posts?_embed'),
    site('posts: 100, _embed', '/posts?per_page=100&_embed'),
    site('posts: search, rare word', `/posts?search=${rareWord(42)}`),
    site('posts: search, two words of most posts', '/posts?search=photograph+library'),
    site('posts: category', `/posts?categories=${middle(ids.categories)}`),
    site('pages: 10', '/pages'),
    site('media: 10', '/media'),
    site('media item', `/media/${middle(ids.media)}`),
    site('media: 10, _embed', '/media?_embed'),
    site('comments: 10', '/comments'),
    site('comments: 10, _embed', '/comments?_embed'),
    site('users: 10', '/users'),
    site('categories: 10', '/categories'),
    site('tags: 100', '/tags?per_page=100'),
    site('search: posts', `/search?search=${rareWord(42)}`),
    site('search: terms', '/search?type=term&search=garden'),
    write('create a post', '/posts', { title: 'A title {n}', content, status: 'publish' }),
    write('update a post', `/posts/${ids.posts[1]}`, { title: 'Another title {n}', content }),
    write('comment', '/comments', { post: middle(ids.posts), content: 'Well said, {n} times.' }),
    {
      ...write('upload an image', '/media', {}),
      headers: {
        authorization: `Basic ${credentials}`,
        'content-type': 'image/png',
        'content-disposition': 'attachment; filename="pixel.png"',
      },
      body: PIXEL,
      // The server limits concurrent image processing for each network.
      connections: 2,
    },
  ]
}
