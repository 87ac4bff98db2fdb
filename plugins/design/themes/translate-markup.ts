import type { Words } from '../../foundation/translations/index.ts'
import { escapeHtml } from '../../library/markup/index.ts'

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
  let html = ''
  let at = 0
  while (at < markup.length) {
    const start = indexOrEnd(markup, '<', at)
    html += changedText(markup.slice(at, start), change)
    const isComment = markup.startsWith('<!--', start)
    const [close, from] = isComment ? ['-->', start + '<!--'.length] : ['>', start]
    const end = Math.min(indexOrEnd(markup, close, from) + close.length, markup.length)
    const tag = markup.slice(start, end)
    html += isComment ? changedBlock(tag, change) : changedTag(tag, change)
    at = end
  }
  return html
}

function indexOrEnd(text: string, part: string, from: number): number {
  const at = text.indexOf(part, from)
  return at < 0 ? text.length : at
}

function changedText(html: string, change: (text: string) => string): string {
  const text = html.trim()
  const changed = text === '' ? text : change(text)
  return changed === text ? html : html.replace(text, () => escapeHtml(changed))
}

function changedBlock(comment: string, change: (text: string) => string): string {
  return comment.replace(BLOCK_ATTRIBUTE, (whole, name: string, json: string) => {
    const text = parsed(json)
    const changed = change(text)
    return changed === text ? whole : `"${name}":${inComment(changed)}`
  })
}

function changedTag(tag: string, change: (text: string) => string): string {
  return tag.replace(HTML_ATTRIBUTE, (whole, start: string, text: string) => {
    const changed = change(text)
    return changed === text ? whole : `${start}"${escapeHtml(changed)}"`
  })
}

/** Parses a JSON string; returns it as it is if it is invalid. */
function parsed(json: string): string {
  try {
    return JSON.parse(json) as string
  } catch {
    return json
  }
}

/** Encodes a text as JSON that cannot end an HTML comment. */
function inComment(text: string): string {
  return JSON.stringify(text).replaceAll('--', '\\u002d\\u002d').replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')
}
