import { parseArgs, type ParseArgsConfig } from 'node:util'
import { flagOf, type RegisteredCommand } from '../config/index.ts'
import { checkArguments } from '../../plugins/requests/arguments/index.ts'
import type { Arguments, ArgumentSchema, ErrorData } from '../../kernel/index.ts'
import { suggest } from '../../plugins/library/suggestions/index.ts'
import { cleanJson } from '../../plugins/library/markup/index.ts'
import { configFlags } from './config-flags.ts'

/** The checked operands and flags that the `run` of a plugin's command receives, and whether `--json` was passed. */
export interface ParsedArguments {
  operands: Record<string, unknown>
  flags: Record<string, unknown>
  json: boolean
}

type Values = Record<string, unknown>

/** The name of an operand as usage texts and errors show it: `DRY-RUN` for `dry_run`. */
export const operandLabel = (name: string) => flagOf(name).toUpperCase()

/**
 * Parses the arguments after the name of a command and validates them against the schemas of its declaration.
 * @throws Error with the reason and a reference to the command's `--help`
 */
export async function readArguments(registered: RegisteredCommand, argv: readonly string[]): Promise<ParsedArguments> {
  const { args = {}, flags = {} } = registered.command
  const all: Arguments = { ...args, ...flags }
  const label = (name: string) => (Object.hasOwn(args, name) ? operandLabel(name) : `--${flagOf(name)}`)
  try {
    const { values, positionals } = parse(registered, argv)
    const input = takeOperands(registered, positionals)
    for (const [name, schema] of Object.entries(flags)) {
      const text = values[flagOf(name)]
      if (text !== undefined) input[name] = valueOf(schema, text, label(name))
    }
    cleanJson(input)
    const checked = await checkArguments(all, input, undefined)
    if (!checked.ok) throw new Error(complaint(checked.error.data, label) ?? checked.error.message)
    const read = (part: Arguments) =>
      Object.fromEntries(
        Object.entries(part)
          .map(
            ([name, schema]) =>
              [name, (Object.hasOwn(checked.values, name) ? checked.values[name] : null) ?? schema.default] as const,
          )
          .filter(([, value]) => value !== undefined),
      )
    return { operands: read(args), flags: read(flags), json: values['json'] === true }
  } catch (error) {
    throw new Error(`${(error as Error).message} svc ${registered.name} --help lists its arguments.`, { cause: error })
  }
}

function parse(registered: RegisteredCommand, argv: readonly string[]): { values: Values; positionals: string[] } {
  const { flags = {}, json = false } = registered.command
  const own = Object.entries(flags).map(([name, schema]) => {
    const isList = [schema.type].flat().includes('array')
    const type = schema.type === 'boolean' ? ('boolean' as const) : ('string' as const)
    return [flagOf(name), { type, multiple: isList }] as const
  })
  const options: NonNullable<ParseArgsConfig['options']> = {
    ...configFlags,
    ...(json && { json: { type: 'boolean' as const } }),
    ...Object.fromEntries(own),
  }
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, allowNegative: true, options })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const [flag = ''] = /--?[^'\s]+/.exec(message) ?? []
    if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
      const isSwitch = message.includes('does not take')
      throw new Error(isSwitch ? `${flag} takes no value.` : `Give a value for ${flag}: ${flag}=VALUE.`)
    }
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw error
    const near = suggest(flag.replace(/^-+(?:no-)?/, ''), Object.keys(options))
    throw new Error(`There is no flag ${flag}${near === '' ? '.' : `: did you mean --${near}?`}`)
  }
}

/** Maps positional arguments to operands. A last operand of type array takes all remaining arguments, one per item. */
function takeOperands({ name, command: { args = {} } }: RegisteredCommand, positionals: readonly string[]): Values {
  const names = Object.keys(args)
  const last = names.at(-1)
  const isOpen = last !== undefined && args[last]!.type === 'array'
  const extra = isOpen ? undefined : positionals[names.length]
  if (extra !== undefined) {
    const accepted = names.length === 0 ? 'no operands' : names.map(operandLabel).join(' ')
    throw new Error(`Unexpected argument ${extra}: svc ${name} takes ${accepted}.`)
  }
  const operands: Values = {}
  for (const [at, one] of names.entries()) {
    const rest = positionals.slice(at)
    const schema = args[one]!
    const label = operandLabel(one)
    if (rest.length === 0) continue
    if (isOpen && one === last) operands[one] = rest.map((text) => valueOf(schema.items ?? {}, text, label))
    else operands[one] = valueOf(schema, rest[0], label)
  }
  return operands
}

/** Converts one or more texts of a command line into a value. Parses JSON if the schema accepts an object. */
function valueOf(schema: ArgumentSchema, text: unknown, label: string): unknown {
  if (Array.isArray(text)) {
    const items = schema.items ?? {}
    // A single text can be the whole list: as JSON, or separated by commas.
    if (text.length > 1) return text.map((item) => valueOf(items, item, label))
    return String(text[0]).startsWith('[') || acceptsMap(items) ? listOf(String(text[0]), items, label) : text[0]
  }
  if (typeof text !== 'string' || !acceptsMap(schema)) return text
  return schema.type === 'object' || text.startsWith('{') ? fromJson(text, label) : text
}

function listOf(text: string, items: ArgumentSchema, label: string): unknown {
  return text.startsWith('[') ? fromJson(text, label) : [valueOf(items, text, label)]
}

function acceptsMap({ type, anyOf, oneOf }: ArgumentSchema): boolean {
  return [type].flat().includes('object') || [...(anyOf ?? []), ...(oneOf ?? [])].some(acceptsMap)
}

function fromJson(text: string, label: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new Error(`${label} is not valid JSON: ${(cause as Error).message}.`, { cause })
  }
}

/** Rewords an error of `checkArguments` with the names of flags and operands. Null if it does not name arguments. */
function complaint({ params }: ErrorData, label: (name: string) => string): string | null {
  if (Array.isArray(params)) {
    const missing = (params as string[]).map(label)
    return `Give ${[missing.slice(0, -1).join(', '), missing.at(-1)].filter(Boolean).join(' and ')}.`
  }
  if (typeof params !== 'object' || params === null) return null
  const sentences = Object.entries(params as Record<string, string>).map(([name, message]) => {
    const text = message.startsWith(name) ? `${label(name)}${message.slice(name.length)}` : `${label(name)}: ${message}`
    return text.endsWith('.') ? text : `${text}.`
  })
  return sentences.join(' ')
}
