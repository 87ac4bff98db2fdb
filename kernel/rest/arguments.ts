import type { Awaitable } from '../awaitable.ts'
import type { RestError } from '../errors.ts'
import type { RestRequest } from './request.ts'

/**
 * Schema of an argument, a property or an item of a list: the keys of specification 7.1, further ones of JSON Schema,
 * and the callbacks of an argument, all merged in by `plugins/library/schemas`. Registering a schema with an unknown
 * keyword fails; custom keywords begin with `x-`.
 */
export interface ArgumentSchema {
  /** Value if the argument is missing; an argument with a default is never reported as missing. */
  default?: unknown
  [extension: `x-${string}`]: unknown
}

/** Declared arguments by name. */
export type Arguments = Record<string, ArgumentSchema>

/** The sanitized values of the given arguments, or the error that lists every invalid argument. */
export type Checked = { ok: true; values: Record<string, unknown> } | { ok: false; error: RestError }

/** Validates arguments by their schemas. The plugin `arguments` provides it as the service `arguments`. */
export interface ArgumentChecker {
  /** Validates and sanitizes the arguments of a request. Undeclared parameters are omitted from the values. */
  check(args: Arguments, input: Record<string, unknown>, request: RestRequest): Awaitable<Checked>
  /** Returns the sanitized value; an invalid value is returned unchanged. */
  read(value: unknown, schema: ArgumentSchema, name: string): unknown
  /**
   * Describes the first mistake in schemas by name: `the argument "limit" has the type "int": did you mean integer?`.
   * Returns null if every schema and every default is valid.
   * @param noun word for one schema: `argument` or `option`
   */
  mistakeIn(schemas: unknown, noun: string): string | null
}
