/** Texts as HTML, and texts in a Unicode normalization form. */
export { cleanJson } from './clean-json.ts'
export { escapeHtml, escapeHtmlOnce } from './escape-html.ts'
export { inlineStyle, type InlineStyle } from './inline-style.ts'
export { normalize } from './normalize.ts'
export { html, PageHtml, type HtmlValue } from './page-html.ts'
