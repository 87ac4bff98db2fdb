import { createHash } from 'node:crypto'
import type { PluginContext } from '../../public.ts'
import { plainPhp, readPhp } from '../php-values.ts'
import { readRedirect, recordOf, targetsOf, textOf, type NewRedirect } from './fields.ts'
import { importRedirects } from './import-file.ts'
import type { ImportedRedirect } from './imports.ts'
import type { Repository } from './repository.ts'
import { readSettings } from './settings.ts'

/** Options in which an import stores tables of Redirection, and redirects of Yoast SEO Premium. */
export const IMPORTED_OPTIONS = {
  tables: 'redirection_tables',
  yoast: 'wpseo-premium-redirects-base',
  yoastPlain: 'wpseo-premium-redirects-export-plain',
  yoastPatterns: 'wpseo-premium-redirects-export-regex',
} as const
/** Option with the hashes of imported options, so that each is imported once. */
const DONE = 'redirects_imported'

/** Adds the redirects that an import has stored as options, once. */
export async function importStored(plugin: PluginContext, repository: Repository): Promise<void> {
  const { options } = plugin.services
  const names = Object.values(IMPORTED_OPTIONS)
  const values = await Promise.all(names.map((name) => options.get(name, null)))
  const stored = new Map(names.map((name, index) => [name, values[index]]))
  const pending: string[] = []
  for (const [name, value] of stored) {
    if (value === null) continue
    const hash = createHash('sha256').update(JSON.stringify(value)).digest('base64url')
    let isNew = false
    // Several workers start at the same time; the option decides which one imports.
    await options.update<Record<string, string>>(DONE, (done = {}) => {
      isNew = done[name] !== hash
      return isNew ? { ...done, [name]: hash } : done
    })
    if (isNew) pending.push(name)
  }
  const settings = await readSettings(plugin)
  if (pending.includes(IMPORTED_OPTIONS.tables))
    await importTables(plugin, repository, recordOf(stored.get(IMPORTED_OPTIONS.tables)))
  const yoast = yoastRedirects(stored, pending)
  const [group] = (await repository.rules()).groups
  if (yoast.length > 0 && group !== undefined)
    await importRedirects(repository, { groups: [], redirects: yoast }, group.id, settings)
}

/** Adds the rows of the tables with their IDs. */
async function importTables(plugin: PluginContext, repository: Repository, tables: Readonly<Record<string, unknown>>) {
  const rows = (name: string) => (Array.isArray(tables[name]) ? (tables[name] as unknown[]).map(recordOf) : [])
  const settings = await readSettings(plugin)
  const before = await repository.rules()
  const ids = new Map<number, number>()
  for (const { id, name, module_id: module, status } of rows('groups')) {
    const existing = before.groups.find((group) => group.name === name)
    const group = { id: Number(id), name: textOf(name), module_id: Number(module) || 1, enabled: status !== 'disabled' }
    ids.set(group.id, existing?.id ?? (await repository.addGroup(group)))
  }
  const redirects: (NewRedirect & { id: number })[] = []
  for (const row of rows('items')) {
    const type = textOf(row['match_type'])
    const fields = {
      ...row,
      group_id: ids.get(Number(row['group_id'])),
      match_data: jsonOf(row['match_data']),
      action_data: actionDataOf(type, row['action_data']),
    }
    try {
      redirects.push({ ...readRedirect(fields, settings, Number(row['position']) || 0), id: Number(row['id']) })
    } catch (err) {
      plugin.log.warn({ err, row: row['id'] }, 'a row of the table of redirects could not be imported')
    }
  }
  const added = await repository.add(redirects)
  for (const [index, row] of rows('items').entries()) {
    const hits = Number(row['last_count']) || 0
    const id = added[index]
    if (hits > 0 && id !== undefined) await repository.addHits(id, { hits, last_access: textOf(row['last_access']) })
  }
}

/** Reads the serialized column of targets and conditions. */
function actionDataOf(matchType: string, stored: unknown): unknown {
  const text = textOf(stored)
  const value = readPhp(text)
  if (value !== undefined) return plainPhp(value)
  return { [targetsOf(matchType)[0] ?? 'url']: text }
}

function jsonOf(value: unknown): unknown {
  try {
    return JSON.parse(textOf(value)) as unknown
  } catch {
    return {}
  }
}

/** Reads the redirects of Yoast SEO Premium: a list, or two maps by source. */
function yoastRedirects(stored: ReadonlyMap<string, unknown>, pending: readonly string[]): ImportedRedirect[] {
  const { yoast, yoastPlain, yoastPatterns } = IMPORTED_OPTIONS
  if (!pending.some((name) => [yoast, yoastPlain, yoastPatterns].includes(name as never))) return []
  const base = stored.get(yoast)
  if (Array.isArray(base))
    return (base as unknown[])
      .map(recordOf)
      .map(({ origin, url, type, format }) => yoastRedirect(textOf(origin), url, type, format === 'regex'))
  return [yoastPlain, yoastPatterns].flatMap((name) =>
    Object.entries(recordOf(stored.get(name))).map(([origin, value]) => {
      const { url, type } = recordOf(value)
      return yoastRedirect(origin, url, type, name === yoastPatterns)
    }),
  )
}

function yoastRedirect(origin: string, url: unknown, type: unknown, isPattern: boolean): ImportedRedirect {
  const code = Number(type) || 301
  const target = textOf(url)
  const path = /^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(target) ? target : `/${target}`
  const fields = {
    url: origin,
    match_data: { source: { flag_query: 'ignore', flag_case: true, flag_trailing: true, flag_regex: isPattern } },
    match_type: 'url',
    action_type: code >= 400 ? 'error' : 'url',
    action_code: code,
    action_data: { url: path },
  }
  return { fields, groupId: null }
}
