import { parseArgs } from 'node:util'
import { withoutSecrets, type Kernel } from '../../kernel/host.ts'
import { tablePrefix } from '../../plugins/storage/store/index.ts'
import { configFlags, configFrom } from './config-flags.ts'
import { listOwned } from './owned.ts'
import { startSite } from './site.ts'
import { table } from './table.ts'

/** What a site has of one kind: rows as objects for `--json`, and as text. */
interface Listing {
  rows: readonly object[]
  text: string
}

/** Lists what has `filter` in its name, as the flags say. */
export type List = (kernel: Kernel, filter: string, flags: Readonly<Record<string, unknown>>) => Listing

/** Starts the site without listening, on an empty database in memory, prints what `list` finds, and stops. */
export async function inspect(argv: readonly string[], list: List): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { ...configFlags, json: { type: 'boolean' }, owned: { type: 'boolean' } },
  })
  await using kernel = await startSite(await configFrom({ database: 'sqlite::memory:', ...values }))
  const { rows, text } = list(kernel, positionals[0] ?? '', values)
  console.log(values['json'] === true ? JSON.stringify(rows, null, 2) : text)
}

export function listHooks(kernel: Kernel, filter: string): Listing {
  const rows = kernel.registry.list().filter(({ name }) => name.includes(filter))
  const lines = rows.map(({ name, kind, args, owner, taps }) => {
    const width = Math.max(0, ...taps.map((tap) => tap.name.length))
    const tapLines = taps.map((tap) => `${String(tap.stage).padStart(8)}  ${tap.name.padEnd(width)}  ${tap.plugin}`)
    return [`${name}(${args.join(', ')})  ${kind} of ${owner}`, ...tapLines].join('\n')
  })
  return { rows, text: lines.join('\n') }
}

export function listRoutes(kernel: Kernel, filter: string): Listing {
  const rows = [...kernel.server.routes.values()]
    .filter(({ pattern }) => pattern.includes(filter))
    .map(({ pattern, endpoints, owner }) => ({
      route: pattern,
      methods: [...new Set(endpoints.flatMap(({ methods }) => methods))],
      plugin: owner,
    }))
  return { rows, text: table(rows.map(({ route, methods, plugin }) => [methods.join(','), route, plugin])) }
}

export function listPlugins(kernel: Kernel, filter: string, { owned }: Readonly<Record<string, unknown>>): Listing {
  if (owned === true) return listOwned(kernel, filter)
  const rows = kernel.plugins
    .filter(({ slot }) => slot.includes(filter))
    .map(({ slot, definition, options }) => ({
      name: slot,
      ...(definition.name === slot ? {} : { replaced_by: definition.name }),
      needs: definition.needs ?? [],
      ...(definition.migrations !== undefined && {
        tables: `${tablePrefix(definition.name)}*`,
        migrations: definition.migrations.map((migration) => migration.name),
      }),
      options: withoutSecrets({ properties: definition.options ?? {} }, options) as Record<string, unknown>,
    }))
  const lines = rows.map(({ name, needs, options, tables }) => [
    name,
    needs.length === 0 ? '' : `needs ${needs.join(', ')}`,
    tables === undefined ? '' : `tables ${tables}`,
    Object.keys(options).length === 0 ? '' : JSON.stringify(options),
  ])
  return { rows, text: table(lines) }
}
