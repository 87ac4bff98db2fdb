import type {
  Arguments,
  ArgumentSchema,
  Awaitable,
  CurrentUser,
  RequestCache,
  RestError,
} from '../../../kernel/index.ts'
import type { ValueOf, ValuesOf } from '../../library/schemas/index.ts'

/** The schema of the input of an action that takes none. */
export type NoInput = { type: 'object'; properties: Record<never, never> }

/** What an action gets: the properties of its input schema, with their defaults, or one value of another kind. */
export type InputOf<S> = S extends { type: 'object'; properties: infer P extends Arguments }
  ? S extends { required: readonly (infer R extends string)[] }
    ? ValuesOf<{ [N in keyof P]: N extends R ? P[N] & { required: true } : P[N] }>
    : ValuesOf<P>
  : ValueOf<S>

/** What an action tells programs of itself; null where nobody has said. */
export interface Annotations {
  /** It changes nothing: it is run by GET, and the store refuses its writes. */
  readonly readonly: boolean | null
  /** It may delete or overwrite what was there. */
  readonly destructive: boolean | null
  /** To run it again with the same input changes nothing more. */
  readonly idempotent: boolean | null
}

/** A run of an action, beside its input. */
export interface ActionCall {
  /** Name of the action. */
  readonly name: string
  /** On whose behalf it is run. */
  readonly user: CurrentUser
  /** The cache of the request: pass it to services. */
  readonly scope: RequestCache
  /** Aborted when nobody waits for the result any more: pass it to what waits. */
  readonly signal: AbortSignal
  /** What it is run by: `rest`, `command`, or what the caller of `execute` says; `service` by default. */
  readonly via: string
}

/** An action as it is declared. */
export interface ActionSpec<I extends ArgumentSchema = ArgumentSchema, O extends ArgumentSchema = ArgumentSchema> {
  /** A few words, as on a button. */
  readonly label: string
  /** What it does, for those who choose among actions, people and programs. */
  readonly description: string
  /** What it belongs to; the first part of its name by default. */
  readonly category?: string
  /** The schema of its input; without one it takes none. */
  readonly input_schema?: I
  /**
   * The schema of its output, which is checked; without one it may be anything. Properties that an object does not list are
   * left out, unless it says `additionalProperties`.
   */
  readonly output_schema?: O
  readonly annotations?: Partial<Annotations>
  /** Whether it is a route, too, as by default. */
  readonly show_in_rest?: boolean
  /** Whether it is offered as an ability alone, and is neither a route of actions nor a command. */
  readonly ability_only?: boolean
  /** Whether programs may offer it without having been told of it by name; false by default. */
  readonly public?: boolean
  /** Whether it runs in one transaction, and leaves nothing behind where it fails. It must not wait for a network then. */
  readonly transaction?: boolean
  /** Whether a user may run it with this input: only `true` permits, an error says why not. Required. */
  permission(input: InputOf<I>, call: ActionCall): Awaitable<boolean | RestError>
  /** Does it. Returns the output, or an error, which may also be thrown. */
  run(input: InputOf<I>, call: ActionCall): Awaitable<ValueOf<O> | RestError>
}

/** An action as programs read it: its schemas are JSON Schema. */
export interface ActionDescription {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly category: string
  readonly input_schema: Readonly<Record<string, unknown>>
  readonly output_schema: Readonly<Record<string, unknown>>
  readonly meta: {
    readonly annotations: Annotations
    readonly show_in_rest: boolean
  }
}

/** An action as programs read it that ask for abilities. */
export interface Ability extends ActionDescription {
  readonly public: boolean
}

/** Who runs an action. */
export interface Caller {
  readonly user: CurrentUser
  /** The cache of the request that it is run for. */
  readonly scope?: RequestCache
  /** For taps: what runs it. */
  readonly via?: string
}

/** What plugins and programs can do on a site, by name. */
export interface Actions {
  /**
   * Registers an action until its plugin is removed. It becomes a route, `POST /svc-actions/v1/run/garden/water-plant`,
   * and a command, `svc action garden/water-plant`.
   * @param name the plugin and what it does: `garden/water-plant`
   * @throws ACTION_INVALID, ACTION_TAKEN
   */
  register<const I extends ArgumentSchema = NoInput, const O extends ArgumentSchema = Record<never, never>>(
    name: string,
    action: ActionSpec<I, O>,
  ): void
  /** An action; undefined when there is none of that name. */
  get(name: string): ActionDescription | undefined
  /** The actions in the order of their names; those of a category, or whose name begins with a namespace. */
  list(filter?: { category?: string | undefined; namespace?: string | undefined }): ActionDescription[]
  /** Those that are abilities: those that are nothing else in the order of their registration, then the routes. */
  abilities(): Ability[]
  /**
   * Whether somebody may run an action: true, or why not, a wrong input included.
   * @throws action_not_found, and what taps and the permission throw
   */
  mayExecute(name: string, input: unknown, caller: Caller): Promise<true | RestError>
  /**
   * Runs an action: its input is checked, then the permission, then what it returns.
   * @throws action_not_found, rest_missing_callback_param, rest_invalid_param, action_forbidden, action_output_invalid,
   *   action_has_written, and what the action throws
   */
  execute(name: string, input: unknown, caller: Caller): Promise<unknown>
}
