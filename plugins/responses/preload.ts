import {
  decodePath,
  definePlugin,
  RestRequest,
  type CurrentUser,
  type HeaderValue,
  type RestServer,
} from '../../kernel/index.ts'
import { userNamed } from '../people/users/index.ts'

/** A path with an optional query, or a path with a method: `GET` or `OPTIONS`; any other counts as `GET`. */
export type PreloadEntry = string | readonly [path: string, method: string]

/** A response as a page carries it for the client's first requests. */
export interface Preloaded {
  body: unknown
  headers: Record<string, HeaderValue>
}

/** Responses by path; those of OPTIONS under `OPTIONS`, again by path. */
export interface PreloadMap {
  [path: string]: Preloaded | Record<string, Preloaded>
}

export interface Preload {
  /**
   * Asks inside the process what a page's client would ask first (specification 4.6). Empty entries, paths that cannot
   * be read and responses other than 200 are left out.
   * @param user who asks; by default a visitor
   */
  (entries: readonly PreloadEntry[], user?: CurrentUser): Promise<PreloadMap>
}

declare module '../../kernel/index.ts' {
  interface Services {
    /**
     * Responses to the first requests of a client, to be sent along with its page.
     * @example
     * const responses = await services.preload(['/svc/v2/types', ['/svc/v2/posts', 'OPTIONS']], request.user)
     */
    preload: Preload
  }
}

/** Makes the responses that the pages of clients would ask for first, inside the process (specification 4.6). */
export default definePlugin({
  name: 'preload',
  uses: ['users'],
  provides: ['preload'],
  apply(context) {
    const preload: Preload = async (entries, user) => {
      const { server } = context
      const parent = new RestRequest('GET', '/')
      if (user !== undefined) parent.user = user
      const asked = entries.map(read).filter((entry) => entry !== null)
      const responses = await Promise.all(asked.map(({ path, method }) => ask(server, path, method, parent)))
      const map: PreloadMap = {}
      for (const [at, { path, method }] of asked.entries()) {
        const response = responses[at]
        if (response === null || response === undefined) continue
        if (method === 'GET') map[path] = response
        else map['OPTIONS'] = { ...(map['OPTIONS'] as Record<string, Preloaded> | undefined), [path]: response }
      }
      return map
    }
    context.provide('preload', preload)
    context.addCommand('preload', {
      summary: 'Prints the responses that a client needs first, as JSON.',
      description:
        'They are body and headers of GET, by path. Paths whose response has another status than 200 are left out.',
      args: {
        paths: {
          type: 'array',
          items: { type: 'string' },
          required: true,
          description:
            'Below the root of the REST API: /svc/v2/posts?per_page=2, or OPTIONS:/svc/v2/posts, or as JSON ["/svc/v2/posts", "OPTIONS"].',
        },
      },
      flags: { user: { type: 'string', description: 'Login, email address or ID of who asks; by default a visitor.' } },
      async run({ operands: { paths }, flags, print }) {
        const entries = paths.map(readEntry)
        const { users } = context.services
        const user = flags.user === undefined ? undefined : await users.current(await userNamed(users, flags.user))
        print(JSON.stringify(await preload(entries, user), null, 2))
      },
    })
  },
})

/** An entry as it is written on a command line. */
function readEntry(text: string): PreloadEntry {
  if (!text.startsWith('[')) return text.startsWith('OPTIONS:') ? [text.slice('OPTIONS:'.length), 'OPTIONS'] : text
  const entry: unknown = JSON.parse(text)
  if (!Array.isArray(entry) || entry.length !== 2 || !entry.every((part) => typeof part === 'string')) {
    throw new Error(`${text} is no list of a path and a method.`)
  }
  return entry as unknown as PreloadEntry
}

/** An entry's path and method; null for an entry to skip. */
function read(entry: PreloadEntry): { path: string; method: 'GET' | 'OPTIONS' } | null {
  // Plugins in JavaScript hand over what they please.
  const [path, method] = Array.isArray(entry) ? (entry as readonly unknown[]) : [entry, 'GET']
  if (typeof path !== 'string' || path === '' || !URL.canParse(path, 'http://preload')) return null
  if (decodePath(path.split('?', 1)[0]!) === null) return null
  return { path, method: method === 'OPTIONS' ? 'OPTIONS' : 'GET' }
}

/** The response that the client would have got; null where that is not status 200. */
async function ask(server: RestServer, path: string, method: string, parent: RestRequest): Promise<Preloaded | null> {
  const { route, query } = RestRequest.fromPath(path)
  const response = await server.respond(new RestRequest(method, route, { query, parent }))
  if (response.status !== 200) return null
  return { body: server.responseToData(response), headers: Object.fromEntries(response.headers) }
}
