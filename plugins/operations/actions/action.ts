import type {
  Arguments,
  ArgumentSchema,
  Awaitable,
  CurrentUser,
  RequestCache,
  RestError,
} from '../../../kernel/index.ts'
import type { ValueOf, ValuesOf } from '../../library/schemas/index.ts'

/** Input schema of an action without input. */
export type NoInput = { type: 'object'; properties: Record<never, never> }

/**
 * Type of an action's input: the properties of its input schema with their defaults, or a single value of another type.
 */
export type InputOf<S> = S extends { type: 'object'; properties: infer P extends Arguments }
  ? S extends { required: readonly (infer R extends string)[] }
    ? ValuesOf<{ [N in keyof P]: N extends R ? P[N] & { required: true } : P[N] }>
    : ValuesOf<P>
  : ValueOf<S>

/** Hints for clients about the effects of an action; null if unknown. */
export interface Annotations {
  /** The action changes nothing: it runs by GET, and the store rejects its writes. */
  readonly readonly: boolean | null
  /** The action may delete or overwrite data. */
  readonly destructive: boolean | null
  /** Running the action again with the same input has no further effect. */
  readonly idempotent: boolean | null
}

/** Context of a run. */
export interface ActionCall {
  /** Name of the action. */
  readonly name: string
  /** The user on whose behalf the action runs. */
  readonly user: CurrentUser
  /** Cache of the request. Pass it to services. */
  readonly scope: RequestCache
  /** Aborted when no client waits for the result. Pass it to asynchronous operations. */
  readonly signal: AbortSignal
  /** Origin of the run: `rest`, `command`, or the value passed to `execute`; `service` by default. */
  readonly via: string
}

/** Declaration of an action. */
export interface ActionSpec<I extends ArgumentSchema = ArgumentSchema, O extends ArgumentSchema = ArgumentSchema> {
  /** Short label, as on a button. */
  readonly label: string
  /** Describes the effect, for people and programs that choose an action. */
  readonly description: string
  /** Category; the first part of the name by default. */
  readonly category?: string
  /** Schema of the input; without it, the action has no input. */
  readonly input_schema?: I
  /**
   * Schema of the output, which is validated; without it, any output is allowed. Properties that an object schema does
   * not list are removed, unless it sets `additionalProperties`.
   */
  readonly output_schema?: O
  readonly annotations?: Partial<Annotations>
  /** Whether the action has a route. Default: true. */
  readonly show_in_rest?: boolean
  /** Whether the action is available as an ability only, without an action route or a command. */
  readonly ability_only?: boolean
  /** Whether programs may offer the action without being configured to do so. Default: false. */
  readonly public?: boolean
  /**
   * Whether the action runs in one transaction, which is rolled back if it fails. It must not wait for network requests
   * then.
   */
  readonly transaction?: boolean
  /**
   * Whether a user may run the action with this input: only `true` permits, and an error is sent to the client.
   * Required.
   */
  permission(input: InputOf<I>, call: ActionCall): Awaitable<boolean | RestError>
  /** Runs the action. Returns the output, or returns or throws an error. */
  run(input: InputOf<I>, call: ActionCall): Awaitable<ValueOf<O> | RestError>
}

/** Description of an action for programs; its schemas are JSON Schema. */
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

/** Description of an ability for programs. */
export interface Ability extends ActionDescription {
  readonly public: boolean
}

/** The user and context on whose behalf an action runs. */
export interface Caller {
  readonly user: CurrentUser
  /** Cache of the request for which the action runs. */
  readonly scope?: RequestCache
  /** Origin of the run, for taps. */
  readonly via?: string
}

/** Operations of plugins that users and programs can run by name. */
export interface Actions {
  /**
   * Registers an action until its plugin is removed. The action gets a route,
   * `POST /svc-actions/v1/run/garden/water-plant`, and a command, `svc action garden/water-plant`.
   * @param name plugin and operation: `garden/water-plant`
   * @throws ACTION_INVALID, ACTION_TAKEN
   */
  register<const I extends ArgumentSchema = NoInput, const O extends ArgumentSchema = Record<never, never>>(
    name: string,
    action: ActionSpec<I, O>,
  ): void
  /** Returns an action; undefined if it does not exist. */
  get(name: string): ActionDescription | undefined
  /** Lists actions by name, optionally limited to a category or to names with a namespace prefix. */
  list(filter?: { category?: string | undefined; namespace?: string | undefined }): ActionDescription[]
  /** Lists abilities: ability-only actions in the order of registration, then actions with a route by name. */
  abilities(): Ability[]
  /**
   * Whether a user may run an action with this input. Returns true, or the error that prevents it, including invalid
   * input.
   * @throws action_not_found, errors of taps and of the permission check
   */
  mayExecute(name: string, input: unknown, caller: Caller): Promise<true | RestError>
  /**
   * Runs an action after validating its input and checking the permission, and validates its output.
   * @throws action_not_found, rest_missing_callback_param, rest_invalid_param, action_forbidden, action_output_invalid,
   *   action_has_written, errors of the action
   */
  execute(name: string, input: unknown, caller: Caller): Promise<unknown>
}
