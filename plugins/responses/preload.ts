import {
  decodePath,
  definePlugin,
  RestRequest,
  type CurrentUser,
  type HeaderValue,
  type RestServer,
} from '../../kernel/index.ts'
import { userNamed } from '../people/users/index.ts'

/** A path with an optional query, or a path with a method: `GET` or `OPTIONS`. Any other method counts as `GET`. */
export type PreloadEntry = string | readonly [path: string, method: string]

/** A response that is sent with a page, for the first requests of its scripts. */
export interface Preloaded {
  body: unknown
  headers: Record<string, HeaderValue>
}

/** Responses to GET by path. The key `OPTIONS` contains the responses to OPTIONS by path. */
export interface PreloadMap {
  [path: string]: Preloaded | Record<string, Preloaded>
}

export interface Preload {
  /**
   * Runs internal requests that the scripts of a page would send first (specification 4.6). Empty entries, invalid
   * paths and responses other than 200 are omitted.
   * @param user user of the requests; a visitor by default
   */
  (entries: readonly PreloadEntry[], user?: CurrentUser): Promise<PreloadMap>
}

declare module '../../kernel/index.ts' {
  interface Services {
    /**
     * Responses to the first requests of a client, to be sent with its page.
     * @example
     * const responses = await services.preload(['/svc/v2/types', ['/svc/v2/posts', 'OPTIONS']], request.user)
     */
    preload: Preload
  }
}

/** Creates the responses that clients need first, inside the process (specification 4.6). */
export default definePlugin({
  name: 'preload',
  uses: ['users'],
  provides: ['preload'],
  apply(context) {
    const preload: Preload = async (entries, user) => {
      const { server } = context
      const parent = new RestRequest('GET', '/')
      if (user !== undefined) parent.user = user
      const requests = entries.map(parseEntry).filter((entry) => entry !== null)
      const responses = await Promise.all(requests.map(({ path, method }) => fetchEntry(server, path, method, parent)))
      const map: PreloadMap = {}
      for (const [at, { path, method }] of requests.entries()) {
        const response = responses[at]
        if (response === null || response === undefined) continue
        if (method === 'GET') map[path] = response
        else map['OPTIONS'] = { ...(map['OPTIONS'] as Record<string, Preloaded> | undefined), [path]: response }
      }
      return map
    }
    context.provide('preload', preload)
    context.addCommand('preload', {
      summary: 'Prints responses to preload for a client as JSON.',
      description:
        'Prints the body and headers of GET responses by path. Responses with a status other than 200 are omitted.',
      args: {
        paths: {
          type: 'array',
          items: { type: 'string' },
          required: true,
          description:
            'Paths below the root of the REST API: /svc/v2/posts?per_page=2, OPTIONS:/svc/v2/posts, or JSON: ["/svc/v2/posts", "OPTIONS"].',
        },
      },
      flags: { user: { type: 'string', description: 'Login, email address or ID of the user; a visitor by default.' } },
      async run({ operands: { paths }, flags, print }) {
        const entries = paths.map(parseOperand)
        const { users } = context.services
        const user = flags.user === undefined ? undefined : await users.current(await userNamed(users, flags.user))
        print(JSON.stringify(await preload(entries, user), null, 2))
      },
    })
  },
})

/** Parses an entry of the command line. */
function parseOperand(text: string): PreloadEntry {
  if (!text.startsWith('[')) return text.startsWith('OPTIONS:') ? [text.slice('OPTIONS:'.length), 'OPTIONS'] : text
  const entry: unknown = JSON.parse(text)
  if (!Array.isArray(entry) || entry.length !== 2 || !entry.every((part) => typeof part === 'string')) {
    throw new Error(`The entry ${text} is not a list of a path and a method.`)
  }
  return entry as unknown as PreloadEntry
}

/** Returns the path and method of an entry; null for an entry to skip. */
function parseEntry(entry: PreloadEntry): { path: string; method: 'GET' | 'OPTIONS' } | null {
  // Plugins written in JavaScript can pass any value.
  const [path, method] = Array.isArray(entry) ? (entry as readonly unknown[]) : [entry, 'GET']
  if (typeof path !== 'string' || path === '' || !URL.canParse(path, 'http://preload')) return null
  if (decodePath(path.split('?', 1)[0]!) === null) return null
  return { path, method: method === 'OPTIONS' ? 'OPTIONS' : 'GET' }
}

/** Returns the response that a client would get; null unless its status is 200. */
async function fetchEntry(
  server: RestServer,
  path: string,
  method: string,
  parent: RestRequest,
): Promise<Preloaded | null> {
  const { route, query } = RestRequest.fromPath(path)
  const response = await server.respond(new RestRequest(method, route, { query, parent }))
  if (response.status !== 200) return null
  return { body: server.responseToData(response), headers: Object.fromEntries(response.headers) }
}
