import { OwnedMap, type ArgumentChecker, type Arguments, type ArgumentSchema } from '../../kernel/index.ts'
import type { Command } from '../../plugins/library/commands/index.ts'
import { configKeys } from './config-keys.ts'
import { errors } from './errors.ts'
import { firstPlace } from '../../plugins/library/advice/first-place.ts'
import { unknownKey } from '../../plugins/library/advice/shapes.ts'

/** The subcommands of `svc` that do not belong to a plugin. */
export const BUILT_IN_COMMANDS = ['export', 'hooks', 'import', 'plugins', 'routes'] as const
export type BuiltInCommand = (typeof BUILT_IN_COMMANDS)[number]

/** A registered command. */
export interface RegisteredCommand {
  /** One to three words: `jobs`, `jobs list`. */
  readonly name: string
  /** Name of the plugin that added the command. */
  readonly plugin: string
  readonly command: Command
}

const WORD = /^[a-z][a-z0-9-]*(?:\/[a-z][a-z0-9-]*)?$/
const MAX_NAME_WORDS = 3
const ARGUMENT = /^[a-z][a-z0-9_]*$/i
/** Flags of all commands. */
const COMMON = new Set(['config', 'help', 'json', ...Object.keys(configKeys)])

/** Returns the flag for a name in a declaration or in the config: `dry-run` for `dry_run`. */
export function flagOf(name: string): string {
  return name.replaceAll('_', '-')
}

/** Whether a command cannot declare a flag of this name because all commands have it. */
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
    const fault = nameFault(words) ?? commandFault(command, this.#checker())
    if (fault !== null) throw errors.COMMAND_INVALID(String(name), fault)
    const builtIn = BUILT_IN_COMMANDS.find((one) => one === words[0])
    if (builtIn !== undefined) throw errors.COMMAND_TAKEN(name, 'svc')
    for (const [other, { args = {} }] of this.#commands) {
      if (other === name) throw errors.COMMAND_TAKEN(name, this.#placeOf(other))
      this.#rejectAmbiguous(name, command.args ?? {}, other)
      this.#rejectAmbiguous(other, args, name)
    }
    this.#commands.set(name, command)
  }

  /** Returns the commands sorted by name. */
  list(): RegisteredCommand[] {
    const all = [...this.#commands].map(([name, command]) => ({ name, command, plugin: this.#ownerOf(name) }))
    return all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Finds the command with the longest name that the words start with. Returns undefined if no name matches. */
  find(words: readonly string[]): RegisteredCommand | undefined {
    for (let count = Math.min(MAX_NAME_WORDS, words.length); count > 0; count -= 1) {
      const name = words.slice(0, count).join(' ')
      const command = this.#commands.get(name)
      if (command !== undefined) return { name, command, plugin: this.#ownerOf(name) }
    }
    return undefined
  }

  /**
   * Throws COMMAND_INVALID if `shorter` takes operands and `longer` starts with its name: the next word could be an
   * operand or part of the longer name.
   */
  #rejectAmbiguous(shorter: string, operands: Arguments, longer: string): void {
    if (Object.keys(operands).length === 0 || !longer.startsWith(`${shorter} `)) return
    throw errors.COMMAND_INVALID(shorter, `its operands are ambiguous because the command ${longer} exists`)
  }

  /** Returns the plugin of a command and the place in its code where it was added. */
  #placeOf(name: string): string {
    return `${this.#ownerOf(name)}${firstPlace(this.#commands.registrantOf(name)?.at() ?? null)}`
  }

  #ownerOf(name: string): string {
    return this.#commands.ownerOf(name) ?? ''
  }
}

function nameFault(words: readonly string[]): string | null {
  if (words.length > MAX_NAME_WORDS) return 'its name has more than three words'
  const wrong = words.find((word) => !WORD.test(word))
  if (wrong !== undefined)
    return 'its name must consist of lowercase letters, digits and hyphens, with one space between words'
  return words[0] === 'help' ? 'svc help shows the help' : null
}

const KEYS = { summary: 1, description: 1, args: 1, flags: 1, json: 1, run: 1 }
/** Names that other programs use for these keys, for suggestions. */
const KEY_SYNONYMS = {
  operands: 'args',
  arguments: 'args',
  options: 'flags',
  action: 'run',
  handler: 'run',
  help: 'summary',
}

/** Returns the first mistake in a declaration; null if it is valid. Plugins in JavaScript can pass any value. */
function commandFault(command: Command, checker: ArgumentChecker | undefined): string | null {
  if (typeof command !== 'object' || command === null) return 'it is not a declaration: pass { summary, run }'
  const { summary, args = {}, flags = {} } = command
  const unknown = unknownKey(command, KEYS, KEY_SYNONYMS)
  if (unknown !== null) return `it ${unknown}`
  if (typeof summary !== 'string' || summary.trim() === '') return 'it has no summary: describe it in a sentence'
  if (typeof command.run !== 'function') return 'it has no function run'
  const wrong = checker?.mistakeIn(args, 'operand') ?? checker?.mistakeIn(flags, 'flag') ?? null
  if (wrong !== null) return wrong
  const both = Object.keys(flags).find((name) => Object.hasOwn(args, name))
  if (both !== undefined) return `${both} is an operand and a flag: rename one`
  const common = Object.keys(flags).find(isCommonFlag)
  if (common !== undefined) return `--${flagOf(common)} is a flag of every command: rename it`
  for (const [name, schema] of [...Object.entries(args), ...Object.entries(flags)]) {
    const fault = argumentFault(name, schema)
    if (fault !== null) return fault
  }
  return orderFault(Object.entries(args))
}

function argumentFault(name: string, schema: ArgumentSchema): string | null {
  if (!ARGUMENT.test(name))
    return `"${name}" is not a valid name for an operand or a flag: use letters, digits and underscores`
  // These callbacks receive a request, which a command does not have.
  const callback = (['validate_callback', 'sanitize_callback'] as const).find((key) => schema[key] !== undefined)
  if (callback !== undefined)
    return `${name} has a ${callback}, which only arguments of routes can have: check it in run`
  return null
}

/** Returns the first mistake in the order of operands; null if it is valid. */
function orderFault(operands: readonly (readonly [name: string, schema: ArgumentSchema])[]): string | null {
  let optional: string | null = null
  for (const [at, [name, schema]] of operands.entries()) {
    if (schema.type === 'array' && at < operands.length - 1)
      return `the operand ${name} takes all remaining arguments: put it last`
    if (schema.required !== true) optional ??= name
    else if (optional !== null) return `the required operand ${name} follows the optional operand ${optional}`
  }
  return null
}
