import type { ImportedValue } from '../public.ts'
import { readPhp, writePhp } from './php-values.ts'

/**
 * Replaces the IDs of the old site in one kind of value. Returns the value itself if it is of another kind. Rules apply in
 * every import, also while the plugin that serves the data is off, so they are in this file and need no plugin.
 */
export type ImportRule = (value: unknown, about: ImportedValue) => unknown

/** The kind of objects in the groups of translations, by taxonomy. */
const GROUPS: Readonly<Record<string, 'post' | 'term'>> = {
  __proto__: null as never,
  post_translations: 'post',
  term_translations: 'term',
}

/** Descriptions of groups of translations: serialized maps of codes to IDs. A translation that is not here is left out. */
const translations: ImportRule = (value, { kind, objectType, map }) => {
  const target = kind === 'term_description' ? GROUPS[objectType] : undefined
  const read = target !== undefined && typeof value === 'string' ? readPhp(value) : undefined
  if (target === undefined || !(read instanceof Map)) return value
  const mapped = [...(read as ReadonlyMap<string, unknown>)].flatMap(([code, id]) => {
    const own = map(target, Number(id))
    return own === null ? [] : [[code, own] as const]
  })
  return writePhp(new Map(mapped))
}

/** The option with the settings of languages: menus by theme, location and code. */
const languageMenus: ImportRule = (value, { kind, key, map }) => {
  if (kind !== 'option' || key !== 'polylang' || !isRecord(value) || !isRecord(value['nav_menus'])) return value
  const mapMenus = (menus: unknown, depth: number): unknown => {
    if (isRecord(menus) && depth > 0)
      return Object.fromEntries(Object.entries(menus).map(([name, inner]) => [name, mapMenus(inner, depth - 1)]))
    return Number(menus) > 0 ? (map('term', Number(menus), 'nav_menu') ?? 0) : menus
  }
  return { ...value, nav_menus: mapMenus(value['nav_menus'], 3) }
}

/** All rules. */
export const IMPORT_RULES: readonly ImportRule[] = [translations, languageMenus]

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
