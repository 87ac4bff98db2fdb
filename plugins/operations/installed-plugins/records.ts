import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PluginContext } from '../../../kernel/index.ts'

/** The option that holds what was known of plugins when the server started last. */
export const RECORDS_OPTION = 'plugin_records'

/** What is recorded of a plugin that does not come with the server. */
export interface PluginRecord {
  /** Name in its package.json; '' for a file without a package. */
  readonly package: string
  readonly version: string
  /** Author, maintainers and repository, as its package.json has them. */
  readonly owner: string
  /** SHA-256 of the file that is loaded. Files that it imports are not part of it. */
  readonly hash: string
}

/** A reason to look at a plugin, as the log says it. */
export type Finding = 'owner' | 'code' | 'version'

/** What has changed of a plugin since the last start that its users should look at; null for nothing. */
export function findingOf(before: PluginRecord, now: PluginRecord): Finding | null {
  if (before.package !== now.package || before.owner !== now.owner) return 'owner'
  if (before.version !== now.version) return 'version'
  return before.hash === now.hash ? null : 'code'
}

const MESSAGES = {
  owner:
    'a plugin has another package, author, maintainer or repository than at the last start: check who publishes it now',
  code: 'the file of a plugin has changed, but its version is the same',
  version: 'a plugin has another version than at the last start',
} as const

/** Compares the plugins that were loaded from files with those of the last start, logs changes, and records them. */
export async function compareRecords({ log, running, services }: PluginContext): Promise<void> {
  const { options } = services
  const before = (await options.get<Record<string, PluginRecord>>(RECORDS_OPTION)) ?? {}
  const now: Record<string, PluginRecord> = {}
  for (const { name, details } of running()) {
    const { file } = details()
    if (file === null) continue
    const record = await recordOf(fileURLToPath(file))
    now[name] = record
    const known = Object.hasOwn(before, name) ? before[name]! : null
    const finding = known === null ? null : findingOf(known, record)
    if (finding === null) continue
    const about = { by: name, before: known, now: record }
    if (finding === 'version') log.info(about, MESSAGES.version)
    else log.warn(about, MESSAGES[finding])
  }
  // A plugin that is switched off for a while is compared with what it was when it comes back.
  const records = { ...before, ...now }
  if (JSON.stringify(records) !== JSON.stringify(before)) await options.set(RECORDS_OPTION, records)
}

async function recordOf(path: string): Promise<PluginRecord> {
  const hash = createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
  const { name, version, author, maintainers, repository } = await packageOf(dirname(path))
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  const owner = [author, maintainers, repository].some((one) => one !== undefined)
    ? JSON.stringify({ author, maintainers, repository })
    : ''
  return { package: text(name), version: text(version), owner, hash }
}

/** The package.json of a folder, or of the nearest one above; empty if there is none that can be read. */
async function packageOf(folder: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const json: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {}
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return isMissing && dirname(folder) !== folder ? packageOf(dirname(folder)) : {}
  }
}
