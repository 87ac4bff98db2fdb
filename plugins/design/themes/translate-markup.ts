import type { Words } from '../../foundation/translations/index.ts'
import { escapeHtml } from '../../library/markup/index.ts'

const TOKEN = /<!--[\s\S]*?-->|<[^>]*>|[^<]+/g
/** Block attributes that contain text. */
const BLOCK_ATTRIBUTE = /"(label|placeholder|buttonText|ariaLabel|moreText|content)":("(?:[^"\\]|\\.)*")/g
const HTML_ATTRIBUTE = /(\s(?:aria-label|alt|placeholder|title)=)"([^"]+)"/g

/**
 * Translates the texts of a theme file into the language of the site. Their keys in catalogs have the context `theme`:
 * `theme|Page not found`. Texts without a translation stay as they are.
 */
export function translateMarkup(markup: string, words: Words): string {
  return words.isTranslated ? changeTexts(markup, (text) => words.t(`theme|${text}`)) : markup
}

/** Replaces the texts in block markup: text nodes, and attributes of blocks and elements that contain text. */
export function changeTexts(markup: string, change: (text: string) => string): string {
  return markup.replace(TOKEN, (token) => {
    if (token.startsWith('<!--'))
      return token.replace(BLOCK_ATTRIBUTE, (whole, name: string, json: string) => {
        const text = JSON.parse(json) as string
        const changed = change(text)
        return changed === text ? whole : `"${name}":${inComment(changed)}`
      })
    if (token.startsWith('<'))
      return token.replace(HTML_ATTRIBUTE, (whole, start: string, text: string) => {
        const changed = change(text)
        return changed === text ? whole : `${start}"${escapeHtml(changed)}"`
      })
    const text = token.trim()
    const changed = text === '' ? text : change(text)
    return changed === text ? token : token.replace(text, () => escapeHtml(changed))
  })
}

/** Encodes a text as JSON that cannot end an HTML comment. */
function inComment(text: string): string {
  return JSON.stringify(text).replaceAll('--', '\\u002d\\u002d').replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')
}
