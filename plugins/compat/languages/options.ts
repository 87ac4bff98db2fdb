import { emptyAsLists, type PluginContext } from '../../public.ts'

/** Name of the option with the settings of languages, as imports store it. */
export const OPTION = 'polylang'

/** Settings of languages. Names are those of the option. */
export interface LanguageSettings {
  readonly force_lang: number
  readonly domains: Readonly<Record<string, string>>
  /** Whether URLs of the default language lack its code. */
  readonly hide_default: boolean
  /** Whether codes follow the home URL directly, without `/language/`. */
  readonly rewrite: boolean
  /** Whether static front pages have the URL of their language. */
  readonly redirect_lang: boolean
  readonly browser: boolean
  /** Whether media have a language. */
  readonly media_support: boolean
  /** Content types with a language besides posts and pages. */
  readonly post_types: readonly string[]
  /** Taxonomies with a language besides categories and tags. */
  readonly taxonomies: readonly string[]
  readonly sync: readonly string[]
  readonly default_lang: string
  /** IDs of menus by theme, location and code of the language. */
  readonly nav_menus: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>
}

const DEFAULTS: LanguageSettings = {
  force_lang: 1,
  domains: {},
  hide_default: true,
  rewrite: true,
  redirect_lang: false,
  browser: false,
  media_support: false,
  post_types: [],
  taxonomies: [],
  sync: [],
  default_lang: '',
  nav_menus: {},
}

/** Returns the settings of languages. Stored values of another type count as missing. */
export async function readSettings({ services }: PluginContext): Promise<LanguageSettings> {
  const stored = await services.options.get(OPTION, {})
  const values = isRecord(stored) ? stored : {}
  const entries = Object.entries(DEFAULTS).map(([name, fallback]) => [name, valueOf(values[name], fallback)] as const)
  return Object.fromEntries(entries) as unknown as LanguageSettings
}

/** Returns all stored values of the option with the defaults of the settings. */
export async function shownSettings(plugin: PluginContext): Promise<Record<string, unknown>> {
  const stored = await plugin.services.options.get(OPTION, {})
  // Empty maps are lists, as clients expect.
  return { ...(isRecord(stored) ? stored : {}), ...(emptyAsLists(await readSettings(plugin)) as object) }
}

/** Changes some settings, and leaves others as they are. */
export async function changeSettings({ services }: PluginContext, changes: Record<string, unknown>): Promise<void> {
  await services.options.update(OPTION, (stored) => ({ ...(isRecord(stored) ? stored : {}), ...changes }))
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a stored value as the type of its default. Empty maps are stored as lists. */
function valueOf(value: unknown, fallback: unknown): unknown {
  if (Array.isArray(fallback)) return listOf(value)
  if (isRecord(fallback)) return isRecord(value) ? value : fallback
  if (typeof fallback === 'boolean')
    return value === undefined ? fallback : value === true || value === 1 || value === '1'
  if (typeof fallback === 'number') return Number(value ?? fallback) || fallback
  return typeof value === 'string' ? value : fallback
}

function listOf(value: unknown): string[] {
  const entries = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : []
  return entries.filter((entry) => typeof entry === 'string')
}
