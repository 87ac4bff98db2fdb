import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers, type SiteWithUsers, type UserIds } from '../helpers/site-with-users.ts'
import { add, POSTS, V2 } from './request-as.ts'

/** A request of a set: path, user, and method and body of a write. */
interface Sent {
  readonly path: string
  readonly login?: keyof UserIds
  readonly method?: string
  readonly body?: unknown
}

/** Header that marks the requests whose clients leave. */
const LEAVES = 'x-leaves'
/** Characters of the contents; more than are rendered without yielding. */
const CONTENT = '<p>Some "quoted" text.</p>\n'.repeat(100)
const BLOCKS = '<!-- wp:latest-posts /--><!-- wp:categories /--><!-- wp:latest-comments /-->[gallery ids="1,2"]'

const rest = (paths: readonly string[], login?: keyof UserIds): Sent[] =>
  paths.map((path) => ({ path: `/svc-json${V2}/${path}`, ...(login && { login }) }))
const pages = (paths: readonly string[], login?: keyof UserIds): Sent[] =>
  paths.map((path) => ({ path, ...(login && { login }) }))
const write = (login: keyof UserIds, path: string, body: unknown, method = 'POST'): Sent => ({
  path: `/svc-json${path}`,
  login,
  method,
  body,
})

/** Sets of requests that are sent together, some of them identical. @param n different in each call */
const SETS: Readonly<Record<string, (posts: readonly number[], n: number, file: string) => readonly Sent[]>> = {
  'lists of posts': () =>
    rest(['posts?per_page=100', 'posts?per_page=100', 'posts?per_page=100', 'posts?per_page=9', 'posts?search=text']),
  'lists for editors': () => [
    ...rest(['posts?context=edit&status=any', 'posts?context=edit&status=any', 'comments?context=edit'], 'ed'),
    ...rest(['users?context=edit', 'templates', 'menus', 'navigation'], 'admin'),
  ],
  'embedded objects': ([id]) => rest([`posts?_embed&per_page=4`, `posts?_embed&per_page=4`, `posts/${id}?_embed`]),
  'single items': (posts) => rest([0, 0, 1, 2].map((index) => `posts/${posts[index]}`)),
  'other collections': () =>
    rest(['pages', 'media', 'comments', 'users', 'categories', 'types', 'search?search=text', 'categories']),
  'pages of the site': ([id]) =>
    pages(['/', '/', `/?p=${id}`, '/?s=text', '/feed/', '/feed/', '/sitemap.xml', '/none/']),
  'pages for users': ([id]) => pages(['/', `/?p=${id}`, `/?p=${id}&preview=true`], 'ed'),
  'files of unpublished posts': (_posts, _n, file) => pages([file, file]),
  'admin pages': () => pages(['garden/', 'garden/posts', 'garden/users'], 'admin'),
  'writes of posts': ([id, other], n) => [
    write('ed', POSTS, { title: `New ${n}`, content: CONTENT, status: 'publish' }),
    write('ed', `${POSTS}/${id}`, { title: `Changed ${n}` }),
    write('ed', `${POSTS}/${other}`, { content: `${CONTENT}${n}` }),
  ],
  'other writes': ([id], n) => [
    write('admin', `${V2}/categories`, { name: `Category ${n}` }),
    write('ed', `${V2}/comments`, { post: id, content: `Comment ${n}` }),
    write('admin', `${V2}/settings`, { title: `Title ${n}` }),
  ],
  batches: ([id, other], n) => [
    write('ed', '/batch/v1', {
      requests: [id, other].map((post) => ({ path: `${POSTS}/${post}`, body: { title: `Batch ${n}` } })),
    }),
  ],
}

for (const { name, place } of databases) {
  const aborted = suite(`aborted requests on ${name}`)
  let site: SiteWithUsers
  let posts: number[]
  /** Path of a file that belongs to a draft. */
  let file: string
  /** Responses in progress, by their requests. */
  const open = new Map<ServerResponse, IncomingMessage>()
  const unhandled: unknown[] = []
  /** Makes the texts of writes unique. */
  let steps = 0
  const record = (reason: unknown) => void unhandled.push(reason)
  const begun = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    open.set(response, request)
    response.once('close', () => open.delete(response))
  }

  aborted.before(async () => {
    process.on('unhandledRejection', record)
    subscribe('http.server.request.start', begun)
    site = await serveWithUsers(place)
    posts = []
    for (const content of [CONTENT, BLOCKS, CONTENT, BLOCKS, CONTENT])
      posts.push(await add(site, { title: 'A text', content, author_id: site.users.ann }))
    const draft = await add(site, { title: 'A draft', status: 'draft', author_id: site.users.ed })
    const uploaded = await site.request(`${V2}/media?post=${draft}`, {
      method: 'POST',
      headers: {
        ...site.by('ed'),
        'content-type': 'text/plain',
        'content-disposition': 'attachment; filename="a.txt"',
      },
      body: 'A text.',
    })
    file = new URL(((await uploaded.json()) as { source_url: string }).source_url).pathname
  })

  aborted.after(async () => {
    await site[Symbol.asyncDispose]()
    unsubscribe('http.server.request.start', begun)
    process.off('unhandledRejection', record)
  })

  /** Sends the requests. @returns their statuses; null for a request whose connection was closed */
  const send = (requests: readonly Sent[], leaves: (index: number) => boolean): Promise<(number | null)[]> =>
    Promise.all(
      requests.map(async ({ path, login, method = 'GET', body }, index) => {
        const headers = { 'content-type': 'application/json', ...(login && site.by(login)) }
        const url = new URL(path, site.listening)
        try {
          const response = await fetch(url, {
            method,
            headers: { ...headers, ...(leaves(index) && { [LEAVES]: '1' }) },
            redirect: 'manual',
            ...(body !== undefined && { body: JSON.stringify(body) }),
          })
          await response.arrayBuffer()
          return response.status
        } catch {
          return null
        }
      }),
    )

  /**
   * Sends requests whose clients leave when the database gets the statement with this number.
   * @returns their statuses, and whether there were as many statements
   */
  const sendAndLeave = async (requests: readonly Sent[], statement: number, leaves: (index: number) => boolean) => {
    // The data of each step is new, so that nothing is cached.
    const touched = ['post:0', 'posts', 'table:posts', 'table:options', 'table:terms', 'table:comments', 'table:users']
    await site.store.changes.touch(touched)
    site.kernel.server.reset()
    let count = 0
    const stop = site.store.onStatement(() => {
      count += 1
      if (count !== statement) return
      for (const [response, request] of open) if (request.headers[LEAVES] !== undefined) response.destroy()
    })
    const statuses = await send(requests, leaves)
    stop()
    return { statuses, isReached: count >= statement }
  }

  for (const [set, make] of Object.entries(SETS)) {
    for (const [who, leaves] of [
      ['all clients leave', () => true],
      ['the first client leaves', (index: number) => index === 0],
    ] as const) {
      aborted(
        `S41: ${set}: ${who} at each statement, without an unhandled rejection or an effect on others`,
        async () => {
          const expected = await send(make(posts, (steps += 1), file), () => false)
          for (let statement = 1, isReached = true; isReached; statement += Math.max(1, Math.floor(statement / 8))) {
            const result = await sendAndLeave(make(posts, (steps += 1), file), statement, leaves)
            isReached = result.isReached
            const others = <T>(list: readonly T[]) => list.filter((_, index) => !leaves(index))
            assert.equal(others(result.statuses), others(expected), `statement ${statement}`)
            assert.equal(unhandled.splice(0), [], `statement ${statement}`)
          }
        },
      )
    }
  }

  aborted.run()
}
