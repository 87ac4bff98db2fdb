import { messageOf } from './text/message-of.ts'

/** The `data` of an error, next to its code and message. */
export interface ErrorData {
  /** HTTP status of the response. */
  status: number
  [key: string]: unknown
}

/** A schema rule that a value breaks, as `data.details` shows it to clients. */
export interface BrokenRule {
  /** One of `ruleErrors`. */
  readonly code: string
  readonly message: string
  /** `param`: the value of the wrong type, as `name[0][part]`; `position`, `positions`: indexes of the fitting forms. */
  readonly data: { readonly [part in 'param' | 'position' | 'positions']?: unknown } | null
}

/** The JSON of an error. */
export interface ErrorBody {
  code: string
  message: string
  data: ErrorData
  additional_errors?: { code: string; message: string; data: ErrorData }[]
  /** Further data of the error, which some clients read. */
  additional_data?: unknown[]
}

/**
 * An error for the client: a code that stays the same across releases, a message with the problem and its remedy, and
 * the HTTP status. Handlers and permission checks can throw or return it.
 */
export class RestError extends Error {
  readonly code: string
  readonly data: ErrorData
  /** Further errors of the same request; in JSON `additional_errors`. */
  readonly additional: RestError[] = []
  /** Further data; in JSON `additional_data`. */
  readonly additionalData: unknown[] = []
  /** The plugin whose tap failed, for the log. */
  declare plugin?: string
  /** The broken schema rule, which replaces this error in `data.details`; null leaves it out of `data.details`. */
  declare rule?: BrokenRule | null

  constructor(code: string, message: string, data: ErrorData, options?: ErrorOptions) {
    const { stackTraceLimit } = Error
    // A stack trace takes many times as long as the error itself. Clients do not see it, and the header `Allow` alone
    // creates an error per response.
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

  /** Whether the error is for operators only and never sent to clients: its code is in capitals. */
  get isInternal(): boolean {
    return this.code === this.code.toUpperCase()
  }

  /** Returns the JSON of the error. */
  toJSON(): ErrorBody {
    const body: ErrorBody = { code: this.code, message: this.message, data: this.data }
    if (this.additional.length > 0) {
      body.additional_errors = this.additional.map(({ code, message, data }) => ({ code, message, data }))
    }
    if (this.additionalData.length > 0) body.additional_data = [...this.additionalData]
    return body
  }
}

/** Returns a thrown error, or an error for any other thrown value, because loggers ignore texts and null. */
export function thrownError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown))
}

/** The message of an error, or a function that creates it from arguments. */
export type Sentence = string | ((...args: never[]) => string)
/** Status and message of an error; a message without a status means 500. */
type Declaration = Sentence | readonly [status: number, sentence: Sentence]
/** Error declarations of one owner by code. */
export type ErrorTable = Readonly<Record<string, Declaration>>
type Extra = ErrorOptions & { data?: Record<string, unknown> }

/** Creates an error of a table from the arguments of its message, then optionally `{ cause, data }`. */
export type ErrorMaker<A extends unknown[], E = RestError> = (...args: [...A, extra?: Extra]) => E

type FactoryOf<D, E> = D extends ((...args: infer A) => string) | readonly [number, (...args: infer A) => string]
  ? ErrorMaker<A, E>
  : ErrorMaker<[], E>

type ErrorClass<E> = new (code: string, message: string, data: ErrorData, options?: ErrorOptions) => E

/** All declared tables by their codes, so that a plugin that is loaded twice counts once. */
export const errorTables = new Map<string, ErrorTable>()

/**
 * Declares the errors of one owner: `code: [status, message]`, or only the message for status 500. A message is a text
 * or a function that returns a text. Each code becomes a function that takes the arguments of its message, then
 * optionally `{ cause, data }`, and returns the error to throw.
 * @param Class the class of the errors; `RestError` by default. Errors of other classes are never sent to clients
 */
export function defineErrors<const T extends ErrorTable, E = RestError>(
  table: T,
  Class: ErrorClass<E> = RestError as ErrorClass<unknown> as ErrorClass<E>,
): { [C in keyof T]: FactoryOf<T[C], E> } {
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
  return Object.fromEntries(entries) as { [C in keyof T]: FactoryOf<T[C], E> }
}

/** Returns status and message of a declared error. */
export function withStatus(declared: Declaration): readonly [status: number, sentence: Sentence] {
  return typeof declared === 'object' ? declared : [500, declared]
}

/** Adds a full stop to a text, unless it ends with `.`, `?` or `!`. */
export const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`)

/** The errors of the kernel. */
export const errors = defineErrors({
  PLUGIN_INVALID: (name: string, reason: string) => `The plugin ${name} ${sentence(reason)}`,
  PLUGIN_LATE: (name: string, step: string, seconds: number) =>
    `The plugin ${name} timed out in ${step} after ${seconds} seconds. Raise its deadline, or switch the plugin off.`,
  PLUGIN_NEEDS_DATABASE: (name: string) =>
    `${name} has migrations, but no plugin that runs them starts before it: add store to the needs of ${name}.`,
  PLUGIN_FAILED: (name: string, reason: string) => `The plugin ${name} could not start: ${reason}`,
  SERVICE_NOT_NEEDED: (plugin: string, service: string, owner: string) =>
    `${plugin} uses the service ${service} of ${owner}: add ${owner} to the needs of ${plugin}.`,
  SERVICE_MISSING: (plugin: string, service: string, hint: string) =>
    `${plugin} uses the service ${service}, which no plugin provides${sentence(hint)}`,
  SERVICE_TAKEN: (plugin: string, service: string, owner: string) =>
    `${plugin} provides the service ${service}, which ${owner} already provides: choose another name, or replace ${owner} with "use".`,
  HOOK_UNKNOWN: (name: string, near: string, plugin: string) =>
    `There is no hook ${name}${plugin === 'kernel' ? '' : `, which ${plugin} uses`}${near === '' ? '.' : `: did you mean ${near}?`}`,
  HOOK_TAKEN: (name: string, owner: string) => `The hook ${name} is already declared by ${owner}.`,
  HOOK_TAP_NOT_AWAITED: (plugin: string, hook: string) =>
    `${plugin} taps ${hook} with tap() but returns a promise: use tapPromise().`,
  TAP_RETURNED_WRONG: (plugin: string, hook: string) =>
    `The tap of ${plugin} on ${hook} returned a value of the wrong type: return a value like the one it received, or undefined.`,
  REGISTERED_IN_REQUEST: (registration: string) =>
    `A request registers ${registration}, which would never be removed: register it in apply, or in a tap of rest_api_init.`,
  TAP_FAILED: (plugin: string, hook: string) => `${plugin} failed in hook ${hook}.`,
  SERVER_NOT_MADE: 'The server is created after all plugins have been applied: use it in a tap of rest_api_init.',
  ROUTE_INVALID: (route: string, plugin: string, reason: string) =>
    `The route ${route} of ${plugin} cannot be registered: ${sentence(reason)}`,
  PORT_TAKEN: (address: string) =>
    `Another program already listens on ${address}: stop it, or choose another port with --port.`,
  PORT_NOT_PERMITTED: (address: string) =>
    `This account may not listen on ${address}: choose a port above 1023 with --port, or allow it (CAP_NET_BIND_SERVICE).`,
  HOST_NOT_AVAILABLE: (host: string) =>
    `This machine has no address ${host} to listen on: choose another one with --host, such as 127.0.0.1 or 0.0.0.0.`,
  rest_invalid_handler: [500, 'The endpoint of this URL and method has no handler.'],
  rest_no_route: [404, 'No route matches this URL and method.'],
  rest_internal_error: 'The server could not handle this request. The log has the reason under the request ID.',
  rest_trash_not_supported: [501, 'This cannot be moved to the trash: set force to true to delete it.'],
  rest_already_trashed: [410, 'This is in the trash already: set force to true to delete it.'],
  rest_missing_callback_param: [400, (names: string) => `Missing parameter(s): ${names}`],
  rest_invalid_param: [400, (message: string) => message],
  rest_forbidden: [403, 'You may not do that.'],
  rest_body_not_read: [
    415,
    'This site does not read request bodies. Its operator can switch on the plugin "bodies" to read them.',
  ],
  rest_client_gone: [499, 'The client closed the connection before the response.'],
  rest_request_timeout: [408, 'The request took too long to arrive.'],
  rest_handler_timeout: [503, (ms: number) => `The request took longer than ${ms} milliseconds. Try again later.`],
  rest_unavailable: [503, 'The server cannot do this at the moment. Try again later.'],
  rest_storage_full: [507, 'The server has no space left to store this.'],
  rest_answer_lost: (state: 'stored' | 'unknown' = 'unknown') =>
    state === 'stored'
      ? 'The change is stored, but the response could not be created. The log has the reason under the request ID.'
      : 'The request may have been carried out, at least in part, but the response could not be created. Check the result before you send the request again.',
  rest_bad_request: [400, 'The request is malformed.'],
  rest_header_too_large: [431, 'The headers of the request are larger than allowed here.'],
})

/** Creates the error for an invalid argument. @param message a full sentence, also sent in `data.params` */
export function invalidParam(name: string, message: string): RestError {
  return errors.rest_invalid_param(message, { data: { params: { [name]: message } } })
}
