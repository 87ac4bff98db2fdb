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

/** Keywords of an object schema that separate arguments cannot express. */
const OBJECT_KEYWORDS = ['patternProperties', 'anyOf', 'oneOf', 'minProperties', 'maxProperties', 'enum'] as const
/** Valid names of arguments of routes and flags of commands. */
const NAME = /^(?!rest_route$)[a-z][a-z0-9_]*$/i

/** Validates the input of an action, and maps it to arguments of a route or command. */
export class ActionInput {
  /** Arguments of the route and the command: the properties of the input, or a single argument `input`. */
  readonly args: Arguments
  /** Whether the properties of the input are separate arguments. */
  readonly isFlat: boolean
  readonly #schema: ArgumentSchema

  /** @param schema input schema of the action; undefined for an action without input */
  constructor(schema: ArgumentSchema = { type: 'object', properties: {} }) {
    this.#schema = schema
    const { properties, additionalProperties: others, default: preset } = schema
    this.isFlat =
      schema.type === 'object' &&
      properties !== undefined &&
      (others === undefined || others === false) &&
      preset === undefined &&
      OBJECT_KEYWORDS.every((keyword) => schema[keyword] === undefined) &&
      Object.keys(properties).every((name) => NAME.test(name))
    this.args = this.isFlat ? argumentsOf(schema) : { input: schema }
  }

  /** Schema for validating the input. If properties are arguments, undeclared properties are rejected. */
  get schema(): ArgumentSchema {
    return this.isFlat ? { ...this.#schema, additionalProperties: false } : this.#schema
  }

  /** Converts the arguments of a request or command to the input. */
  fromArguments(values: Readonly<Record<string, unknown>>): unknown {
    return this.isFlat ? values : values['input']
  }

  /**
   * Validates and converts an input, and adds defaults.
   * @throws rest_missing_callback_param, rest_invalid_param
   */
  async check(input: unknown): Promise<unknown> {
    if (!this.isFlat) {
      const value = input ?? this.#schema.default
      const isNull = [this.#schema.type].flat().includes('null')
      if (value === undefined || (value === null && !isNull)) throw missing('input')
      return (await this.#checked({ input: value }))['input']
    }
    // Undefined and null count as an empty input.
    const values = input ?? {}
    if (typeof values !== 'object' || Array.isArray(values)) throw invalidParam('input', 'input is not of type object.')
    const names = Object.keys(this.args)
    const unknown = Object.keys(values).find((name) => !names.includes(name))
    if (unknown !== undefined) throw this.unknown(unknown)
    const checked = await this.#checked(values as Record<string, unknown>)
    for (const name of names) {
      const preset = this.args[name]!.default
      if ((!Object.hasOwn(checked, name) || checked[name] === undefined) && preset !== undefined) checked[name] = preset
    }
    return checked
  }

  /** The error for a property that the input does not have. */
  unknown(name: string): RestError {
    const names = Object.keys(this.args)
    const end = names.length === 0 ? ': the action has no input' : hint(name, names)
    return invalidParam(name, sentence(`The input has no property ${name}${end}`))
  }

  async #checked(values: Record<string, unknown>): Promise<Record<string, unknown>> {
    const checked = await checkArguments(this.args, values, undefined)
    if (!checked.ok) throw checked.error
    return checked.values
  }
}

/** Converts the properties of an object schema to arguments, each with its own flag `required`. */
function argumentsOf(schema: ArgumentSchema): Arguments {
  const { properties = {} } = schema
  const required = requiredOf(schema)
  return Object.fromEntries(
    [...new Set([...Object.keys(properties), ...required])].map((name) => {
      const { required: own, ...property } = properties[name] ?? {}
      // A list in `required` names nested properties, which are converted too: arguments allow only a flag here.
      const inner = Array.isArray(own) ? { properties: argumentsOf(properties[name]!) } : {}
      return [name, { ...property, ...inner, ...(required.includes(name) && { required: true }) }]
    }),
  )
}

function missing(name: string): RestError {
  return errors.rest_missing_callback_param(name, { data: { params: [name] } })
}
