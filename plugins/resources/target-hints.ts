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

/** An item that has already been read, and its collection. */
export interface LinkedItem {
  readonly item: unknown
  /** Namespace and base, such as `svc/v2/posts`. */
  readonly collection: string
}

/** Items of the internal requests that check permissions. */
const subjects = new WeakMap<RestRequest, LinkedItem>()

/** Returns the item for which an internal request checks permissions; undefined for any other request. */
export function subjectOf(request: RestRequest, collection: string): unknown {
  const subject = subjects.get(request)
  return subject?.collection === collection ? subject.item : undefined
}

/** A class of items that allow the same methods. */
export interface MethodsClass {
  /** Name of the class. Its items allow the same methods to one user. */
  readonly name: string
  /** Returns whether a route has the permission checks that the class was computed for. */
  decides(route: Route): boolean
}

/** Cached methods by user and class for one request. */
type CachedMethods = Map<CurrentUser, Map<string, object>>

/**
 * Adds `targetHints.allow` to the `self` link of an item: the methods that the user can use. The permission checks of
 * its route run for an internal request that contains only the URL, and get the item from `subjectOf`. They run once
 * for a class of items.
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
      ? fetchMethods(server, link, subject, request, null)
      : methodsOfClass(server, link, subject, request, ofClass)
  return isThenable(methods) ? methods.then(add) : add(methods)
}

const METHODS_CACHE = Symbol('methods of items')

/** Placeholder: the items of the class must be checked one by one. */
const CHECK_EACH: readonly string[] = []

/** Returns the methods of a class of items, computed once per request. */
function methodsOfClass(
  server: RestServer,
  link: Link,
  subject: LinkedItem,
  request: RestRequest,
  ofClass: MethodsClass,
): Awaitable<readonly string[]> {
  const cachedMethods = request.scope.getObject(METHODS_CACHE, (): CachedMethods => new Map())
  let classes = cachedMethods.get(request.user)
  if (classes === undefined) cachedMethods.set(request.user, (classes = new Map()))
  const name = `${subject.collection} ${ofClass.name}`
  let key = classes.get(name)
  if (key === undefined) classes.set(name, (key = {}))
  const orOfItem = (methods: readonly string[]) =>
    methods === CHECK_EACH ? fetchMethods(server, link, subject, request, null) : methods
  const methods = request.scope.getLater(key, () => fetchMethods(server, link, subject, request, ofClass))
  return isThenable(methods) ? methods.then(orOfItem) : orOfItem(methods)
}

/**
 * Returns the methods that the permission checks of a route allow. @param ofClass class to compute them for; null for a
 * single item
 */
async function fetchMethods(
  server: RestServer,
  { href }: Link,
  subject: LinkedItem | undefined,
  request: RestRequest,
  ofClass: MethodsClass | null,
): Promise<readonly string[]> {
  const internal = RestRequest.fromUrl(href, server.urls, request)
  const match = internal === null ? undefined : server.match(internal.route)[0]
  if (internal === null || match === undefined) return NO_METHODS
  if (ofClass !== null && !ofClass.decides(match.route)) return CHECK_EACH
  internal.captures = readCaptures(server.arguments, match.captures, match.route.endpoints)
  internal.matchedRoute = match.route.pattern
  if (subject !== undefined) subjects.set(internal, subject)
  return allowedMethods(server, match.route, internal)
}

const NO_METHODS: readonly string[] = []
