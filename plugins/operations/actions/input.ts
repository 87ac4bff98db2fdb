import { checkArguments } from '../../requests/arguments/index.ts'
import {
  errors,
  invalidParam,
  sentence,
  type Arguments,
  type ArgumentSchema,
  type RestError,
} from '../../../kernel/index.ts'
import { hint } from '../../library/suggestions/index.ts'
import { requiredOf } from './json-schema.ts'

/** Keywords of an object's schema that single arguments cannot say. */
const WHOLE = ['patternProperties', 'anyOf', 'oneOf', 'minProperties', 'maxProperties', 'enum'] as const
/** Names that an argument of a route, and a flag, may have. */
const NAME = /^(?!rest_route$)[a-z][a-z0-9_]*$/i

/** How the input of an action is given and checked. */
export class ActionInput {
  /** The arguments of its route and its command: the properties of the input, or one argument `input`. */
  readonly args: Arguments
  /** Whether the properties of the input are arguments. */
  readonly isFlat: boolean
  readonly #schema: ArgumentSchema

  /** @param schema that of the action; undefined for one without input */
  constructor(schema: ArgumentSchema = { type: 'object', properties: {} }) {
    this.#schema = schema
    const { properties, additionalProperties: others, default: preset } = schema
    this.isFlat =
      schema.type === 'object' &&
      properties !== undefined &&
      (others === undefined || others === false) &&
      preset === undefined &&
      WHOLE.every((keyword) => schema[keyword] === undefined) &&
      Object.keys(properties).every((name) => NAME.test(name))
    this.args = this.isFlat ? argumentsOf(schema) : { input: schema }
  }

  /** The schema by which an input is checked: what is not declared is refused where properties are arguments. */
  get schema(): ArgumentSchema {
    return this.isFlat ? { ...this.#schema, additionalProperties: false } : this.#schema
  }

  /** The input that arguments make: those of a request, or of a command. */
  fromArguments(values: Readonly<Record<string, unknown>>): unknown {
    return this.isFlat ? values : values['input']
  }

  /**
   * An input, checked and converted, with its defaults.
   * @throws rest_missing_callback_param, rest_invalid_param
   */
  async check(given: unknown): Promise<unknown> {
    if (!this.isFlat) {
      const value = given ?? this.#schema.default
      const isNull = [this.#schema.type].flat().includes('null')
      if (value === undefined || (value === null && !isNull)) throw missing('input')
      return (await this.#checked({ input: value }))['input']
    }
    // Nothing is an empty input to programs that have nothing to say.
    const values = given ?? {}
    if (typeof values !== 'object' || Array.isArray(values)) throw invalidParam('input', 'input is not of type object.')
    const known = Object.keys(this.args)
    const unknown = Object.keys(values).find((name) => !known.includes(name))
    if (unknown !== undefined) throw this.unknown(unknown)
    const checked = await this.#checked(values as Record<string, unknown>)
    for (const name of known) {
      const preset = this.args[name]!.default
      if ((!Object.hasOwn(checked, name) || checked[name] === undefined) && preset !== undefined) checked[name] = preset
    }
    return checked
  }

  /** The error of a property that the input does not have. */
  unknown(name: string): RestError {
    const known = Object.keys(this.args)
    const end = known.length === 0 ? ': the action takes no input' : hint(name, known)
    return invalidParam(name, sentence(`There is no ${name} in the input${end}`))
  }

  async #checked(given: Record<string, unknown>): Promise<Record<string, unknown>> {
    const checked = await checkArguments(this.args, given, undefined)
    if (!checked.ok) throw checked.error
    return checked.values
  }
}

/** The properties of an object as arguments, which say themselves whether they are required. */
function argumentsOf(schema: ArgumentSchema): Arguments {
  const { properties = {} } = schema
  const required = requiredOf(schema)
  return Object.fromEntries(
    [...new Set([...Object.keys(properties), ...required])].map((name) => {
      const { required: own, ...property } = properties[name] ?? {}
      // A list of names is about the properties within, and is said by these: an argument that is required has no list.
      const inner = Array.isArray(own) ? { properties: argumentsOf(properties[name]!) } : {}
      return [name, { ...property, ...inner, ...(required.includes(name) && { required: true }) }]
    }),
  )
}

function missing(name: string): RestError {
  return errors.rest_missing_callback_param(name, { data: { params: [name] } })
}
