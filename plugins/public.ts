// The exports of `svc-rest` for plugin authors: values, each with its purpose, then all types of hooks and services.

// Plugins and their start
export {
  /** Defines a plugin with typed options. */
  definePlugin,
  /** Divides a limit of a plugin among the workers. */
  shareOf,
} from '../kernel/index.ts'

export {
  /** Returns whether a revision of the REST API has the features of a version. */
  hasSince,
  /** The values of the config key `revision`. */
  REVISIONS,
} from './library/site-config/index.ts'

// Hooks
export {
  /** Declares an action whose taps can be asynchronous. */
  action,
  /** Declares a filter whose taps can be asynchronous. */
  filter,
  /** Declares an action with synchronous taps. */
  syncAction,
  /** Declares a filter with synchronous taps. */
  syncFilter,
  /** Runs a filter of any plugin. */
  applyFilter,
  /** Runs a synchronous filter of any plugin. */
  applySyncFilter,
  /** Runs an action of any plugin. */
  runAction,
  /** Returns whether a hook has taps, to skip work for unused hooks. */
  isUsed,
  /** Returns whether a result is a promise, to await results of filters only if necessary. */
  isThenable,
} from '../kernel/index.ts'

// Errors
export {
  /** Declares errors with code, status and message. */
  defineErrors,
  /** The errors of the kernel, such as rest_forbidden. */
  errors,
  /** An error for clients, thrown or returned. */
  RestError,
  /** Creates the error of an invalid argument. */
  invalidParam,
  /** Returns 401 for visitors, 403 for users. */
  authorizationStatus,
  /** Creates an error with status 401 or 403. */
  forbidden,
  /** A cause of errors that become 503 with Retry-After. */
  BusyError,
  /** Finds the outage of a database or disk that caused an error. */
  outageOf,
} from '../kernel/index.ts'

// Requests
export {
  /** A request to the REST API, to read and to dispatch. */
  RestRequest,
  /** Creates a request from a path or parameters. */
  ensureRequest,
  /** Returns the outside request that the running code works for. */
  requestOf,
  /** Returns the user that the running code works for. */
  requestingUser,
  /** The user of requests without credentials. */
  VISITOR,
  /** Caches data within a request. */
  RequestCache,
  /** Headers of requests, responses and pages. */
  HeaderMap,
  /** Parses a query string as the server does. */
  parseQuery,
  /** Creates an empty map of parameters without a prototype. */
  noParams,
} from '../kernel/index.ts'

// Responses
export {
  /** A response with status, headers and links. */
  RestResponse,
  /** Converts the result of a handler to a response. */
  ensureResponse,
  /** Returns the data of a result, which may be a response. */
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
  /** Returns the owner of current registrations. */
  currentOwner,
  /** Returns a number that changes with each registration. */
  registrations,
  /** Caches a value that is computed from a registry. */
  derived,
} from '../kernel/index.ts'

// URLs and texts
export {
  /** Builds and parses the URLs of the site. */
  Urls,
  /** Adds parameters to a URL. */
  addQuery,
  /** Decodes a path; null if it is malformed. */
  decodePath,
  /** Removes trailing slashes in linear time. */
  trimEndSlashes,
  /** Trims characters in linear time. */
  trimMarks,
  /** Removes characters that databases cannot store. */
  cleanText,
  /** Replaces such characters in names of parameters and fields. */
  cleanName,
} from '../kernel/index.ts'

// Work for a request
export {
  /** The work for a request, which is aborted when its client leaves. */
  Work,
  /** Returns the work that the running code belongs to. */
  currentWork,
  /** Runs code as part of a work. */
  runWork,
  /** Runs code that outlives its request. */
  runDetached,
  /** Waits for a promise until a signal aborts. */
  unlessAborted,
  /** Waits for a promise for a number of seconds. */
  withinSeconds,
} from '../kernel/index.ts'

// Tracing
export {
  /** The diagnostics channels of the server. */
  tracing,
  /** Reports a span of a plugin. */
  trace,
  /** Returns the span that the running code belongs to. */
  currentSpan,
} from '../kernel/index.ts'

// Checks of registrations, for plugins with registries
export {
  /** Refuses a wrong registration and names its plugin. */
  checkRegistration,
  /** Describes the first wrong key of a registration. */
  shapeMistake,
} from './library/advice/index.ts'

// Names derived from the word of the branding
export {
  /** Returns names of headers, parameters and paths for a word. */
  branding,
} from './library/branding/index.ts'

// Caching
export {
  /** Adds tags that the current response depends on. */
  dependsOn,
  /** Prevents caching of the current response. */
  doNotCache,
  /** Prevents caching of the current part of a response. */
  doNotCachePart,
  /** Limits caching of a response with a failed part to a minute. */
  cacheBriefly,
  /** Sets the time of the response's next change. */
  cacheUntil,
  /** Returns the current time, and prevents caching of the response. */
  now,
  /** Wraps a callback so that it records its declared dependencies. */
  declared,
  /** Collects dependencies for a plugin's own cache. */
  collectDependencies,
  /** The tags and times that a cached value depends on. */
  Dependencies,
  /** Caches values until their tags change. */
  VersionedCache,
  /** Returns the state of the data, for comparisons by a cache. */
  stateOf,
  /** Omits a failed part of a page. */
  omitFailedPart,
} from './library/caching/index.ts'

// Long-running work
export {
  /** Lets other requests run. */
  yieldToEventLoop,
  /** Runs steps with pauses for other requests. */
  inSlices,
  /** Maps a long list with pauses for other requests. */
  mapInSlices,
  /** Runs a function of long texts in a worker thread. */
  offThread,
  /** Limits concurrency. */
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
  /** Escapes text without escaping entities again. */
  escapeHtmlOnce,
  /** Creates a style element that the content security policy allows. */
  inlineStyle,
  /** Normalizes Unicode in linear time. */
  normalize,
  /** Removes characters that databases cannot store from JSON. */
  cleanJson,
} from './library/markup/index.ts'

// Values of PHP
export {
  /** Reads a value that PHP has serialized, and repairs wrong lengths. */
  unserializePhp,
  /** Returns a value of PHP as JSON. */
  phpToJson,
  /** Serializes a value as PHP does. */
  serializePhp,
} from './library/php/index.ts'

export {
  /** Converts HTML to plain text. */
  plainText,
} from './rendering/html/index.ts'

// URLs of the site
export {
  /** Parses a URL of the site, for permalinks.find. */
  siteUrl,
} from './content/permalinks/index.ts'

// Dates
export {
  /** Formats a date by the letters of the setting date_format. */
  formatDate,
  /** Returns the clock of a time zone at an instant, for formatDate. */
  localTime,
} from './rendering/core-blocks/index.ts'

// Data of many objects
export {
  /** Batches reads for the items of a list into one statement. */
  loaderOf,
} from './storage/store/index.ts'

// Secrets
export {
  /** Hides the password in a URL. */
  hideCredentials,
  /** Returns JSON for logs, with secrets hidden. */
  stringifyWithoutSecrets,
} from './library/secrets/index.ts'

// Arguments
export {
  /** Validates a value against a schema. */
  validateValue,
  /** Sanitizes a value according to its schema. */
  sanitizeValue,
  /** Validates and sanitizes a value. */
  parseValue,
  /** Checks the arguments of a call. */
  checkArguments,
  /** Limits the size of JSON. */
  checkSizes,
  /** Length limits for content. */
  LONG_TEXT_LIMITS,
  /** Length limits for files of other sites. */
  UNLIMITED_TEXT,
  /** Describes a mistake in a schema. */
  schemaMistake,
  /** Describes a default value that does not match its schema. */
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
  /** Returns the entity tag of bytes. */
  etagOf,
  /** Returns whether If-None-Match contains a tag. */
  includesEtag,
  /** Finds a tag in If-None-Match. */
  etagIn,
} from './requests/conditional/index.ts'

// Networks
export {
  /** Returns the networks of an address, for limits. */
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
  /** The fields of items in a response. */
  Selection,
  /** Parses the parameter _fields. */
  parseFields,
  /** Parses names of fields from a text or a list. */
  namesOf,
  /** Removes fields that are not part of a context. */
  filterByContext,
  /** The URI of the JSON Schema draft of schemas. */
  SCHEMA_DRAFT,
  /** Returns the methods that a user may use on a route. */
  allowedMethods,
  /** Returns the range of items of a page. */
  pageRange,
  /** Returns the IDs that a list is limited to. */
  includedIds,
  /** Returns the values of a list argument. */
  valuesOf,
  /** Returns the cursor of a list request. */
  cursorOf,
  /** Creates the error for a cursor with an order that does not support it. */
  noCursorFor,
  /** The schema of the argument for cursors. */
  CURSOR_ARGUMENT,
  /** Converts empty objects to empty lists, as existing clients expect. */
  emptyAsLists,
  /** Creates a slug from a title. */
  slugify,
  /** Cuts a slug to its maximum length. */
  cutSlug,
  /** Finds the first free slug. */
  firstFreeSlug,
  /** Returns a date in local time and in UTC. */
  datePair,
  /** Formats a stored date for responses. */
  toIso,
  /** Formats a date for the database. */
  formatUtc,
  /** Converts UTC to local time. */
  localFromUtc,
  /** Converts local time to UTC. */
  utcFromLocal,
  /** Returns the offset of a time zone. */
  zoneOffset,
  /** Returns whether a time zone exists. */
  isTimeZone,
} from './resources/index.ts'

// Responses within other responses
export {
  /** Converts a response to an object with body, status and headers. */
  envelopeOf,
} from './responses/envelope.ts'

// Descriptions of routes
export {
  /** Returns the description of a route in the index. */
  describeRoute,
} from './responses/route-description.ts'

// Tracing subscribers
export {
  /** Subscribes to a channel of tracing. */
  listenTo,
  /** Returns whether a span has ended. */
  isOver,
} from './operations/trace/listen-to.ts'

// Parts of admin pages
export {
  /** Renders a table with row and column headings. */
  tableHtml,
} from './site/admin/parts/table.ts'

export {
  /** Renders a single-line field. */
  textField,
  /** Renders a multi-line field. */
  textArea,
  /** Renders a select element. */
  selectField,
  /** Renders a checkbox. */
  checkbox,
  /** Renders a group of checkboxes or radio buttons. */
  choiceField,
} from './site/admin/parts/fields.ts'

export {
  /** Renders a field for the ID of a file. */
  mediaField,
} from './site/admin/parts/media-picker.ts'

// Types
export type * from './public-types.ts'

// Deprecated names
export * from './deprecated.ts'
