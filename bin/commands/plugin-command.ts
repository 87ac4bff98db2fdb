import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  BUILT_IN_COMMANDS,
  createLog,
  flagOf,
  withoutSecrets,
  type Kernel,
  type RegisteredCommand,
} from '../config/index.ts'
import type { ArgumentSchema, SiteConfig } from '../../kernel/index.ts'
import { suggest } from '../../plugins/library/suggestions/index.ts'
import type { Invocation } from '../../plugins/library/commands/index.ts'
import { operandLabel, readArguments } from './command-arguments.ts'
import { configFlags, configFrom, configUsage } from './config-flags.ts'
import { failureText } from './failure.ts'
import { startSite } from './site.ts'
import { rowsTable, table } from './table.ts'

/**
 * Runs a command that a plugin of the site adds to `svc`, on the site's own database.
 * @param argv the name of the command and its arguments
 * @returns the exit code
 */
export async function runPluginCommand(argv: readonly string[]): Promise<number> {
  const until = argv.findIndex((text) => text.startsWith('-'))
  const words = until < 0 ? argv : argv.slice(0, until)
  const flags = configIn(argv)
  const isHelp = flags['help'] === true
  // Starts the site on a database in memory first, because help and mistyped names must not create its database.
  if (isHelp || isNew(await configFrom(flags))) {
    await using site = await start(words, { ...flags, database: 'sqlite::memory:' })
    const found = find(site, words)
    if (found === undefined) return listSome(site, words, isHelp)
    if (isHelp) return print(commandUsage(found, { further: below(site, found) }))
  }
  await using site = await start(words, flags)
  const found = find(site, words)
  if (found === undefined) return listSome(site, words, false)
  const { name, command } = found
  const read = await readArguments(found, argv.slice(name.split(' ').length))
  const code: unknown = await command.run({
    ...read,
    print,
    printData: (data, shown) => print(read.json ? JSON.stringify(data, null, 2) : textOf(data, shown)),
  })
  return exitCode(code)
}

/** Converts the return value of a command into an exit code. Values that are not exit codes become 1. */
function exitCode(code: unknown): number {
  if (code === undefined || code === null) return 0
  return Number.isInteger(code) && Number(code) >= 0 && Number(code) <= 255 ? Number(code) : 1
}

function textOf(data: unknown, shown: Parameters<Invocation['printData']>[1]): string {
  if (shown === undefined) return rowsTable(data)
  return typeof shown === 'string' ? shown : table(shown)
}

/** Returns the part of `svc --help` about commands of plugins, or why the site does not start. */
export async function pluginCommandsUsage(argv: readonly string[]): Promise<string> {
  try {
    await using site = await startSite(await configFrom({ ...configIn(argv), database: 'sqlite::memory:' }))
    return usageOfAll(site.commands.list())
  } catch (error) {
    return `Commands of plugins are not listed, because the site does not start: ${failureText(error)}`
  }
}

/** Returns one line for each command, with its plugin. */
export function usageOfAll(commands: readonly RegisteredCommand[]): string {
  if (commands.length === 0) return 'No plugin adds commands.'
  return `Commands of plugins (svc NAME --help describes one):\n\n${linesOf(commands)}`
}

const linesOf = (commands: readonly RegisteredCommand[]): string =>
  commands.map((one) => line(synopsis(one), `${one.command.summary} (${one.plugin})`)).join('\n')

/**
 * Returns the text of `svc NAME --help`.
 * @param options.further commands whose names start with the name of this one
 * @param options.rest the usage of the flags of svc-serve
 */
export function commandUsage(
  one: RegisteredCommand,
  { further = [], rest = configUsage() }: { further?: readonly RegisteredCommand[]; rest?: string } = {},
): string {
  const { args = {}, flags = {}, json, summary, description } = one.command
  const rows = [
    ...Object.entries(args).map(([name, schema]) => line(operandLabel(name), sentenceOf(schema))),
    ...Object.entries(flags).map(([name, schema]) => line(flagWithValue(name, schema), sentenceOf(schema))),
    ...(json === true ? [line('--json', 'Prints data as JSON.')] : []),
  ]
  const parts = [
    `Usage: svc ${synopsis(one)} [FLAGS]`,
    [summary, description].filter((text) => text !== undefined).join('\n\n'),
    ...(rows.length > 0 ? [rows.join('\n')] : []),
    ...(further.length > 0 ? [`Further commands:\n\n${linesOf(further)}`] : []),
    `The plugin ${one.plugin} adds this command. It also accepts the flags of svc-serve${rest === '' ? '.' : `:\n\n${rest}`}`,
  ]
  return parts.join('\n\n')
}

/** Formats a command with its operands: `garden water PLANT [LITRES]`. */
function synopsis({ name, command: { args = {} } }: RegisteredCommand): string {
  const operands = Object.entries(args).map(([operand, { type, required }]) => {
    const label = `${operandLabel(operand)}${type === 'array' ? '…' : ''}`
    return required === true ? label : `[${label}]`
  })
  return [name, ...operands].join(' ')
}

function flagWithValue(name: string, schema: ArgumentSchema): string {
  if (schema.type !== 'boolean') return `--${flagOf(name)} VALUE`
  return schema.default === true ? `--no-${flagOf(name)}` : `--${flagOf(name)}`
}

/** Describes an argument: its description, its allowed values and its default. */
function sentenceOf(schema: ArgumentSchema): string {
  const { description = '', enum: values, required, default: preset, type } = schema
  const shown = withoutSecrets({ properties: { preset: schema } }, { preset }) as { preset: unknown }
  const facts = [
    ...(values === undefined ? [] : [`one of ${values.map(String).join(', ')}`]),
    ...(type === 'object' ? ['JSON'] : []),
    ...(type === 'array' ? ['can be repeated'] : []),
    ...(required === true ? ['required'] : []),
    ...(preset === undefined || type === 'boolean' ? [] : [`by default ${JSON.stringify(shown.preset)}`]),
  ]
  return [description, facts.length === 0 ? '' : `(${facts.join('; ')})`].filter((part) => part !== '').join(' ')
}

/** Width of the first column of usages. */
const COLUMN_WIDTH = 22

function line(label: string, sentence: string): string {
  const text = sentence.trim()
  return label.length < COLUMN_WIDTH
    ? `  ${label.padEnd(COLUMN_WIDTH)}${text}`
    : `  ${label}\n${' '.repeat(COLUMN_WIDTH + 2)}${text}`
}

/** Parses only the config flags: the flags that a plugin declares are not known yet. */
function configIn(argv: readonly string[]): Record<string, unknown> {
  const options = { ...configFlags, help: { type: 'boolean' as const } }
  const { values } = parseArgs({ args: [...argv], allowPositionals: true, strict: false, options })
  const wrong = (name: string) => typeof values[name] !== options[name as keyof typeof options]?.type
  return Object.fromEntries(Object.entries(values).filter(([name]) => !wrong(name)))
}

/** Whether the site has no database yet, so that starting it would create one. */
function isNew({ database }: SiteConfig): boolean {
  const file = /^sqlite:(?!:memory:)(.+)$/s.exec(database)?.[1]
  return file !== undefined && !existsSync(file)
}

async function start(words: readonly string[], values: Record<string, unknown>): Promise<Kernel> {
  // Without --log, only the command itself writes to stdout and stderr.
  const config = await configFrom(values)
  const log = values['log'] === undefined ? undefined : createLog(config.log, process.stderr)
  try {
    return await startSite(config, log)
  } catch (error) {
    const reason = failureText(error)
    throw new Error(
      `svc has no built-in command ${words[0]}, and the site with its plugins does not start: ${reason}`,
      {
        cause: error,
      },
    )
  }
}

/**
 * Finds the command whose name the words start with. Undefined if it takes no operands but further words follow, and
 * longer names start with its name: then the words are a mistyped longer name.
 */
function find({ commands }: Kernel, words: readonly string[]): RegisteredCommand | undefined {
  const found = commands.find(words)
  if (found === undefined || Object.keys(found.command.args ?? {}).length > 0) return found
  const isLonger = words.length > found.name.split(' ').length
  return isLonger && below({ commands }, found).length > 0 ? undefined : found
}

const below = ({ commands }: Pick<Kernel, 'commands'>, { name: above }: RegisteredCommand): RegisteredCommand[] =>
  commands.list().filter(({ name }) => name.startsWith(`${above} `))

/** Prints the commands that start with the words, or an error with the nearest name. */
function listSome({ commands }: Kernel, words: readonly string[], isHelp: boolean): number {
  const all = commands.list()
  const group = all.filter(({ name }) => name.startsWith(`${words[0]} `))
  if (words.length === 1 && group.length > 0) return isHelp ? print(usageOfAll(group)) : printError(usageOfAll(group))
  const names = [...BUILT_IN_COMMANDS, ...all.map(({ name }) => name)]
  const typed = [words.slice(0, 2).join(' '), words[0]!]
  const near = typed.map((text) => suggest(text, names)).find((name) => name !== '') ?? ''
  const typedName = group.length > 0 ? words.slice(0, 2).join(' ') : words[0]!
  const alternatives = usageOfAll(group.length > 0 ? group : all)
  return printError(
    `There is no command ${typedName}${near === '' ? '' : `: did you mean ${near}?`}\n\n${alternatives}`,
  )
}

function print(text: string): 0 {
  console.log(text)
  return 0
}

function printError(text: string): 1 {
  console.error(text)
  return 1
}
