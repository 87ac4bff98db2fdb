/**
 * The public surface, `svc-rest`, for plugin authors. The values come first, each with what authors need it for. The types
 * follow: all that hooks, services and these values mention, so that authors can name them.
 */

// Plugins and their start
export {
  /** Declares a plugin, with types for its context. */
  definePlugin,
  /** Divides a limit of a plugin among the workers. */
  partOf,
} from '../kernel/index.ts'

export {
  /** Tells whether a revision of the REST API has a feature. */
  hasSince,
  /** The revisions that the config can name. */
  REVISIONS,
} from './library/site-config/index.ts'

// Hooks
export {
  /** Declares an action whose taps may wait. */
  action,
  /** Declares a filter whose taps may wait. */
  filter,
  /** Declares an action whose taps must not wait. */
  syncAction,
  /** Declares a filter whose taps must not wait. */
  syncFilter,
  /** Runs a filter of any plugin. */
  applyFilter,
  /** Runs a synchronous filter of any plugin. */
  applySyncFilter,
  /** Runs an action of any plugin. */
  runAction,
  /** Skips work for a hook without taps. */
  isUsed,
  /** Awaits a result of a filter only if it has to. */
  isThenable,
} from '../kernel/index.ts'

// Errors
export {
  /** Declares errors with code, status and sentence. */
  defineErrors,
  /** The errors of the kernel, such as rest_forbidden. */
  errors,
  /** An error for clients, thrown or returned. */
  RestError,
  /** The error of a single argument. */
  invalidParam,
  /** 401 for visitors, 403 for users. */
  authorizationStatus,
  /** Refuses a request with the right status. */
  forbidden,
  /** Has a response become 503 with Retry-After. */
  BusyError,
  /** Finds the outage of a database or disk that caused an error. */
  outageBehind,
} from '../kernel/index.ts'

// Requests
export {
  /** A request to the REST API, to read and to dispatch. */
  RestRequest,
  /** Makes a request of a path or of options. */
  ensureRequest,
  /** The request that the running code works for. */
  requestOf,
  /** The user whom the running code works for. */
  requestingUser,
  /** The user of requests without credentials. */
  VISITOR,
  /** Shares what was read within a request. */
  RequestCache,
  /** Headers of requests, responses and pages. */
  HeaderMap,
  /** Parses a query string as the server does. */
  parseQuery,
  /** Parameters without a prototype. */
  noParams,
} from '../kernel/index.ts'

// Responses
export {
  /** A response with status, headers and links. */
  RestResponse,
  /** Makes a response of the result of a handler. */
  ensureResponse,
  /** The data of a result, whether it is a response or not. */
  dataOf,
} from '../kernel/index.ts'

// Routes and the server
export {
  /** The class that svc_rest_server_class may replace. */
  RestServer,
} from '../kernel/index.ts'

// Registries
export {
  /** A registry whose entries belong to plugins. */
  OwnedMap,
  /** A list whose values belong to plugins. */
  OwnedList,
  /** The owner of what is registered now. */
  currentOwner,
  /** A number that changes with each registration. */
  registrations,
  /** Computes a value of a registry once. */
  derived,
} from '../kernel/index.ts'

// URLs and texts
export {
  /** Makes and reads the URLs of the site. */
  Urls,
  /** Adds parameters to a URL. */
  addQuery,
  /** Decodes a path; null if it is malformed. */
  decodePath,
  /** Drops slashes at the end in linear time. */
  trimEndSlashes,
  /** Trims characters in linear time. */
  trimMarks,
  /** Drops characters that no database stores. */
  cleanText,
  /** The same for names of parameters and fields. */
  cleanName,
} from '../kernel/index.ts'

// Work for a request
export {
  /** The work for a request, which ends when its client leaves. */
  Work,
  /** The work that the running code belongs to. */
  currentWork,
  /** Runs code as a part of some work. */
  runWork,
  /** Runs code that outlives its request. */
  runDetached,
  /** Waits for a promise until a signal aborts. */
  unlessAborted,
  /** Waits for a promise for some seconds. */
  withinSeconds,
} from '../kernel/index.ts'

// Tracing
export {
  /** The diagnostics channels of the server. */
  tracing,
  /** Reports a span of a plugin. */
  trace,
  /** The span that the running code belongs to. */
  currentSpan,
} from '../kernel/index.ts'

// Registrations of plugins that have registries
export {
  /** Refuses a wrong registration and names its plugin. */
  checkRegistration,
  /** Describes a wrong key of a registration. */
  shapeMistake,
} from './library/advice/index.ts'

// Names that follow the word
export {
  /** Names of headers, parameters and paths for a word. */
  branding,
} from './library/branding/index.ts'

// Caching
export {
  /** Names what a response depends on. */
  dependsOn,
  /** Forbids to cache the current response. */
  doNotKeep,
  /** Forbids to cache the current part. */
  doNotKeepPart,
  /** Caches a response with a failed part for a minute. */
  keepBriefly,
  /** Sets the time of the next change. */
  keepUntil,
  /** Reads the clock without caching the response. */
  now,
  /** Makes a callback record its declared dependencies. */
  declared,
  /** Collects what a cache of a plugin depends on. */
  collectDependencies,
  /** The tags and times that a cached value depends on. */
  Dependencies,
  /** Caches values until their tags change. */
  VersionedCache,
  /** The state of the data that a cache compares with. */
  stateOf,
  /** Leaves out a failed part of a page. */
  leaveOut,
} from './library/caching/index.ts'

// Work that takes long
export {
  /** Lets other requests run. */
  yieldToEventLoop,
  /** Runs steps with pauses for other requests. */
  inSlices,
  /** Maps a long list with pauses for other requests. */
  mapInSlices,
  /** Runs a function of long texts in a thread. */
  offThread,
  /** Bounds how much runs at the same time. */
  Semaphore,
  /** Caches results of a function of a text. */
  memoize,
  /** Imports a module at its first use. */
  lazily,
  /** A response whose body is sent in pieces. */
  StreamedResponse,
} from './library/long-work/index.ts'

// HTML
export {
  /** Writes HTML with escaped values. */
  html,
  /** HTML that is safe to send. */
  PageHtml,
  /** Escapes text for HTML. */
  escapeHtml,
  /** Escapes text that may be escaped already. */
  escapeHtmlOnce,
  /** A style element that the content policy allows. */
  inlineStyle,
  /** Normalizes Unicode in linear time. */
  normalize,
  /** Drops characters that no database stores from JSON. */
  cleanJson,
} from './library/markup/index.ts'

// Secrets
export {
  /** Hides the password in a URL. */
  hideCredentials,
  /** JSON for logs, with secrets hidden. */
  stringifyWithoutSecrets,
} from './library/secrets/index.ts'

// Arguments
export {
  /** Validates a value against a schema. */
  validateValue,
  /** Converts a value as its schema says. */
  sanitizeValue,
  /** Validates and converts a value. */
  parseValue,
  /** Checks the arguments of a call. */
  checkArguments,
  /** Limits the size of JSON. */
  checkSizes,
  /** Limits for content. */
  LONG_TEXTS,
  /** Limits for files of other sites. */
  TEXTS_OF_ANY_LENGTH,
  /** Describes a mistake in a schema. */
  schemaMistake,
  /** Describes a default that its schema refuses. */
  defaultMistake,
  /** A schema that refuses unknown properties. */
  closedSchema,
  /** Parses a date as clients send it. */
  parseTimestamp,
  /** Parses a date into its parts. */
  readTimestamp,
} from './requests/arguments/index.ts'

// Conditional requests
export {
  /** The entity tag of bytes. */
  etagOf,
  /** Tells whether If-None-Match has a tag. */
  includesEtag,
  /** Finds a tag in If-None-Match. */
  etagIn,
} from './requests/conditional/index.ts'

// Networks
export {
  /** The networks of an address, for limits. */
  networksOf,
} from './requests/limits/index.ts'

// Resources
export {
  /** A resource with the five routes. */
  ResourceController,
  /** A resource whose items are read and deleted. */
  CollectionController,
  /** A resource whose items are registered. */
  RegistryController,
  /** Any other resource with items. */
  Controller,
  /** The fields that a request gets. */
  Selection,
  /** Parses the parameter _fields. */
  parseFields,
  /** Names of fields of a text or a list. */
  namesOf,
  /** Drops fields that a context does not show. */
  filterByContext,
  /** The draft of JSON Schema that schemas name. */
  SCHEMA_DRAFT,
  /** The methods that a user may use on a route. */
  allowedMethods,
  /** The range of items that a page shows. */
  pageRange,
  /** The IDs that a list is limited to. */
  includedIds,
  /** The values of a list argument. */
  valuesOf,
  /** The cursor of a list request. */
  cursorOf,
  /** Refuses a cursor for an order without one. */
  noCursorFor,
  /** The argument of lists with cursors. */
  CURSOR_ARGUMENT,
  /** Shows empty objects as existing clients expect them. */
  emptyAsLists,
  /** Makes a slug of a title. */
  slugify,
  /** Cuts a slug to its maximum length. */
  cutSlug,
  /** Finds a slug that is free. */
  firstFreeSlug,
  /** A date in local time and in UTC. */
  datePair,
  /** A stored date as responses show it. */
  toIso,
  /** A date as the database stores it. */
  formatUtc,
  /** Local time of a UTC time. */
  localFromUtc,
  /** UTC time of a local time. */
  utcFromLocal,
  /** The offset of a time zone. */
  zoneOffset,
  /** Tells whether a time zone exists. */
  isTimeZone,
} from './resources/index.ts'

// Responses in the bodies of others
export {
  /** A response as an object with its body, status and headers. */
  envelopeOf,
} from './responses/envelope.ts'

// Descriptions of routes
export {
  /** Describes a route as the index does. */
  describeRoute,
} from './responses/route-description.ts'

// Subscribers of traces
export {
  /** Subscribes to a channel of tracing. */
  listenTo,
  /** Tells whether a span has ended. */
  isOver,
} from './operations/trace/listen-to.ts'

// Types. Those of services and hooks are merged into the interfaces of the kernel.
export type * from '../kernel/index.ts'
export type * from './library/advice/index.ts'
export type * from './library/branding/index.ts'
export type * from './library/caching/index.ts'
export type * from './library/commands/index.ts'
export type * from './library/long-work/index.ts'
export type * from './library/markup/index.ts'
export type * from './library/running-plugins/index.ts'
export type * from './library/schemas/index.ts'
export type * from './library/site-config/index.ts'
export type * from './requests/arguments/index.ts'
export type * from './requests/bodies/index.ts'
export type * from './requests/conditional/index.ts'
export type * from './requests/limits/index.ts'
export type * from './requests/request-hooks/index.ts'
export type * from './requests/site-requests/index.ts'
export type * from './resources/index.ts'
export type * from './content/comments/index.ts'
export type * from './content/content-types/index.ts'
export type * from './content/extra-fields/index.ts'
export type * from './storage/field-index/index.ts'
export type * from './content/media/index.ts'
export type * from './content/meta/index.ts'
export type * from './content/editor-ajax/index.ts'
export type * from './content/post-notes/index.ts'
export type * from './content/posts/index.ts'
export type * from './content/previews/index.ts'
export type * from './content/revisions/index.ts'
export type * from './content/search/index.ts'
export type * from './content/taxonomies/index.ts'
export type * from './content/terms/index.ts'
export type * from './site/url-details/index.ts'
export type * from './design/block-patterns/index.ts'
export type * from './design/fonts/index.ts'
export type * from './design/global-styles/index.ts'
export type * from './design/icons/index.ts'
export type * from './design/menus/index.ts'
export type * from './design/navigation/index.ts'
export type * from './design/templates/index.ts'
export type * from './design/themes/index.ts'
export type * from './design/view-config/index.ts'
export type * from './design/widgets/index.ts'
export type * from './operations/abilities/index.ts'
export type * from './operations/actions/index.ts'
export type * from './operations/change-feed/index.ts'
export type * from './operations/importer/index.ts'
export type * from './operations/installed-plugins/index.ts'
export type * from './foundation/jobs/index.ts'
export type * from './foundation/outgoing/index.ts'
export type * from './operations/site-health/index.ts'
export type * from './operations/webhooks/index.ts'
export type * from './people/application-passwords/index.ts'
export type * from './people/cookie-auth/index.ts'
export type * from './people/login/index.ts'
export type * from './people/passwords/index.ts'
export type * from './people/login-attempts/index.ts'
export type * from './people/roles/index.ts'
export type * from './people/users/index.ts'
export type * from './rendering/blocks/index.ts'
export type * from './rendering/core-blocks/index.ts'
export type * from './rendering/feed-reader/index.ts'
export type * from './rendering/html/index.ts'
export type * from './rendering/oembed/index.ts'
export type * from './rendering/content-rendering/index.ts'
export type * from './rendering/shortcodes/index.ts'
export type * from './responses/compression/index.ts'
export type * from './responses/deprecation.ts'
export type * from './responses/envelope.ts'
export type * from './responses/preload.ts'
export type * from './responses/response-cache/index.ts'
export type * from './site/admin/index.ts'
export type * from './site/editor/index.ts'
export type * from './content/permalinks/index.ts'
export type * from './foundation/settings/index.ts'
export type * from './site/site-pages/index.ts'
export type * from './storage/changes/index.ts'
export type * from './storage/store/index.ts'
export type { DescriptionContext } from './responses/route-description.ts'
