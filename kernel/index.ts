/** The public surface, `svc-rest`: what plugins import, ours and others'. Hosts have `host.ts` beside it. */

// Plugins and what they are given
// Plugins merge their services in, which the compiler allows through `export *` alone.
export * from './plugin.ts'
export { exportedNames, type Branding, type ImportedHash } from './branding.ts'
export type { PluginSetting, Revision, SecretKey, SiteConfig } from './config-keys.ts'
export {
  defineErrors,
  errors,
  invalidParam,
  RestError,
  type ErrorBody,
  type ErrorData,
  type ErrorMaker,
} from './errors.ts'
export { stringifyWithoutSecrets } from './log.ts'
export { currentOwner, noteAuthor, OwnedMap, Owner, registerFor, registrations } from './ownership.ts'
export type { WorkerPlace } from './worker-place.ts'
export type { Preset } from './plugin-loader.ts'
export { makePrivateFile, makePrivateFolder, PRIVATE_FILE, PRIVATE_FOLDER, warnOfLoose } from './private-files.ts'
export { hideCredentials } from './secrets.ts'
export { trustPlugins } from './trust.ts'
export { addQuery, decodePath, trimEndSlashes, Urls } from './urls.ts'

// Hooks
// Plugins merge their hooks in.
export * from './hooks/hook.ts'
export { attempt, chain, isThenable, together, type Awaitable } from './awaitable.ts'
export type { HookListing } from './hooks/registry.ts'
export { applyFilter, applySyncFilter, runAction } from './hooks/run.ts'
export { isUsed, undeclaredTap } from './hooks/tapable-hook.ts'

// Schemas and arguments
export { checkArguments, checkSizes, type Checked } from './schema/check-arguments.ts'
export type { Arguments, ArgumentSchema, SizeLimits } from './schema/schema.ts'
export { LONG_TEXTS, TEXTS_OF_ANY_LENGTH } from './schema/size-limits.ts'
export { parseValue, sanitizeValue, validateValue } from './schema/validate.ts'

// Requests, responses, routes, controllers
export { readCaptures } from './rest/check-request.ts'
export type { Served } from './rest/dispatch.ts'
export { etagIn, etagOf, includesEtag, sameEntity, variantEtag } from './rest/etag.ts'
export { CollectionController } from './rest/collection-controller.ts'
export { Controller, type ControllerClass } from './rest/controller.ts'
export { FieldSet, namesOf, parseFields } from './rest/field-set.ts'
export { authorizationStatus, forbidden } from './rest/forbidden.ts'
export { Json } from './rest/json.ts'
export type { Link, Links } from './rest/link.ts'
export { SCHEMA_DRAFT, type ItemContext, type ItemSchema, type PropertySchema } from './rest/item-schema.ts'
export { includedIds, pageAfter, pageRange, valuesOf } from './rest/list-arguments.ts'
export { CURSOR_ARGUMENT, cursorOf, foreignCursor, noCursorFor, type ListCursor } from './rest/list-cursor.ts'
export type { Page } from './rest/pagination.ts'
export { RegistryController, shownField, type ItemKey } from './rest/registry-controller.ts'
export { RequestCache } from './rest/request-cache.ts'
export { ensureRequest, RestRequest, VISITOR, type CurrentUser } from './rest/request.ts'
export { viewOf } from './rest/view-of.ts'
export type {
  CollectionInput,
  ItemList,
  ItemRemover,
  MetaSubject,
  Permission,
  ResourceInput,
  ResourcePermissions,
  ResourceReader,
  ResourceWriter,
  Transactions,
} from './rest/resource.ts'
export { ResourceController } from './rest/resource-controller.ts'
export { emptyAsLists, ensureResponse, RestResponse } from './rest/response.ts'
export { ItemBody, ListBody } from './rest/response-body.ts'
export type { KeptRequest, KeptResponse, ResponseKeeper, ResponseMaker } from './rest/response-keeper.ts'
export type { DescriptionContext } from './rest/route-description.ts'
export {
  makeRoute,
  type Endpoint,
  type EndpointGroup,
  type PermissionCheck,
  type Route,
  type RouteGroups,
} from './rest/routes.ts'
export { filterByContext, Selection } from './rest/selection.ts'
export { RestServer, type Envelope, type Exchange } from './rest/server.ts'

// HTTP
export { HeaderMap, type HeaderValue } from './http/headers.ts'
export { networksOf } from './http/networks.ts'
export { noParams, parseQuery, type Params } from './http/query-string.ts'
export type { SitePage, SiteRequest } from './http/site-request.ts'
export type { ReceivedBytes } from './http/spool.ts'

// Texts and dates
export {
  datePair,
  formatUtc,
  gmtOffset,
  isTimeZone,
  localFromUtc,
  parseTimestamp,
  toIso,
  toIsoUtc,
  utcFromLocal,
  zoneOffset,
  type DatePair,
  type TimeZone,
} from './dates.ts'
export { cleanJson, cleanName, cleanText } from './text/clean-text.ts'
export { escapeHtml, escapeHtmlOnce } from './text/escape-html.ts'
export { normalize } from './text/normalize.ts'
export { suggest } from './text/suggest.ts'
export { trimEndMarks, trimMarks } from './text/trim.ts'

// Work that takes long, and what is kept
export { declared, type DependsOn } from './declared.ts'
export {
  collectDependencies,
  collectInto,
  currentDependencies,
  Dependencies,
  dependsOn,
  doNotKeep,
  withoutDependencies,
} from './dependencies.ts'
export { memoize } from './memoize.ts'
export type { Outage } from './outages.ts'
export { Semaphore, type WaitOptions } from './semaphore.ts'
export { stateOf, VersionedCache, type VersionSource } from './versioned-cache.ts'
export { atOnce, inSlices, mapInSlices, yieldToEventLoop, type Steps } from './time-slices.ts'
export { currentWork, runDetached, runWork, Work, type Guard } from './work.ts'
export { pendingGuard } from './write-guard.ts'

// What is told while it is done
export {
  currentSpan,
  isOver,
  trace,
  tracing,
  type HandlerSpan,
  type HookSpan,
  type LoadSpan,
  type RequestSpan,
  type Span,
  type SqlSpan,
  type TapSpan,
  type TransactionSpan,
} from './tracing.ts'
