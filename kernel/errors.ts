import { messageOf } from './text/message-of.ts'
import { sentence } from './text/unknown-key.ts'

/** What clients read of an error beside its code and message. */
export interface ErrorData {
  /** HTTP status of the response. */
  status: number
  [key: string]: unknown
}

/** A rule of a schema that a value breaks, as `data.details` tells it. */
export interface BrokenRule {
  /** One of `ruleErrors`. */
  readonly code: string
  readonly message: string
  /** The value that is of the wrong type, as `name[0][part]`; which form of several it comes nearest to. */
  readonly data: { readonly param: string } | { readonly position: number } | null
}

/** An error object as clients read it. */
export interface ErrorBody {
  code: string
  message: string
  data: ErrorData
  additional_errors?: { code: string; message: string; data: ErrorData }[]
  /** What else some clients read of the error, as a list. */
  additional_data?: unknown[]
}

/**
 * An error that may be shown to a client: a code that stays the same across releases, a message that says what is wrong
 * and what to do, and the HTTP status. Handlers and permission checks may throw it or return it.
 */
export class RestError extends Error {
  readonly code: string
  readonly data: ErrorData
  /** Further errors found at the same time; clients see them as `additional_errors`. */
  readonly additional: RestError[] = []
  /** Further data; clients see it as `additional_data`. */
  readonly additionalData: unknown[] = []
  /** The plugin whose tap has failed, for the log. */
  declare plugin?: string
  /** The rule of a schema that a value breaks: what `data.details` tells instead of the error. Null: nothing is told. */
  declare rule?: BrokenRule | null

  constructor(code: string, message: string, data: ErrorData, options?: ErrorOptions) {
    const { stackTraceLimit } = Error
    // Clients need no stack trace, and the header `Allow` alone makes an error with each response: the trace takes many
    // times as long as the error.
    if (data.status < 500) Error.stackTraceLimit = 0
    super(message, options)
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'RestError'
    this.code = code
    this.data = data
  }

  get status(): number {
    return this.data.status
  }

  /** Whether it is for those who run the server, and no client sees it: its code is in capitals. */
  get isInternal(): boolean {
    return this.code === this.code.toUpperCase()
  }

  /** The error as clients read it. */
  toJSON(): ErrorBody {
    const body: ErrorBody = { code: this.code, message: this.message, data: this.data }
    if (this.additional.length > 0) {
      body.additional_errors = this.additional.map(({ code, message, data }) => ({ code, message, data }))
    }
    if (this.additionalData.length > 0) body.additional_data = [...this.additionalData]
    return body
  }
}

/** An error, whatever was thrown: a text or null would not be logged. */
export function thrownError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown))
}

/** The sentence of an error, or what makes it of arguments. */
export type Sentence = string | ((...args: never[]) => string)
/** A sentence with its status; one alone has the status 500. */
type Declaration = Sentence | readonly [status: number, sentence: Sentence]
/** Errors of one owner by code. */
export type ErrorTable = Readonly<Record<string, Declaration>>
type Extra = ErrorOptions & { data?: Record<string, unknown> }

/** Makes one error of a table: of the arguments of its sentence, then optionally `{ cause, data }`. */
export type ErrorMaker<A extends unknown[], E = RestError> = (...args: [...A, extra?: Extra]) => E

type MakerFor<D, E> = D extends ((...args: infer A) => string) | readonly [number, (...args: infer A) => string]
  ? ErrorMaker<A, E>
  : ErrorMaker<[], E>

/** A class of the errors of a table. */
type ErrorClass<E> = new (code: string, message: string, data: ErrorData, options?: ErrorOptions) => E

/** By their codes: a plugin that is loaded again declares its errors again. */
export const errorTables = new Map<string, ErrorTable>()

/**
 * Declares the errors of one owner: `code: [status, sentence]`, or the sentence alone for status 500. Each code becomes
 * a function that takes the arguments of its sentence, then optionally `{ cause, data }`, and returns the error to throw.
 * @param Class of the errors, where no client may see them; else they are of `RestError`
 */
export function defineErrors<const T extends ErrorTable, E = RestError>(
  table: T,
  Class: ErrorClass<E> = RestError as ErrorClass<unknown> as ErrorClass<E>,
): { [C in keyof T]: MakerFor<T[C], E> } {
  errorTables.set(Object.keys(table).join(' '), table)
  const make = (code: string, status: number, sentence: Sentence) => {
    const arity = typeof sentence === 'function' ? sentence.length : 0
    return (...args: unknown[]) => {
      const message = typeof sentence === 'function' ? (sentence as (...all: unknown[]) => string)(...args) : sentence
      const extra = args[arity] as Extra | undefined
      const options = extra?.cause === undefined ? undefined : { cause: extra.cause }
      return new Class(code, message, { status, ...extra?.data }, options)
    }
  }
  const entries = Object.entries(table).map(([code, declared]) => [code, make(code, ...withStatus(declared))])
  return Object.fromEntries(entries) as { [C in keyof T]: MakerFor<T[C], E> }
}

/** Returns the status and the sentence of a declared error. */
export function withStatus(declared: Declaration): readonly [status: number, sentence: Sentence] {
  return typeof declared === 'object' ? declared : [500, declared]
}

/** The errors of the kernel itself. */
export const errors = defineErrors({
  PLUGIN_INVALID: (name: string, why: string) => `The plugin ${name} ${sentence(why)}`,
  PLUGIN_LATE: (name: string, where: string, seconds: number) =>
    `The plugin ${name} did not come to an end in ${where} within ${seconds} seconds: it may wait for something that never comes. Switch it off, or let it declare a later deadline.`,
  PLUGIN_NEEDS_DATABASE: (name: string) =>
    `${name} has migrations, and nobody who could run them has started before: add store to the needs of ${name}.`,
  PLUGIN_FAILED: (name: string, why: string) => `The plugin ${name} could not start: ${why}`,
  SERVICE_NOT_NEEDED: (plugin: string, service: string, owner: string) =>
    `${plugin} uses the service ${service} of ${owner}: add ${owner} to the needs of ${plugin}.`,
  SERVICE_MISSING: (plugin: string, service: string, why: string) =>
    `${plugin} uses the service ${service}, which nobody provides${sentence(why)}`,
  SERVICE_TAKEN: (plugin: string, service: string, owner: string) =>
    `${plugin} provides ${service}, but ${owner} already does: choose another name, or take the place of ${owner} with "use".`,
  HOOK_UNKNOWN: (name: string, near: string, plugin: string) =>
    `There is no hook ${name}${plugin === 'kernel' ? '' : `, which ${plugin} uses`}${near === '' ? '.' : `: did you mean ${near}?`}`,
  HOOK_TAKEN: (name: string, owner: string) => `The hook ${name} is already declared by ${owner}.`,
  HOOK_TAP_NOT_AWAITED: (plugin: string, hook: string) =>
    `${plugin} taps ${hook} with tap() but returns a promise: use tapPromise().`,
  TAP_RETURNED_WRONG: (plugin: string, hook: string) =>
    `${plugin} returned something from its tap of ${hook} that this filter cannot pass on: return a value of the kind it got, or nothing.`,
  ARGUMENT_CALLBACK_WRONG: (argument: string, returned: string) =>
    `The validate_callback of the argument ${argument} returned ${returned}: it must be true, false or an error for clients.`,
  REGISTERED_IN_REQUEST: (what: string) =>
    `A request registers ${what}, which would stay for good: register it in apply, or in a tap of rest_api_init.`,
  TAP_FAILED: (plugin: string, hook: string) => `${plugin} failed in hook ${hook}.`,
  SERVER_NOT_MADE: 'The server is made once every plugin has been applied: use it in a tap of rest_api_init.',
  ROUTE_INVALID: (route: string, plugin: string, why: string) =>
    `The route ${route} of ${plugin} cannot be registered: ${sentence(why)}`,
  PORT_TAKEN: (address: string) =>
    `Something already listens on ${address}: stop it, or choose another port with --port.`,
  PORT_NOT_PERMITTED: (address: string) =>
    `This account may not listen on ${address}: choose a port above 1023 with --port, or allow it (CAP_NET_BIND_SERVICE).`,
  HOST_NOT_AVAILABLE: (host: string) =>
    `This machine has no address ${host} to listen on: choose another one with --host, such as 127.0.0.1 or 0.0.0.0.`,
  rest_no_route: [404, 'No route matches this URL and method.'],
  rest_internal_error: 'The server could not handle this request. The log has the reason under the request ID.',
  rest_trash_not_supported: [501, 'This cannot be moved to the trash: set force to true to delete it.'],
  rest_already_trashed: [410, 'This is in the trash already: set force to true to delete it.'],
  rest_missing_callback_param: [400, (names: string) => `Missing parameter(s): ${names}`],
  rest_invalid_param: [400, (why: string) => why],
  rest_forbidden: [403, 'You may not do that.'],
  rest_invalid_json: [400, 'The body of the request is not valid JSON.'],
  rest_invalid_body: [400, (why: string) => `The body of the request cannot be read: ${why}.`],
  rest_body_too_large: [
    413,
    (limit: number) => `The body of the request is larger than the ${limit} bytes allowed here.`,
  ],
  rest_body_too_deep: [
    400,
    (limit: number) => `The body of the request is nested deeper than the ${limit} levels allowed here.`,
  ],
  rest_unsupported_encoding: [
    415,
    (coding: string) => `Bodies in the content encoding ${coding} are not read here: send them as they are.`,
  ],
  rest_body_not_read: [
    415,
    'This site does not read the bodies of requests. Its operator can switch on the plugin "bodies", which reads them.',
  ],
  rest_too_many_bodies: [503, 'The server is receiving too many bodies. Try again later.'],
  rest_answer_too_large: [
    400,
    (limit: number) =>
      `The response would be longer than the ${limit} characters allowed here: ask for fewer items with per_page, or for fewer fields with _fields.`,
  ],
  rest_client_gone: [499, 'The client closed the connection before the response.'],
  rest_request_timeout: [408, 'The request took too long to arrive.'],
  rest_handler_timeout: [503, (ms: number) => `The request took longer than ${ms} milliseconds. Try again later.`],
  rest_unavailable: [503, 'The server cannot do this at the moment. Try again later.'],
  rest_storage_full: [507, 'The server has no space left to store this.'],
  rest_answer_lost: (state: 'stored' | 'unknown' = 'unknown') =>
    state === 'stored'
      ? 'The change is stored, but the response could not be made. The log has the reason under the request ID.'
      : 'The request may have been carried out, at least in part, but the response could not be made. Check the result before you send the request again.',
  rest_bad_request: [400, 'The request cannot be understood.'],
  rest_header_too_large: [431, 'The headers of the request are larger than allowed here.'],
})

/** The error of an argument that is not valid: `why` is a whole sentence, which clients find in `data.params` too. */
export function invalidParam(name: string, why: string): RestError {
  return errors.rest_invalid_param(why, { data: { params: { [name]: why } } })
}
