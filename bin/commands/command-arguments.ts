import { parseArgs, type ParseArgsConfig } from 'node:util'
import { flagOf, type RegisteredCommand } from '../config/index.ts'
import { checkArguments } from '../../plugins/requests/arguments/index.ts'
import type { Arguments, ArgumentSchema, ErrorData } from '../../kernel/index.ts'
import { suggest } from '../../plugins/library/suggestions/index.ts'
import { cleanJson } from '../../plugins/library/markup/index.ts'
import { configFlags } from './config-flags.ts'

/** Operands and flags of a command of a plugin, as its `run` is given them, and whether `--json` is among them. */
export interface GivenArguments {
  operands: Record<string, unknown>
  flags: Record<string, unknown>
  json: boolean
}

type Values = Record<string, unknown>

/** What stands for an operand in usage and errors. */
export const operandLabel = (name: string) => flagOf(name).toUpperCase()

/**
 * Reads what stands behind the name of a command, and checks it by the schemas of its declaration.
 * @throws Error that says what is wrong, and where help is
 */
export async function readArguments(registered: RegisteredCommand, argv: readonly string[]): Promise<GivenArguments> {
  const { args = {}, flags = {} } = registered.command
  const all: Arguments = { ...args, ...flags }
  const label = (name: string) => (Object.hasOwn(args, name) ? operandLabel(name) : `--${flagOf(name)}`)
  try {
    const { values, positionals } = parse(registered, argv)
    const given = takeOperands(registered, positionals)
    for (const [name, schema] of Object.entries(flags)) {
      const text = values[flagOf(name)]
      if (text !== undefined) given[name] = valueOf(schema, text, label(name))
    }
    cleanJson(given)
    const checked = await checkArguments(all, given, undefined)
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
    throw new Error(`${(error as Error).message} svc ${registered.name} --help says more.`, { cause: error })
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

/** Values by operand; of the last one all that are left, if it is a list: each of them is an item as it stands. */
function takeOperands({ name, command: { args = {} } }: RegisteredCommand, positionals: readonly string[]): Values {
  const names = Object.keys(args)
  const last = names.at(-1)
  const isOpen = last !== undefined && args[last]!.type === 'array'
  const extra = isOpen ? undefined : positionals[names.length]
  if (extra !== undefined) {
    const most = names.length === 0 ? 'no operands' : names.map(operandLabel).join(' ')
    throw new Error(`${extra} is too much: svc ${name} takes ${most}.`)
  }
  const taken: Values = {}
  for (const [at, one] of names.entries()) {
    const rest = positionals.slice(at)
    const schema = args[one]!
    const label = operandLabel(one)
    if (rest.length === 0) continue
    if (isOpen && one === last) taken[one] = rest.map((text) => valueOf(schema.items ?? {}, text, label))
    else taken[one] = valueOf(schema, rest[0], label)
  }
  return taken
}

/** The value that one or more texts of a command line say: JSON where the schema takes a map. */
function valueOf(schema: ArgumentSchema, text: unknown, label: string): unknown {
  if (Array.isArray(text)) {
    const items = schema.items ?? {}
    // A single text may be the whole list: as JSON, or with commas.
    if (text.length > 1) return text.map((item) => valueOf(items, item, label))
    return String(text[0]).startsWith('[') || takesMap(items) ? listOf(String(text[0]), items, label) : text[0]
  }
  if (typeof text !== 'string' || !takesMap(schema)) return text
  return schema.type === 'object' || text.startsWith('{') ? fromJson(text, label) : text
}

function listOf(text: string, items: ArgumentSchema, label: string): unknown {
  return text.startsWith('[') ? fromJson(text, label) : [valueOf(items, text, label)]
}

function takesMap({ type, anyOf, oneOf }: ArgumentSchema): boolean {
  return [type].flat().includes('object') || [...(anyOf ?? []), ...(oneOf ?? [])].some(takesMap)
}

function fromJson(text: string, label: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new Error(`${label} is no JSON: ${(cause as Error).message}.`, { cause })
  }
}

/** What `checkArguments` found, in words of the command line; null where it says nothing of single arguments. */
function complaint({ params }: ErrorData, label: (name: string) => string): string | null {
  if (Array.isArray(params)) {
    const missing = (params as string[]).map(label)
    return `Give ${[missing.slice(0, -1).join(', '), missing.at(-1)].filter(Boolean).join(' and ')}.`
  }
  if (typeof params !== 'object' || params === null) return null
  const sentences = Object.entries(params as Record<string, string>).map(([name, message]) => {
    const told = message.startsWith(name) ? `${label(name)}${message.slice(name.length)}` : `${label(name)}: ${message}`
    return told.endsWith('.') ? told : `${told}.`
  })
  return sentences.join(' ')
}
