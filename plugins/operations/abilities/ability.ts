import type { ArgumentSchema, Awaitable, CurrentUser, RequestCache, RestError } from '../../../kernel/index.ts'

/** What an ability tells programs of itself; null where nobody has said. */
export interface AbilityAnnotations {
  /** It changes nothing: it is run by GET. */
  readonly readonly: boolean | null
  /** It may delete or overwrite what was there. */
  readonly destructive: boolean | null
  /** To run it again with the same input changes nothing more. */
  readonly idempotent: boolean | null
}

/** Who runs an ability. */
export interface AbilityCaller {
  readonly user: CurrentUser
  /** The cache of the request: pass it to services. */
  readonly scope: RequestCache
}

/** An ability as it is declared. */
export interface AbilitySpec {
  readonly label: string
  readonly description: string
  /** A registered category. */
  readonly category: string
  /** The schema of its input, as programs read it; without one it takes none. */
  readonly input_schema?: ArgumentSchema
  /** The schema of its output, which is checked. */
  readonly output_schema?: ArgumentSchema
  readonly annotations?: Partial<AbilityAnnotations>
  /** Whether the REST API lists and runs it; true by default. */
  readonly show_in_rest?: boolean
  /** Whether programs of others are meant to find it. */
  readonly public?: boolean
  /** Whether a user may run it with this input: only `true` permits, an error says why not. */
  permission(input: unknown, caller: AbilityCaller): Awaitable<boolean | RestError>
  /** Does it. Returns the output, or an error, which may also be thrown. */
  run(input: unknown, caller: AbilityCaller): unknown
}

/** What abilities belong to. */
export interface AbilityCategory {
  readonly label: string
  readonly description: string
  readonly meta?: Readonly<Record<string, unknown>>
}

/** An ability as programs read it, and as it is run. */
export interface Ability {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly category: string
  readonly input_schema: Readonly<Record<string, unknown>>
  readonly output_schema: Readonly<Record<string, unknown>>
  readonly annotations: AbilityAnnotations
  readonly show_in_rest: boolean
  readonly public: boolean
  /**
   * Checks the input, with the defaults of its schema.
   * @param isText whether it comes from a URL, where every value is a text
   * @throws ability_invalid_input, ability_missing_input_schema
   */
  checked(input: unknown, isText: boolean): unknown
  permission(input: unknown, caller: AbilityCaller): Awaitable<boolean | RestError>
  run(input: unknown, caller: AbilityCaller): unknown
  /** @throws ability_invalid_output */
  output(value: unknown): unknown
}

/** The method that runs an ability. */
export function methodOf({ readonly, destructive, idempotent }: AbilityAnnotations): 'GET' | 'DELETE' | 'POST' {
  if (readonly === true) return 'GET'
  return destructive === true && idempotent === true ? 'DELETE' : 'POST'
}
