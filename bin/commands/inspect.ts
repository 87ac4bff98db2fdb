import { parseArgs } from 'node:util'
import { describeHooks, type Kernel } from '../config/index.ts'
import type { Endpoint } from '../../kernel/index.ts'
import { suggest } from '../../plugins/library/suggestions/index.ts'
import { tablePrefix } from '../../plugins/storage/store/index.ts'
import { configFlags, configFrom } from './config-flags.ts'
import { listOwned } from './owned.ts'
import { startSite } from './site.ts'
import { table } from './table.ts'

/** The hooks, routes or plugins of a site: rows as objects for `--json`, and as text. */
interface Listing {
  rows: readonly object[]
  text: string
  /** Kind of the rows, for error messages: `hook`, `route` or `plugin`. */
  kind: string
  /** Names of all entries, including entries that the filter excludes. */
  names: readonly string[]
}

/** Lists the entries whose name contains `filter`. */
export type List = (kernel: Kernel, filter: string, flags: Readonly<Record<string, unknown>>) => Listing

/** Starts the site without listening, on an empty database in memory, prints the result of `list`, and stops. */
export async function inspect(argv: readonly string[], list: List): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { ...configFlags, json: { type: 'boolean' }, owned: { type: 'boolean' } },
  })
  if (positionals.length > 1) throw new Error(`Give one TEXT, not ${positionals.length}: ${positionals.join(', ')}.`)
  await using kernel = await startSite(await configFrom({ database: 'sqlite::memory:', ...values }))
  const [filter = ''] = positionals
  const { rows, text, kind, names } = list(kernel, filter, values)
  if (rows.length === 0 && filter !== '') throw noMatchError(filter, kind, names, kernel)
  console.log(values['json'] === true ? JSON.stringify(rows, null, 2) : text)
}

/** Returns the error for a filter that matches no name. It suggests the nearest name or says that the plugin is off. */
function noMatchError(filter: string, kind: string, names: readonly string[], { config }: Kernel): Error {
  const isOff = kind === 'plugin' && config.plugins[filter] === false
  if (isOff) return new Error(`The plugin ${filter} is switched off in this config.`)
  // The last segment of a route distinguishes it from other routes.
  const near =
    suggest(filter, names) ||
    suggest(
      filter.replace(/^.*\//, ''),
      names.map((name) => name.replace(/^.*\//, '')),
    )
  return new Error(`No ${kind} has "${filter}" in its name${near === '' ? '.' : `: did you mean ${near}?`}`)
}

export function listHooks(kernel: Kernel, filter: string): Listing {
  const all = describeHooks(kernel.registry)
  const rows = all.filter(({ name }) => name.includes(filter))
  const lines = rows.map(({ name, kind, args, owner, taps }) => {
    const width = Math.max(0, ...taps.map((tap) => tap.name.length))
    const tapLines = taps.map(
      ({ name: tap, stage, plugin, at }) =>
        `${String(stage).padStart(8)}  ${tap.padEnd(width)}  ${plugin}${at === null ? '' : `  ${at}`}`,
    )
    return [`${name}(${args.join(', ')})  ${kind} of ${owner}`, ...tapLines].join('\n')
  })
  return { rows, text: lines.join('\n'), kind: 'hook', names: all.map(({ name }) => name) }
}

export function listRoutes(kernel: Kernel, filter: string): Listing {
  const rows = [...kernel.server.routes.values()]
    .filter(({ pattern }) => pattern.includes(filter))
    .map(({ pattern, endpoints, owner }) => ({
      route: pattern,
      methods: [...new Set(endpoints.flatMap(({ methods }) => methods))],
      plugin: owner,
      // Routes that a tap of rest_endpoints adds have the owner kernel.
      owners: ownersOf(
        kernel,
        pattern,
        endpoints.map((one) => (one.owner === 'kernel' ? { ...one, owner } : one)),
      ),
    }))
  const lines = rows.flatMap(({ route, owners }) =>
    owners.map(({ plugin, methods, asked }) => [methods.join(','), route, asked ? plugin : `${plugin} (never called)`]),
  )
  return { rows, text: table(lines), kind: 'route', names: [...kernel.server.routes.keys()] }
}

/** The plugins with endpoints of a route. `asked` is false for endpoints hidden by an earlier one of the same method. */
function ownersOf(kernel: Kernel, pattern: string, endpoints: readonly Endpoint[]) {
  const owners: { plugin: string; methods: string[]; asked: boolean }[] = []
  const add = (plugin: string, method: string, asked: boolean) => {
    const there = owners.find((one) => one.plugin === plugin && one.asked === asked)
    if (there === undefined) owners.push({ plugin, methods: [method], asked })
    else if (!there.methods.includes(method)) there.methods.push(method)
  }
  const ownerByMethod = new Map<string, string>()
  for (const { methods, owner } of endpoints) {
    for (const method of methods) if (!ownerByMethod.has(method)) ownerByMethod.set(method, owner)
  }
  for (const [method, owner] of ownerByMethod) add(owner, method, true)
  for (const { route } of kernel.server.registered) {
    if (route.pattern !== pattern) continue
    for (const { methods, owner } of route.endpoints) {
      for (const method of methods) if (ownerByMethod.get(method) !== owner) add(owner, method, false)
    }
  }
  return owners
}

export function listPlugins(kernel: Kernel, filter: string, { owned }: Readonly<Record<string, unknown>>): Listing {
  const all = { kind: 'plugin', names: kernel.plugins.map(({ slot }) => slot) }
  if (owned === true) return { ...listOwned(kernel, filter), ...all }
  const rows = kernel
    .running()
    .filter(({ name }) => name.includes(filter))
    .map(({ name, details }) => {
      const { definedAs, needs, options, migrations } = details()
      return {
        name,
        ...(definedAs === name ? {} : { replaced_by: definedAs }),
        needs,
        ...(migrations !== null && { tables: `${tablePrefix(definedAs)}*`, migrations }),
        options: Object.fromEntries(options.map((option) => [option.name, option.value])),
      }
    })
  const lines = rows.map(({ name, needs, options, tables }) => [
    name,
    needs.length === 0 ? '' : `needs ${needs.join(', ')}`,
    tables === undefined ? '' : `tables ${tables}`,
    Object.keys(options).length === 0 ? '' : JSON.stringify(options),
  ])
  return { rows, text: table(lines), ...all }
}
