import { readCaptures, type Links, RestRequest, linksIn, type RestServer } from '../../kernel/index.ts'
import { allowedMethods } from './allowed-methods.ts'

/** An item that is at hand, and the collection whose item it is. */
export interface LinkedItem {
  readonly item: unknown
  /** Namespace and base, such as `svc/v2/posts`. */
  readonly collection: string
}

/** The items of requests that were made to ask what may be done with them. */
const subjects = new WeakMap<RestRequest, LinkedItem>()

/** The item of a collection that a request was made to ask about; undefined for any other request. */
export function subjectOf(request: RestRequest, collection: string): unknown {
  const subject = subjects.get(request)
  return subject?.collection === collection ? subject.item : undefined
}

/**
 * Links of an item, that to itself with the methods that the user may use there: `targetHints.allow`. The checks of its
 * route are asked about a request that gives nothing but the URL; they find the item with `subjectOf`.
 */
export async function withTargetHints(
  server: RestServer,
  links: Links,
  subject: LinkedItem | undefined,
  request: RestRequest,
): Promise<Links> {
  const [link, ...more] = linksIn(links['self'] ?? [])
  if (link === undefined || more.length > 0 || 'targetHints' in link) return links
  const asked = RestRequest.fromUrl(link.href, server.urls, request)
  const match = asked === null ? undefined : server.match(asked.route)[0]
  if (asked === null || match === undefined) return links
  asked.captures = readCaptures(server.arguments, match.captures, match.route.endpoints)
  asked.matchedRoute = match.route.pattern
  if (subject !== undefined) subjects.set(asked, subject)
  const allow = await allowedMethods(server, match.route, asked)
  return allow.length === 0 ? links : { ...links, self: { ...link, targetHints: { allow } } }
}
