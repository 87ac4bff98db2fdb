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

/** Meta of Yoast SEO and Rank Math that holds the ID of an image. */
const IMAGE_KEYS = /^(?:_yoast_wpseo_(?:opengraph|twitter)-image-id|rank_math_(?:facebook|twitter)_image_id)$/
/** Meta that holds the ID of the main term of a post, with the taxonomy. */
const PRIMARY_KEY = /^(?:_yoast_wpseo_primary_|rank_math_primary_)(.+)$/
/** Names of settings that hold the ID of an image. */
const IMAGE_SETTING = /^social-image-id-|(?:image|logo)_id$|-image-id$/
const SEO_OPTIONS: ReadonlySet<string> = new Set(['wpseo_titles', 'wpseo_social', 'rank-math-options-titles'])
const TERM_OPTION = 'wpseo_taxonomy_meta'

/** Images and main terms in meta and settings for search engines. An ID without an object here becomes ''. */
const heads: ImportRule = (value, { kind, key, map }) => {
  const image = (id: unknown) => mapped(id, (number) => map('post', number))
  if (kind === 'option') {
    if (!isRecord(value)) return value
    const images = (settings: unknown) => (isRecord(settings) ? mapEntries(settings, IMAGE_SETTING, image) : settings)
    if (key !== TERM_OPTION) return SEO_OPTIONS.has(key) ? withUser(images(value) as typeof value, map) : value
    // Values of terms, by taxonomy and ID.
    const terms = Object.entries(value).map(([taxonomy, byId]) => {
      const own = Object.entries(isRecord(byId) ? byId : {}).flatMap(([id, settings]) => {
        const here = map('term', Number(id), taxonomy)
        return here === null ? [] : [[String(here), images(settings)] as const]
      })
      return [taxonomy, Object.fromEntries(own)] as const
    })
    return Object.fromEntries(terms)
  }
  if (!kind.endsWith('_meta')) return value
  if (IMAGE_KEYS.test(key)) return image(value)
  const taxonomy = kind === 'post_meta' ? PRIMARY_KEY.exec(key)?.[1] : undefined
  return taxonomy === undefined ? value : mapped(value, (number) => map('term', number, taxonomy))
}

/** The user that a site stands for. */
function withUser(settings: Record<string, unknown>, map: ImportedValue['map']): Record<string, unknown> {
  const name = 'company_or_person_user_id'
  return name in settings ? { ...settings, [name]: mapped(settings[name], (id) => map('user', id)) } : settings
}

function mapEntries(
  settings: Record<string, unknown>,
  names: RegExp,
  map: (value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, names.test(name) ? map(value) : value]),
  )
}

/** Maps an ID, and keeps its type; other values stay as they are. */
function mapped(value: unknown, map: (id: number) => number | null): unknown {
  const id = typeof value === 'string' || typeof value === 'number' ? Number(value) : 0
  if (!Number.isSafeInteger(id) || id <= 0) return value
  const here = map(id)
  if (here === null) return ''
  return typeof value === 'number' ? here : String(here)
}

/** All rules. */
export const IMPORT_RULES: readonly ImportRule[] = [translations, languageMenus, heads]

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
