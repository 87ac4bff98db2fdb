import {
  applyFilter,
  forbidden,
  OwnedMap,
  RestError,
  runAction,
  sanitizeValue,
  schemaMistake,
  validateValue,
  type ArgumentSchema,
  type PluginContext,
} from '../../../kernel/index.ts'
import type { ActionDescription } from '../actions/index.ts'
import type { Ability, AbilityCaller, AbilityCategory, AbilitySpec } from './ability.ts'
import { errors } from './errors.ts'

const NAME = /^[a-z0-9-]+\/[a-z0-9-]+$/
const CATEGORY = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** What the plugins of a site can do, by name: their abilities, and the actions that have a route. */
export class Abilities {
  readonly #plugin: PluginContext
  readonly #abilities = new OwnedMap<Ability>('ability')
  readonly #categories = new OwnedMap<AbilityCategory>('category of abilities')

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** Registers a category until its plugin is removed. @throws ABILITY_INVALID */
  registerCategory(slug: string, category: AbilityCategory): void {
    if (!CATEGORY.test(slug)) throw errors.ABILITY_INVALID(slug, 'its category is not in small letters, with dashes')
    this.#categories.set(slug, category)
  }

  /**
   * Registers an ability until its plugin is removed.
   * @param name the plugin and what it does: `garden/water-plant`
   * @throws ABILITY_INVALID
   */
  register(name: string, spec: AbilitySpec): void {
    const why =
      faultOf(name, spec) ?? (this.#categories.has(spec.category) ? null : `there is no category ${spec.category}`)
    if (why !== null) throw errors.ABILITY_INVALID(name, why)
    this.#abilities.set(name, this.#abilityOf(name, spec))
  }

  /** In order of registration, actions last. */
  all(): Ability[] {
    const own = this.#abilities.values()
    const names = new Set(own.map(({ name }) => name))
    return [...own, ...this.#actions().filter(({ name }) => !names.has(name))]
  }

  get(name: string): Ability | undefined {
    return this.#abilities.get(name) ?? this.#actions().find((one) => one.name === name)
  }

  /** The categories, those of actions last. */
  categories(): ({ slug: string } & AbilityCategory)[] {
    const own = [...this.#categories].map(([slug, category]) => ({ slug, ...category }))
    const known = new Set(own.map(({ slug }) => slug))
    const ofActions = [...new Set(this.#actions().map(({ category }) => category))].filter((slug) => !known.has(slug))
    return [...own, ...ofActions.map((slug) => ({ slug, label: slug, description: `Actions of ${slug}.` }))]
  }

  /** The input of a run, checked. @throws ability_invalid_input, ability_missing_input_schema */
  async prepare(ability: Ability, input: unknown, caller: AbilityCaller, isText = false): Promise<unknown> {
    const given = await applyFilter(this.#plugin.hooks.ability_input, input, ability.name, caller)
    return ability.checked(given, isText)
  }

  /** Why somebody may not run an ability with an input that is checked; null where they may. */
  async refusal(ability: Ability, input: unknown, caller: AbilityCaller): Promise<RestError | null> {
    const own = await ability.permission(input, caller)
    const permitted = await applyFilter(this.#plugin.hooks.ability_permission, own, ability.name, input, caller)
    if (permitted === true) return null
    return permitted instanceof RestError ? permitted : forbidden(caller, errors.rest_ability_cannot_execute)
  }

  /** Runs an ability with an input that is checked, for somebody who may. @throws ability_invalid_output */
  async run(ability: Ability, input: unknown, caller: AbilityCaller): Promise<unknown> {
    const { hooks } = this.#plugin
    const { name } = ability
    await runAction(hooks.before_execute_ability, name, input, caller)
    const returned = await ability.run(input, caller)
    if (returned instanceof RestError) throw returned
    const output = ability.output(await applyFilter(hooks.ability_output, returned, name, input, caller))
    await runAction(hooks.after_execute_ability, name, input, output, caller)
    return output
  }

  /**
   * Runs an ability: its input is checked, then the permission, then what it returns.
   * @throws rest_ability_not_found, ability_invalid_input, rest_ability_cannot_execute, and what the ability throws
   */
  async execute(name: string, input: unknown, caller: AbilityCaller): Promise<unknown> {
    const ability = this.get(name)
    if (ability === undefined) throw errors.rest_ability_not_found()
    const checked = await this.prepare(ability, input, caller)
    const refused = await this.refusal(ability, checked, caller)
    if (refused !== null) throw refused
    return this.run(ability, checked, caller)
  }

  #abilityOf(name: string, spec: AbilitySpec): Ability {
    const { input_schema: input, output_schema: output, annotations, ...rest } = spec
    return {
      name,
      label: rest.label,
      description: rest.description,
      category: rest.category,
      input_schema: (input ?? {}) as Record<string, unknown>,
      output_schema: (output ?? {}) as Record<string, unknown>,
      annotations: { readonly: null, destructive: null, idempotent: null, ...annotations },
      show_in_rest: rest.show_in_rest ?? true,
      public: rest.public ?? false,
      checked: (given, isText) => checkedInput(input, given, isText),
      permission: (given, caller) => spec.permission(given, caller),
      run: (given, caller) => spec.run(given, caller),
      output: (value) => {
        const fits = output === undefined ? true : validateValue(value, output, 'output')
        if (fits === true) return value ?? null
        this.#plugin.log.error({ ability: name, err: fits }, 'the output of an ability is not valid')
        throw errors.ability_invalid_output(name)
      },
    }
  }

  #actions(): Ability[] {
    const { has, services } = this.#plugin
    if (!has('actions')) return []
    return services.actions.list().flatMap((one) => (one.meta.show_in_rest ? [this.#ofAction(one)] : []))
  }

  /** An action as an ability: its plugin checks input, permission and output. */
  #ofAction(action: ActionDescription): Ability {
    const { actions } = this.#plugin.services
    const { name, label, description, category, input_schema, output_schema, meta } = action
    return {
      name,
      label,
      description,
      category,
      input_schema,
      output_schema,
      annotations: meta.annotations,
      show_in_rest: true,
      public: false,
      checked: (input, isText) => (input === undefined ? {} : isText ? sanitizedText(input, input_schema) : input),
      permission: (input, caller) => actions.mayExecute(name, input, { ...caller, via: 'rest' }),
      run: (input, caller) => actions.execute(name, input, { ...caller, via: 'rest' }),
      output: (value) => value,
    }
  }
}

/** What is wrong with a declaration; null for nothing. Plugins in JavaScript hand over what they please. */
function faultOf(name: string, spec: AbilitySpec): string | null {
  if (!NAME.test(name)) return 'its name is not of the form garden/water-plant, in small letters'
  for (const key of ['label', 'description', 'category'] as const) {
    if (typeof spec[key] !== 'string' || spec[key].trim() === '') return `it has no ${key}`
  }
  if (typeof spec.permission !== 'function') return 'it has no permission: say who may run it'
  if (typeof spec.run !== 'function') return 'it has no function run'
  for (const key of ['input_schema', 'output_schema'] as const) {
    const mistake = spec[key] === undefined ? null : schemaMistake(spec[key])
    if (mistake !== null) return `its ${key} ${mistake}`
  }
  return null
}

/** @throws ability_invalid_input, ability_missing_input_schema */
function checkedInput(schema: ArgumentSchema | undefined, given: unknown, isText: boolean): unknown {
  if (schema === undefined) {
    if (given === undefined || given === null) return null
    throw errors.ability_missing_input_schema()
  }
  const input = given === undefined ? schema.default : given
  const fits = input === undefined ? 'there is none' : validateValue(input, schema, 'input')
  if (fits !== true) throw errors.ability_invalid_input(typeof fits === 'string' ? fits : fits.message)
  return withDefaults(isText ? sanitizeValue(input, schema, 'input') : input, schema)
}

function sanitizedText(input: unknown, schema: Readonly<Record<string, unknown>>): unknown {
  const of = schema as ArgumentSchema
  return validateValue(input, of, 'input') === true ? sanitizeValue(input, of, 'input') : input
}

/** An object with the defaults of the properties that it does not have. */
function withDefaults(input: unknown, { properties }: ArgumentSchema): unknown {
  if (properties === undefined || typeof input !== 'object' || input === null || Array.isArray(input)) return input
  const missing = Object.entries(properties).filter(
    ([name, { default: preset }]) => preset !== undefined && !Object.hasOwn(input, name),
  )
  return { ...input, ...Object.fromEntries(missing.map(([name, { default: preset }]) => [name, preset])) }
}
