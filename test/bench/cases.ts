import { CONSTANT_ROUTE } from './server.ts'
import { AUTHOR, rareWord, type SiteIds } from './content.ts'

/** One line of the report. */
export interface Case {
  name: string
  /** Which server answers. */
  server: 'fastify' | 'site'
  /** Below the server's URL. */
  path: string
  headers?: Record<string, string>
}

/**
 * What is measured, in the order of the report.
 * @param namespace of the default routes
 */
export function casesOf(namespace: string, ids: SiteIds): Case[] {
  const site = (name: string, path: string): Case => ({ name, server: 'site', path: `/${namespace}${path}` })
  const middle = <T>(list: readonly T[]) => list[Math.floor(list.length / 2)]!
  const credentials = Buffer.from(`${AUTHOR.login}:${AUTHOR.password}`).toString('base64')
  const byAuthor = (one: Case): Case => ({
    ...one,
    name: `${one.name}, application password`,
    headers: { authorization: `Basic ${credentials}` },
  })
  return [
    { name: 'constant: Fastify', server: 'fastify', path: CONSTANT_ROUTE },
    { name: 'constant: Fastify, same headers', server: 'fastify', path: `${CONSTANT_ROUTE}/headers` },
    { name: 'constant: all defaults', server: 'site', path: CONSTANT_ROUTE },
    byAuthor({ name: 'constant', server: 'site', path: CONSTANT_ROUTE }),
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
    site('comments: 10', '/comments'),
    site('users: 10', '/users'),
    site('categories: 10', '/categories'),
    site('tags: 100', '/tags?per_page=100'),
    site('search: posts', `/search?search=${rareWord(42)}`),
    site('search: terms', '/search?type=term&search=garden'),
  ]
}
