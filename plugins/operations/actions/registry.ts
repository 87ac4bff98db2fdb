import { currentOwner, OwnedMap, type ArgumentSchema, type Owner } from '../../../kernel/index.ts'
import { hint, suggest } from '../../library/suggestions/index.ts'
import { schemaMistake } from '../../requests/arguments/index.ts'
import type { ActionSpec, ActionDescription, Annotations } from './action.ts'
import { errors } from './errors.ts'
import { ActionInput } from './input.ts'
import { toJsonSchema } from './json-schema.ts'
import { closed } from './listed.ts'

/** A registered action. */
export interface Registered {
  readonly name: string
  readonly action: ActionSpec
  readonly input: ActionInput
  readonly description: ActionDescription
  /** The plugin that registered the action. */
  readonly owner: Owner
}

const NAME = /^[a-z][a-z0-9-]*\/[a-z][a-z0-9-]*$/
const KEYS = [
  'label',
  'description',
  'category',
  'input_schema',
  'output_schema',
  'annotations',
  'show_in_rest',
  'ability_only',
  'public',
  'transaction',
  'permission',
  'run',
]
/** Keys of similar APIs, and the keys they correspond to. */
const SIMILAR_KEYS = {
  title: 'label',
  input: 'input_schema',
  output: 'output_schema',
  permission_callback: 'permission',
  execute: 'run',
  execute_callback: 'run',
  handler: 'run',
  meta: 'annotations',
}
const ANNOTATIONS = ['readonly', 'destructive', 'idempotent'] as const
/**
 * Callbacks of arguments need a request, which commands and programs do not have, and cannot be described to clients.
 */
const CALLBACKS = ['validate_callback', 'sanitize_callback']

/** The actions of a site. */
export class ActionRegistry {
  readonly #actions = new OwnedMap<Registered>('action')

  /** Registers an action for the current owner. @throws ACTION_INVALID, ACTION_TAKEN */
  add(name: string, action: ActionSpec): Registered {
    const fault = NAME.test(name)
      ? faultOf(action)
      : 'its name must have the form garden/water-plant in lowercase letters'
    if (fault !== null) throw errors.ACTION_INVALID(name, fault)
    const owner = this.#actions.ownerOf(name)
    if (owner !== undefined) throw errors.ACTION_TAKEN(name, owner)
    const input = new ActionInput(action.input_schema)
    const registered = { name, action, input, description: describe(name, action, input), owner: currentOwner() }
    this.#actions.set(name, registered)
    return registered
  }

  find(name: string): Registered | undefined {
    return this.#actions.get(name)
  }

  /** @throws action_not_found */
  get(name: string): Registered {
    const found = this.#actions.get(name)
    if (found === undefined) throw errors.action_not_found(name, suggest(name, this.#actions.keys()))
    return found
  }

  /** Actions that are not ability-only, by name. */
  list(): Registered[] {
    const all = this.#actions.values().filter(({ action }) => action.ability_only !== true)
    return all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Abilities: ability-only actions in the order of registration, then the others by name. */
  abilities(): Registered[] {
    const only = this.#actions.values().filter(({ action }) => action.ability_only === true)
    return [...only, ...this.list()].filter(({ action }) => action.show_in_rest ?? true)
  }
}

function describe(name: string, action: ActionSpec, input: ActionInput): ActionDescription {
  const { label, description, category = name.slice(0, name.indexOf('/')), annotations, output_schema: output } = action
  const { readonly = null, destructive = null, idempotent = null }: Partial<Annotations> = annotations ?? {}
  return {
    name,
    label,
    description,
    category,
    input_schema: toJsonSchema(input.schema),
    // Clients of abilities expect the schema as its author wrote it.
    output_schema: toJsonSchema(action.ability_only === true ? (output ?? {}) : closed(output ?? {})),
    meta: { annotations: { readonly, destructive, idempotent }, show_in_rest: action.show_in_rest ?? true },
  }
}

/** The fault of a declaration; null if it is valid. Plugins in JavaScript can pass any value. */
function faultOf(action: ActionSpec): string | null {
  const { annotations = {}, input_schema: input, output_schema: output } = action
  const unknown = unknownOf(Object.keys(action), KEYS) ?? unknownOf(Object.keys(annotations), ANNOTATIONS)
  if (unknown !== null) return unknown
  for (const key of ['label', 'description'] as const) {
    if (typeof action[key] !== 'string' || action[key].trim() === '') return `it has no ${key}`
  }
  if (typeof action.permission !== 'function')
    return 'it has no permission: return whether the user may run it, or use permission: () => true to allow all users'
  if (typeof action.run !== 'function') return 'it has no function run'
  const invalidKey = ANNOTATIONS.find((key) => ![true, false, null, undefined].includes(annotations[key]))
  if (invalidKey !== undefined) return `its annotation ${invalidKey} must be true, false or null`
  if (annotations.readonly === true) {
    if (annotations.destructive === true) return 'it cannot be both read-only and destructive'
    if (action.transaction === true) return 'it is read-only and must not set "transaction"'
  }
  return schemaFault('input_schema', input) ?? schemaFault('output_schema', output)
}

function unknownOf(keys: readonly string[], knownKeys: readonly string[]): string | null {
  const unknown = keys.find((key) => !knownKeys.includes(key))
  return unknown === undefined ? null : `it has the unknown key "${unknown}"${hint(unknown, knownKeys, SIMILAR_KEYS)}`
}

function schemaFault(path: string, schema: unknown): string | null {
  if (schema === undefined) return null
  const mistake = schemaMistake(schema)
  if (mistake !== null) return `its ${path} ${mistake}`
  return callbackFault(path, schema as ArgumentSchema)
}

/** The fault of a schema with callbacks, including nested schemas; null if it has none. */
function callbackFault(path: string, schema: ArgumentSchema): string | null {
  for (const key of CALLBACKS) {
    if (Object.hasOwn(schema, key))
      return `its ${path} has a ${key}, which is only supported for arguments of routes: validate in run instead`
  }
  const { properties, items, anyOf, oneOf } = schema
  const parts = [
    ...Object.entries(properties ?? {}).map(([name, part]) => [`${path}.${name}`, part] as const),
    ...(items === undefined ? [] : [[`${path}.items`, items] as const]),
    ...[...(anyOf ?? []), ...(oneOf ?? [])].map((part, at) => [`${path}[${at}]`, part] as const),
  ]
  for (const [name, part] of parts) {
    const fault = callbackFault(name, part)
    if (fault !== null) return fault
  }
  return null
}
