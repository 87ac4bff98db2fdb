import { parseArgs } from 'node:util'
import { findConfigured } from '../config/index.ts'
import { defaults } from '../../plugins/index.ts'
import { openDatabase, removePluginData, tablePrefix } from '../../plugins/storage/store/index.ts'
import { configFlags, configFrom, configUsage } from './config-flags.ts'

const USAGE = `Usage: svc plugins remove NAME --data [FLAGS]

Permanently removes the data of a plugin that is switched off: its tables, the options whose names start with the prefix of
its tables, the records of its migrations, and its jobs. Meta, settings and content stay. Remove the plugin from the config
first. Accepts the flags of svc-serve:

${configUsage()}`

/** Runs `svc plugins remove` with the arguments after it. Resolves with the exit code. */
export async function removePlugin(argv: readonly string[]): Promise<number> {
  const options = {
    ...configFlags,
    data: { type: 'boolean' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  } as const
  const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options })
  const [name] = positionals
  if (values['help'] === true || name === undefined) {
    const print = values['help'] === true ? console.log : console.error
    print(USAGE)
    return values['help'] === true ? 0 : 1
  }
  if (values['data'] !== true) {
    throw new Error(`Add --data to drop the tables of ${name} (${tablePrefix(name)}…) with all their rows.`)
  }
  const { database, durability, plugins, folder } = await configFrom(values)
  const { key, unknown } = await findConfigured(name, defaults, plugins, folder)
  if (key !== undefined) {
    throw new Error(
      `The plugin ${name} is still switched on by ${JSON.stringify(key)} in the config. Remove that first.`,
    )
  }
  for (const source of unknown) {
    console.error(`${source} could not be loaded. This command assumes that it is not the plugin ${name}.`)
  }
  const store = await openDatabase(database, { durability })
  try {
    const removed = await removePluginData(store, name)
    if (values['json'] === true) console.log(JSON.stringify(removed, null, 2))
    else {
      const { objects, options: names, migrations, jobs } = removed
      const lines = [...objects, ...names.map((option) => `option ${option}`)].map((line) => `Removed ${line}`)
      console.log([...lines, `Removed the records of ${migrations} migrations and ${jobs} jobs of ${name}.`].join('\n'))
    }
  } finally {
    await store.close()
  }
  return 0
}
