/** Exports of the kernel for default plugins. `plugins/public.ts` selects the ones that `svc-rest` exports. */

// The kernel's own interface merges come first: the compiler loses merges of other modules that it reads before them.
export type {} from './hooks.ts'
export type {} from './rest/hooks.ts'

// Plugins and their context
export type { Advice } from './advice.ts'
// Plugins merge their services in, which the compiler only allows through `export *`.
export * from './plugin.ts'
export * from './branding.ts'
export * from './site-config.ts'
export {
  defineErrors,
  errors,
  invalidParam,
  RestError,
  sentence,
  thrownError,
  type ErrorBody,
  type ErrorData,
  type ErrorMaker,
  type BrokenRule,
} from './errors.ts'
export { derived, derivedOfAll, OwnedList, OwnedMap } from './owned-map.ts'
export {
  currentOwner,
  Owner,
  registrations,
  type CheckedTap,
  type Label,
  type Owned,
  type OwnerAdvice,
  type Registrant,
  type Undo,
} from './ownership.ts'
export { shareOf, type WorkerPlace } from './worker-place.ts'
export { trustPlugins } from './trust.ts'
export { addQuery, decodePath, trimEndSlashes, Urls, type SitePath, type UrlForm } from './urls.ts'

// Hooks
// Plugins merge their hooks in.
export * from './hooks/hook.ts'
export type { Any } from './hooks/any.ts'
export type { About } from './hooks/concern.ts'
export { awaitAll, isThenable, type Awaitable } from './awaitable.ts'
export type { MatchedRequest, Concern, ConcernOf, ConcernsBy, OneOrMore, Subject } from './hooks/concern.ts'
export { applyFilter, applySyncFilter, runAction } from './hooks/run.ts'
export { blamed, type PartialTapOptions } from './hooks/tap.ts'
export { isPerRequest, isUsed } from './hooks/tapable-hook.ts'

// Schemas and arguments
// The library of schemas merges schema keywords in.
export * from './rest/arguments.ts'

// Requests, responses, routes, controllers
export { readCaptures } from './rest/check-request.ts'
export type { RawExchange } from './rest/dispatch.ts'
export type { ConditionalRequests } from './rest/conditional.ts'
export { authorizationStatus, forbidden } from './rest/forbidden.ts'
export { RequestCache, type Since as RequestSince } from './rest/request-cache.ts'
export {
  ensureRequest,
  requestingUser,
  requestOf,
  RestRequest,
  VISITOR,
  type RequestedFields,
  type CurrentUser,
  type ReceivedBytes,
  type RequestBody,
  type RestRequestInit,
  type UploadedFile,
} from './rest/request.ts'
export {
  dataOf,
  ensureResponse,
  linksIn,
  RestResponse,
  type Link,
  type LinkMap,
  type Links,
  type ResponseBody,
  type Served,
  type Server,
} from './rest/response.ts'
export { OpenResponse, type OpenBody } from './rest/open-response.ts'
export type { ResponseBudget } from './rest/response-budget.ts'
export type { CacheableRequest, CachedResponse, HttpCache, ResponseSteps } from './rest/http-cache.ts'
export type { Match as RouteMatch } from './rest/router.ts'
export {
  allowsMethod,
  makeRoute,
  METHODS,
  type Registered,
  type Endpoint,
  type EndpointGroup,
  type Handler,
  type PermissionCheck,
  type Route,
  type RouteGroups,
} from './rest/routes.ts'
export { RestServer, type Exchange, type RequestReadsCache } from './rest/server.ts'

// HTTP
export type { Body, BodyReader } from './http/bodies.ts'
export type { Call, CallParts } from './http/call.ts'
export type { Client } from './http/client.ts'
export type { RequestNote, RequestNotes } from './http/request-notes.ts'
export type { RequestUrl } from './http/request-url.ts'
export { HeaderMap, type HeaderValue, type Received as ReceivedHeaders } from './http/headers.ts'
export { guarded } from './http/guarded.ts'
export type { Connection, LimitedCall, QueuedRequest, RequestLimits, Transfer } from './http/limits.ts'
export { STATUS_CODES } from './http/node-http.ts'
export type { ErrorPage } from './http/refusal.ts'
export type { FormReader, PageFinder, SitePage } from './http/pages.ts'
export { noParams, paramsOf, parseQuery, type Pair, type Params } from './http/query-string.ts'
export { hasBody, isReadMethod } from './http/request-line.ts'
export type { RequestHooks } from './http/request-hooks.ts'

// Texts
export { cleanName, cleanText } from './text/clean-text.ts'
export { isObject } from './is-object.ts'
export { shown } from './text/shown.ts'
export { trimEndMarks, trimMarks } from './text/trim.ts'
export { messageOf } from './text/message-of.ts'

// Work for a request, and recorded reads
export { recordReads, type CacheHints, type DependsOn, type ReadRecorder } from './reads.ts'
export { BusyError, outageOf, type Outage } from './outages.ts'
export { unlessAborted, withinSeconds } from './deadline.ts'
export { currentWork, runDetached, runWork, Work, type Guard, type Wait, type Waiting } from './work.ts'

// Tracing
// Plugins merge their channels in.
export * from './tracing.ts'
