import { isTree, ORIGINS, valueAt, type StylesJson } from './theme-json.ts'

/** Colors of pages, as CSS values; null if the styles do not set one or it is not a plain color. */
export interface PageColors {
  readonly background: string | null
  /** Color of links, which is readable on the background. */
  readonly accent: string | null
}

/** Matches colors without variables, and captures the slug of a reference to a preset. */
const COLOR = /^(?:#[\da-f]{3,8}|[a-z]{3,20}|(?:rgb|hsl|oklch|lab)a?\([\d\s.,%/deg]{1,60}\))$/i
const PRESET = /^(?:var\(--[\w-]+?--preset--color--([\w-]{1,80})\)|var:preset\|color\|([\w-]{1,80}))$/

/**
 * Returns the colors of pages with merged styles.
 * @param palette styles whose palette replaces colors, for example of a dark variation
 */
export function pageColors(json: StylesJson, palette: StylesJson | null = null): PageColors {
  const presets = new Map<unknown, unknown>()
  for (const { settings } of palette === null ? [json] : [json, palette]) {
    for (const origin of ORIGINS) {
      const list = valueAt(settings, 'color', 'palette', origin)
      for (const one of Array.isArray(list) ? (list as unknown[]) : [])
        if (isTree(one)) presets.set(one['slug'], one['color'])
    }
  }
  const color = (...path: [string, ...string[]]) => {
    const value = valueAt(json.styles, ...path)
    const [, variable, reference] = (typeof value === 'string' ? PRESET.exec(value) : null) ?? []
    const resolved = presets.get(variable ?? reference) ?? value
    return typeof resolved === 'string' && COLOR.test(resolved) ? resolved : null
  }
  return { background: color('color', 'background'), accent: color('elements', 'link', 'color', 'text') }
}
