import {
  isThenable,
  readCaptures,
  type Awaitable,
  type CurrentUser,
  type Link,
  type Links,
  RestRequest,
  type Route,
  type RestServer,
} from '../../kernel/index.ts'
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

/** How a controller says that several items have the same methods. */
export interface MethodsClass {
  /** Name of the class: for one user, the methods of its items are the same. */
  readonly name: string
  /** Whether the permission checks of a route are those that the class was named for. */
  decides(route: Route): boolean
}

/** The methods of the items of a class by user, as a request has computed them; null where each item has to be asked. */
type KnownMethods = Map<CurrentUser, Map<string, object>>

/**
 * Links of an item, that to itself with the methods that the user may use there: `targetHints.allow`. The checks of its
 * route are asked about a request that gives nothing but the URL; they find the item with `subjectOf`. Of the items of a
 * class, one is asked about.
 */
export function withTargetHints(
  server: RestServer,
  links: Links,
  subject: LinkedItem | undefined,
  request: RestRequest,
  ofClass: MethodsClass | null = null,
): Awaitable<Links> {
  const own = links['self']
  if (own === undefined || Array.isArray(own) || 'targetHints' in own) return links
  const link = own as Link
  const add = (allow: readonly string[]) =>
    allow.length === 0 ? links : { ...links, self: { ...link, targetHints: { allow } } }
  const methods =
    ofClass === null || subject === undefined
      ? askMethods(server, link, subject, request, null)
      : methodsOfClass(server, link, subject, request, ofClass)
  return isThenable(methods) ? methods.then(add) : add(methods)
}

const KNOWN = Symbol('methods of items')

/** In place of methods: the items of a class have no methods in common. */
const EACH: readonly string[] = []

/** The methods of an item of a class, asked for once by a request. */
function methodsOfClass(
  server: RestServer,
  link: Link,
  subject: LinkedItem,
  request: RestRequest,
  ofClass: MethodsClass,
): Awaitable<readonly string[]> {
  const known = request.scope.getObject(KNOWN, (): KnownMethods => new Map())
  let classes = known.get(request.user)
  if (classes === undefined) known.set(request.user, (classes = new Map()))
  const name = `${subject.collection} ${ofClass.name}`
  let key = classes.get(name)
  if (key === undefined) classes.set(name, (key = {}))
  const orOfItem = (methods: readonly string[]) =>
    methods === EACH ? askMethods(server, link, subject, request, null) : methods
  const methods = request.scope.getLater(key, () => askMethods(server, link, subject, request, ofClass))
  return isThenable(methods) ? methods.then(orOfItem) : orOfItem(methods)
}

/** The methods that the checks of a route permit. @param ofClass the class that they are asked for; null for one item */
async function askMethods(
  server: RestServer,
  { href }: Link,
  subject: LinkedItem | undefined,
  request: RestRequest,
  ofClass: MethodsClass | null,
): Promise<readonly string[]> {
  const asked = RestRequest.fromUrl(href, server.urls, request)
  const match = asked === null ? undefined : server.match(asked.route)[0]
  if (asked === null || match === undefined) return NO_METHODS
  if (ofClass !== null && !ofClass.decides(match.route)) return EACH
  asked.captures = readCaptures(server.arguments, match.captures, match.route.endpoints)
  asked.matchedRoute = match.route.pattern
  if (subject !== undefined) subjects.set(asked, subject)
  return allowedMethods(server, match.route, asked)
}

const NO_METHODS: readonly string[] = []
