import { editJson } from '../../library/markup/index.ts'

/** Matches the rest of a template part block after the prefix, and captures its attributes. */
const PART = ':template-part (?:(\\{[^]{0,2000}?\\}) )?/-->'

/**
 * Adds the attribute `theme` to template parts that lack it; files of themes can omit it.
 * @param mark prefix of block comments
 */
export function withTheme(markup: string, theme: string, mark: string): string {
  return markup.replace(new RegExp(`<!-- ${mark}${PART}`, 'g'), (block, attributes: string | undefined) => {
    const existing = attributes === undefined ? {} : parsed(attributes)
    if (existing === null || 'theme' in existing) return block
    const all = [(attributes ?? '{}').trim().slice(1, -1).trim(), `"theme":"${theme}"`].filter(Boolean).join(',')
    return `<!-- ${mark}:template-part {${all}} /-->`
  })
}

/** Removes the attribute `theme` from template parts of this theme, for use in its files. */
export function withoutTheme(markup: string, theme: string, mark: string): string {
  return markup.replace(new RegExp(`<!-- ${mark}${PART}`, 'g'), (block, attributes: string | undefined) => {
    const existing = attributes === undefined ? null : (parsed(attributes) as Record<string, unknown> | null)
    if (existing?.['theme'] !== theme) return block
    const { theme: _, ...others } = existing
    const rest = Object.keys(others).length === 0 ? '' : `${editJson(attributes!, existing, others)} `
    return `<!-- ${mark}:template-part ${rest}/-->`
  })
}

function parsed(text: string): object | null {
  try {
    return JSON.parse(text) as object
  } catch {
    return null
  }
}
