import type { Awaitable } from '../awaitable.ts'
import type { RestError } from '../errors.ts'
import type { RestRequest } from './request.ts'

/**
 * The schema of an argument, a property or a list's item: the keys of specification 7.1, more of JSON Schema's, and
 * the callbacks of an argument, which `plugins/library/schemas` merges in. Anything else is refused where the schema is
 * registered; what is for programs of your own goes into keys that begin with `x-`.
 */
export interface ArgumentSchema {
  /** Value when it is not given; an argument with a default is never missing. */
  default?: unknown
  [extension: `x-${string}`]: unknown
}

/** Declared arguments by name. */
export type Arguments = Record<string, ArgumentSchema>

/** The sanitized values of the declared arguments that were given, or the error that names every invalid argument. */
export type Checked = { ok: true; values: Record<string, unknown> } | { ok: false; error: RestError }

/** Checks arguments by their schemas. The plugin `arguments` provides one as the service `arguments`. */
export interface ArgumentChecker {
  /** Checks and sanitizes the arguments of a request. Undeclared parameters are left out of the values. */
  check(args: Arguments, given: Record<string, unknown>, request: RestRequest): Awaitable<Checked>
  /** A value as the schema sanitizes it; an invalid one as it is. */
  read(value: unknown, schema: ArgumentSchema, name: string): unknown
  /**
   * Describes the first mistake in schemas by name: `the argument "limit" has the type "int": did you mean integer?`.
   * Null if every schema and every default is valid.
   * @param what the word for one of them: `argument`, `option`
   */
  mistakeIn(schemas: unknown, what: string): string | null
}
