/** A template part in markup, with its attributes where it has some. */
const PART = /<!-- wp:template-part (?:(\{[^]{0,2000}?\}) )?\/-->/g

/** Markup of a theme in which template parts say which theme they are of: the files need not. */
export function withTheme(markup: string, theme: string): string {
  return markup.replace(PART, (block, attributes: string | undefined) => {
    const own = attributes === undefined ? {} : parsed(attributes)
    if (own === null || 'theme' in own) return block
    const all = [(attributes ?? '{}').trim().slice(1, -1).trim(), `"theme":"${theme}"`].filter(Boolean).join(',')
    return `<!-- wp:template-part {${all}} /-->`
  })
}

function parsed(text: string): object | null {
  try {
    return JSON.parse(text) as object
  } catch {
    return null
  }
}
