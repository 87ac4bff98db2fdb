import { parseArgs } from 'node:util'
import { withoutSecrets, type Kernel } from '../../kernel/index.ts'
import { configFlags, configFrom, configUsage } from './config-flags.ts'
import { tellFailure } from './failure.ts'
import { preload } from './preload.ts'
import { startSite } from './site.ts'
import { table } from './table.ts'
import { user } from './user.ts'

/** A command behind `svc`. */
interface Subcommand {
  /** Arguments, as the usage shows them. */
  readonly args: string
  readonly summary: string
  /** Runs it with the arguments after its name; answers the exit code, 0 for nothing. */
  run(argv: readonly string[]): Promise<number | void>
}

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  hooks: {
    args: '[TEXT]',
    summary: 'Each hook with its taps in the order they run, their stage and their plugin.',
    run: (argv) => inspect(argv, listHooks),
  },
  plugins: {
    args: '[TEXT]',
    summary: 'The running plugins in the order they started, with what they need.',
    run: (argv) => inspect(argv, listPlugins),
  },
  preload: {
    args: 'PATH…',
    summary: 'The answers that a client asks for first, as JSON; svc preload --help tells more.',
    run: preload,
  },
  routes: {
    args: '[TEXT]',
    summary: 'The routes with their methods and the plugin that registered them.',
    run: (argv) => inspect(argv, listRoutes),
  },
  user: {
    args: 'COMMAND',
    summary: 'Adds users, lists them, gives them passwords and roles; svc user tells more.',
    run: user,
  },
}

/**
 * Runs `svc`.
 * @param argv arguments after the command's name
 * @returns exit code
 */
export async function main(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv
  if (name === undefined || name === '--help' || name === 'help') {
    console.log(usage())
    return 0
  }
  const subcommand = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined
  if (subcommand === undefined) {
    console.error(`There is no command ${name}.\n\n${usage()}`)
    return 1
  }
  try {
    return (await subcommand.run(rest)) ?? 0
  } catch (error) {
    return tellFailure(error)
  }
}

/** What `svc --help` prints. */
export function usage(): string {
  const commands = Object.entries(SUBCOMMANDS).map(
    ([name, { args, summary }]) => `  ${`${name} ${args}`.padEnd(22)}${summary}`,
  )
  return `Usage: svc COMMAND [FLAGS]

${commands.join('\n')}

TEXT keeps what has it in its name. Every command takes --json, and the flags of svc-serve:

${configUsage()}`
}

/** A table: rows as objects for `--json`, and as lines for people. */
interface Listing {
  rows: readonly object[]
  text: string
}

/** Starts the site without listening, on an empty database in memory, prints what `list` finds, and stops. */
async function inspect(argv: readonly string[], list: (kernel: Kernel, text: string) => Listing): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { ...configFlags, json: { type: 'boolean' } },
  })
  const config = await configFrom({ database: 'sqlite::memory:', ...values })
  await using kernel = await startSite(config)
  const { rows, text } = list(kernel, positionals[0] ?? '')
  console.log(values['json'] === true ? JSON.stringify(rows, null, 2) : text)
}

function listHooks(kernel: Kernel, text: string): Listing {
  const rows = kernel.registry.list().filter(({ name }) => name.includes(text))
  const lines = rows.map(({ name, kind, args, owner, taps }) => {
    const width = Math.max(0, ...taps.map((tap) => tap.name.length))
    const tapLines = taps.map(
      ({ name: tap, plugin, stage }) => `${String(stage).padStart(8)}  ${tap.padEnd(width)}  ${plugin}`,
    )
    return [`${name}(${args.join(', ')})  ${kind} of ${owner}`, ...tapLines].join('\n')
  })
  return { rows, text: lines.join('\n') }
}

function listRoutes(kernel: Kernel, text: string): Listing {
  const rows = [...kernel.server.routes.values()]
    .filter(({ pattern }) => pattern.includes(text))
    .map(({ pattern, endpoints, owner }) => ({
      route: pattern,
      methods: [...new Set(endpoints.flatMap(({ methods }) => methods))],
      plugin: owner,
    }))
  return { rows, text: table(rows.map(({ route, methods, plugin }) => [methods.join(','), route, plugin])) }
}

function listPlugins(kernel: Kernel, text: string): Listing {
  const rows = kernel.plugins
    .filter(({ slot }) => slot.includes(text))
    .map(({ slot, definition, options }) => ({
      name: slot,
      ...(definition.name === slot ? {} : { replaced_by: definition.name }),
      needs: definition.needs ?? [],
      options: withoutSecrets({ properties: definition.options ?? {} }, options) as Record<string, unknown>,
    }))
  const lines = rows.map(({ name, needs, options }) => [
    name,
    needs.length === 0 ? '' : `needs ${needs.join(', ')}`,
    Object.keys(options).length === 0 ? '' : JSON.stringify(options),
  ])
  return { rows, text: table(lines) }
}
