import type { Services } from '../../public.ts'

/** Settings of a plugin, as an option stores them. */
export type Settings = Readonly<Record<string, unknown>>

/** Returns the settings in an option; an empty object if the option is missing or not an object. */
export async function settingsOf(options: Services['options'], name: string): Promise<Settings> {
  const stored = await options.get(name, null)
  return typeof stored === 'object' && stored !== null && !Array.isArray(stored) ? stored : {}
}

/** Returns a text of the settings; `fallback` if it is missing or not a text. */
export function textOf(settings: Settings, name: string, fallback = ''): string {
  const value = settings[name]
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : fallback
}

/** Returns a list of texts; null if the value is not a list. */
export function listOf(settings: Settings, name: string): readonly string[] | null {
  const value = settings[name]
  if (Array.isArray(value)) return value.filter((one) => typeof one === 'string')
  if (typeof value === 'object' && value !== null)
    return Object.values(value).filter((one): one is string => typeof one === 'string')
  return null
}

/** Returns a switch, which is stored as `on`, `1`, 1 or true. */
export function isOn(settings: Settings, name: string, fallback = false): boolean {
  const value = settings[name]
  return value === undefined ? fallback : value === true || value === 1 || value === '1' || value === 'on'
}
