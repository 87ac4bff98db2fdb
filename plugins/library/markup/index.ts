/** Helpers for HTML and for Unicode normalization. */
export { cleanJson } from './clean-json.ts'
export { escapeHtml, escapeHtmlOnce } from './escape-html.ts'
export { editJson } from './json-edit.ts'
export { inlineStyle, type InlineStyle } from './inline-style.ts'
export { normalize } from './normalize.ts'
export { html, PageHtml, type HtmlValue } from './page-html.ts'
