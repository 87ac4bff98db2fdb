import { OwnedMap, type ArgumentChecker, type Arguments, type ArgumentSchema } from '../../kernel/index.ts'
import type { Command } from '../../plugins/library/commands/index.ts'
import { configKeys } from './config-keys.ts'
import { errors } from './errors.ts'
import { firstPlace } from '../../plugins/library/advice/first-place.ts'
import { unknownKey } from '../../plugins/library/advice/shapes.ts'

/** The sub-commands of `svc` that belong to no plugin: those that look at plugins and hooks themselves. */
export const BUILT_IN_COMMANDS = ['hooks', 'plugins', 'routes'] as const
export type BuiltInCommand = (typeof BUILT_IN_COMMANDS)[number]

/** A registered command. */
export interface RegisteredCommand {
  /** One to three words: `jobs`, `jobs list`. */
  readonly name: string
  /** Name of the plugin whose it is. */
  readonly plugin: string
  readonly command: Command
}

const WORD = /^[a-z][a-z0-9-]*(?:\/[a-z][a-z0-9-]*)?$/
const MOST_WORDS = 3
const ARGUMENT = /^[a-z][a-z0-9_]*$/i
/** Flags that all commands have. */
const COMMON = new Set(['config', 'help', 'json', ...Object.keys(configKeys)])

/** The flag of a name in a declaration or in the config: `dry_run` is `dry-run`. */
export function flagOf(name: string): string {
  return name.replaceAll('_', '-')
}

/** Whether a name cannot be that of a flag, because every command takes one of that name. */
export function isCommonFlag(name: string): boolean {
  return COMMON.has(name.toLowerCase())
}

/** The commands of plugins. */
export class CommandRegistry {
  readonly #commands = new OwnedMap<Command>('command')
  readonly #checker: () => ArgumentChecker | undefined

  /** @param checker checks the schemas of operands and flags */
  constructor(checker: () => ArgumentChecker | undefined) {
    this.#checker = checker
  }

  /**
   * Adds a command for the current owner.
   * @param name one to three words: `jobs`, `jobs list`
   * @throws COMMAND_INVALID, COMMAND_TAKEN
   */
  add(name: string, command: Command): void {
    const words = String(name).split(' ')
    const why = nameFault(words) ?? commandFault(command, this.#checker())
    if (why !== null) throw errors.COMMAND_INVALID(String(name), why)
    const builtIn = BUILT_IN_COMMANDS.find((one) => one === words[0])
    if (builtIn !== undefined) throw errors.COMMAND_TAKEN(name, 'svc itself')
    for (const [other, { args = {} }] of this.#commands) {
      if (other === name) throw errors.COMMAND_TAKEN(name, this.#placeOf(other))
      this.#refuseHidden(name, command.args ?? {}, other)
      this.#refuseHidden(other, args, name)
    }
    this.#commands.set(name, command)
  }

  /** The commands in the order of their names. */
  list(): RegisteredCommand[] {
    const all = [...this.#commands].map(([name, command]) => ({ name, command, plugin: this.#ownerOf(name) }))
    return all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** The command that words name, where further words may follow; undefined when there is none. */
  find(words: readonly string[]): RegisteredCommand | undefined {
    for (let count = Math.min(MOST_WORDS, words.length); count > 0; count -= 1) {
      const name = words.slice(0, count).join(' ')
      const command = this.#commands.get(name)
      if (command !== undefined) return { name, command, plugin: this.#ownerOf(name) }
    }
    return undefined
  }

  /** A word after `shorter` would be an operand of it and the name of `longer`. */
  #refuseHidden(shorter: string, operands: Arguments, longer: string): void {
    if (Object.keys(operands).length === 0 || !longer.startsWith(`${shorter} `)) return
    throw errors.COMMAND_INVALID(shorter, `it takes operands, which ${longer} could be meant by`)
  }

  /** The plugin of a command, and where it was added. */
  #placeOf(name: string): string {
    return `${this.#ownerOf(name)}${firstPlace(this.#commands.registrantOf(name)?.at() ?? null)}`
  }

  #ownerOf(name: string): string {
    return this.#commands.ownerOf(name) ?? ''
  }
}

function nameFault(words: readonly string[]): string | null {
  if (words.length > MOST_WORDS) return 'its name has more than three words'
  const wrong = words.find((word) => !WORD.test(word))
  if (wrong !== undefined)
    return 'its name is not made of small letters, digits and hyphens, with one space between words'
  return words[0] === 'help' ? 'svc help is the help itself' : null
}

const KEYS = { summary: 1, description: 1, args: 1, flags: 1, json: 1, run: 1 }
/** What other programs call these. */
const MEANT_KEYS = {
  operands: 'args',
  arguments: 'args',
  options: 'flags',
  action: 'run',
  handler: 'run',
  help: 'summary',
}

/** What is wrong with a declaration; null for nothing. Plugins in JavaScript hand over what they please. */
function commandFault(command: Command, checker: ArgumentChecker | undefined): string | null {
  if (typeof command !== 'object' || command === null) return 'it is no declaration: give { summary, run }'
  const { summary, args = {}, flags = {} } = command
  const unknown = unknownKey(command, KEYS, MEANT_KEYS)
  if (unknown !== null) return `it ${unknown}`
  if (typeof summary !== 'string' || summary.trim() === '') return 'it has no summary: say in a sentence what it does'
  if (typeof command.run !== 'function') return 'it has no function run'
  const wrong = checker?.mistakeIn(args, 'operand') ?? checker?.mistakeIn(flags, 'flag') ?? null
  if (wrong !== null) return wrong
  const both = Object.keys(flags).find((name) => Object.hasOwn(args, name))
  if (both !== undefined) return `${both} is an operand and a flag: rename one`
  const common = Object.keys(flags).find(isCommonFlag)
  if (common !== undefined) return `--${flagOf(common)} is a flag of every command: rename it`
  for (const [name, schema] of [...Object.entries(args), ...Object.entries(flags)]) {
    const why = argumentFault(name, schema)
    if (why !== null) return why
  }
  return orderFault(Object.entries(args))
}

function argumentFault(name: string, schema: ArgumentSchema): string | null {
  if (!ARGUMENT.test(name)) return `"${name}" is no name of an operand or a flag: use letters, digits and underscores`
  // They are given a request, and there is none.
  const callback = (['validate_callback', 'sanitize_callback'] as const).find((key) => schema[key] !== undefined)
  if (callback !== undefined) return `${name} has a ${callback}, which only arguments of routes have: check it in run`
  return null
}

/** What is wrong with the order of operands; null for nothing. */
function orderFault(operands: readonly (readonly [name: string, schema: ArgumentSchema])[]): string | null {
  let optional: string | null = null
  for (const [at, [name, schema]] of operands.entries()) {
    if (schema.type === 'array' && at < operands.length - 1)
      return `the operand ${name} takes all that are left: put it last`
    if (schema.required !== true) optional ??= name
    else if (optional !== null) return `the operand ${name} is required, and stands behind ${optional}, which is not`
  }
  return null
}
