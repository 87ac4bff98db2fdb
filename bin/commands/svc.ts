import type { BuiltInCommand } from '../config/index.ts'
import { ownVersion } from '../../plugins/operations/installed-plugins/own-version.ts'
import { configUsage } from './config-flags.ts'
import { printFailure } from './failure.ts'
import { inspect, listHooks, listPlugins, listRoutes } from './inspect.ts'
import { pluginCommandsUsage, runPluginCommand } from './plugin-command.ts'
import { removePlugin } from './remove-plugin.ts'

interface Subcommand {
  /** Arguments for the usage. */
  readonly args: string
  readonly summary: string
  /** Runs the command with the arguments after its name. Resolves with the exit code; undefined means 0. */
  run(argv: readonly string[]): Promise<number | void>
}

const SUBCOMMANDS: Readonly<Record<BuiltInCommand, Subcommand>> = {
  export: {
    args: '[FILE]',
    summary:
      'Exports the content as WXR, JSON lines or Markdown, with media files and a site file: see svc export --help.',
    async run(argv) {
      const { runExport } = await import('./export.ts')
      await runExport(argv)
    },
  },
  hooks: {
    args: '[TEXT]',
    summary: 'Lists each hook with its taps in the order they run, their stage and their plugin.',
    run: (argv) => inspect(argv, listHooks),
  },
  import: {
    args: 'SOURCE…',
    summary:
      'Imports WXR files, folders and archives with exports, or a running site by its URL: see svc import --help.',
    async run(argv) {
      const { main: importMain } = await import('./import.ts')
      return await importMain(argv)
    },
  },
  plugins: {
    args: '[TEXT]',
    summary:
      'Lists the running plugins in the order they started, with their needs; with --owned also everything that each has registered. To drop the tables of a plugin, see svc plugins remove --help.',
    run: ([first, ...rest]) =>
      first === 'remove' ? removePlugin(rest) : inspect(first === undefined ? [] : [first, ...rest], listPlugins),
  },
  routes: {
    args: '[TEXT]',
    summary: 'Lists the routes with their methods and the plugin that registered them.',
    run: (argv) => inspect(argv, listRoutes),
  },
}

export { end } from './end.ts'

/** Runs `svc` with the arguments after its name. Resolves with the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv
  try {
    if (name === undefined || name === '--help' || name === 'help') {
      console.log(`${usage()}\n\n${await pluginCommandsUsage(rest)}`)
      return 0
    }
    if (name === '--version' || name === '-v') {
      console.log(ownVersion())
      return 0
    }
    if (name.startsWith('-')) throw new Error(`Name a command before the flag ${name}: svc --help lists them.`)
    if (!Object.hasOwn(SUBCOMMANDS, name)) return await runPluginCommand(argv)
    return (await SUBCOMMANDS[name as BuiltInCommand].run(rest)) ?? 0
  } catch (error) {
    return printFailure(error)
  }
}

export function usage(): string {
  const commands = Object.entries(SUBCOMMANDS).map(
    ([name, { args, summary }]) => `  ${`${name} ${args}`.padEnd(22)}${summary}`,
  )
  return `Usage: svc COMMAND [FLAGS]
       svc --version, -v

${commands.join('\n')}

TEXT lists only entries whose name contains it. These commands accept --json to print JSON, and the flags of svc-serve:

${configUsage()}`
}
