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

function parsed(text: string): object | null {
  try {
    return JSON.parse(text) as object
  } catch {
    return null
  }
}
