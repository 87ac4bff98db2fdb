/** What follows the mark of a template part in markup, with its attributes where it has some. */
const PART = ':template-part (?:(\\{[^]{0,2000}?\\}) )?/-->'

/**
 * Markup of a theme in which template parts say which theme they are of: the files need not.
 * @param mark what block comments begin with
 */
export function withTheme(markup: string, theme: string, mark: string): string {
  return markup.replace(new RegExp(`<!-- ${mark}${PART}`, 'g'), (block, attributes: string | undefined) => {
    const own = attributes === undefined ? {} : parsed(attributes)
    if (own === null || 'theme' in own) return block
    const all = [(attributes ?? '{}').trim().slice(1, -1).trim(), `"theme":"${theme}"`].filter(Boolean).join(',')
    return `<!-- ${mark}:template-part {${all}} /-->`
  })
}

/** Markup as a theme has it in its files, where its own template parts do not say which theme they are of. */
export function withoutTheme(markup: string, theme: string, mark: string): string {
  return markup.replace(new RegExp(`<!-- ${mark}${PART}`, 'g'), (block, attributes: string | undefined) => {
    const own = attributes === undefined ? null : (parsed(attributes) as Record<string, unknown> | null)
    if (own?.['theme'] !== theme) return block
    const { theme: _, ...others } = own
    const rest = Object.keys(others).length === 0 ? '' : `${JSON.stringify(others).replaceAll('--', '\\u002d\\u002d')} `
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
