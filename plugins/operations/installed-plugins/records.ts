import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PluginContext } from '../../../kernel/index.ts'

/** Option with the records of plugins from the last start of the server. */
export const RECORDS_OPTION = 'plugin_records'

/** Record of a plugin that is not part of svc-rest. */
export interface PluginRecord {
  /** Name in its package.json; '' if it has no package.json. */
  readonly package: string
  readonly version: string
  /** Author, maintainers and repository from its package.json. */
  readonly owner: string
  /** SHA-256 of the loaded file, without the files it imports. */
  readonly hash: string
}

/** Kind of a change that is logged. */
export type Finding = 'owner' | 'code' | 'version'

/** The change of a plugin since the last start that its users should review; null if there is none. */
export function findingOf(before: PluginRecord, now: PluginRecord): Finding | null {
  if (before.package !== now.package || before.owner !== now.owner) return 'owner'
  if (before.version !== now.version) return 'version'
  return before.hash === now.hash ? null : 'code'
}

const MESSAGES = {
  owner:
    'the package, author, maintainers or repository of a plugin changed since the last start: check who publishes it',
  code: 'the file of a plugin changed since the last start, but its version did not',
  version: 'the version of a plugin changed since the last start',
} as const

/** Compares the plugins loaded from files with the records of the last start, logs changes, and updates the records. */
export async function compareRecords({ log, running, services }: PluginContext): Promise<void> {
  const { options } = services
  const before = (await options.get<Record<string, PluginRecord>>(RECORDS_OPTION)) ?? {}
  const now: Record<string, PluginRecord> = {}
  for (const { name, details } of running()) {
    const { file } = details()
    if (file === null) continue
    const record = await recordOf(fileURLToPath(file))
    now[name] = record
    const previous = Object.hasOwn(before, name) ? before[name]! : null
    const finding = previous === null ? null : findingOf(previous, record)
    if (finding === null) continue
    const about = { by: name, before: previous, now: record }
    if (finding === 'version') log.info(about, MESSAGES.version)
    else log.warn(about, MESSAGES[finding])
  }
  // Records of plugins that are switched off are kept for a later comparison.
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

/** Contents of the package.json in a folder or its nearest ancestor; empty if there is no readable file. */
async function packageOf(folder: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const json: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {}
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return isMissing && dirname(folder) !== folder ? packageOf(dirname(folder)) : {}
  }
}
