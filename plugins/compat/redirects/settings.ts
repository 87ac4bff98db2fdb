import { randomBytes } from 'node:crypto'
import type { PluginContext } from '../../public.ts'
import { recordOf } from './fields.ts'
import type { SourceFlags } from './types.ts'

const OPTION = 'redirection_options'

/** The settings, under the names of the REST API. */
export interface RedirectSettings extends SourceFlags {
  /** Days until URLs that were not found are dropped; -1 keeps none, 0 all. */
  readonly expire_404: number
  /** Whether hits are counted. */
  readonly track_hits: boolean
  /** Hours for which browsers cache permanent redirects; 0 uses their default, -1 forbids it. */
  readonly redirect_cache: number
  /** Group of the last created redirect. */
  readonly last_group_id: number
  readonly [name: string]: unknown
}

const DEFAULTS: RedirectSettings = {
  support: false,
  token: '',
  monitor_post: 0,
  monitor_types: [],
  associated_redirect: '',
  auto_target: '',
  expire_redirect: 7,
  expire_404: 7,
  log_external: false,
  log_header: false,
  track_hits: true,
  modules: [],
  newsletter: false,
  redirect_cache: 1,
  ip_logging: 0,
  ip_headers: [],
  ip_proxy: [],
  last_group_id: 0,
  rest_api: 0,
  https: false,
  headers: [],
  database: '4.2',
  relocate: '',
  preferred_domain: '',
  aliases: [],
  permalinks: [],
  cache_key: 0,
  plugin_update: 'prompt',
  update_notice: 0,
  flag_query: 'exact',
  flag_case: true,
  flag_trailing: true,
  flag_regex: false,
}
const MAX_TEXT_LENGTH = 1000
const MAX_LIST_LENGTH = 100

/** Reads the settings; missing ones have their default value. */
export async function readSettings({ services }: PluginContext): Promise<RedirectSettings> {
  const stored = recordOf(await services.options.get(OPTION, {}))
  const known = Object.entries(stored).filter(([name, value]) => isAcceptable(name, value))
  return { ...DEFAULTS, ...Object.fromEntries(known) }
}

/** Stores settings; unknown names and values of another type are ignored. */
export async function writeSettings(plugin: PluginContext, changes: Readonly<Record<string, unknown>>): Promise<void> {
  const before = await readSettings(plugin)
  const known = Object.entries(changes).filter(([name, value]) => isAcceptable(name, value) && name !== 'token')
  const next: Record<string, unknown> = { ...before, ...Object.fromEntries(known) }
  // Changed permalinks are followed by the former slugs of posts, so there is nothing to monitor without types.
  if ((next['monitor_types'] as readonly unknown[]).length === 0) next['monitor_post'] = 0
  if (next['token'] === '') next['token'] = randomBytes(16).toString('hex')
  await plugin.services.options.set(OPTION, next)
}

function isAcceptable(name: string, value: unknown): boolean {
  if (!Object.hasOwn(DEFAULTS, name)) return false
  const preset = DEFAULTS[name]
  if (name === 'flag_query') return ['exact', 'exactorder', 'ignore', 'pass'].includes(value as string)
  if (Array.isArray(preset)) return Array.isArray(value) && value.length <= MAX_LIST_LENGTH
  if (typeof preset === 'number') return Number.isSafeInteger(value)
  return typeof value === typeof preset && (typeof value !== 'string' || value.length <= MAX_TEXT_LENGTH)
}
