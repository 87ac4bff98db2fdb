/** A text without the control characters that no page has, and without halves of characters. */
export function withoutControls(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters
  return text.toWellFormed().replace(/[\0-\x08\v\f\x0e-\x1f\x7f]+/g, '')
}

/** Text between tags: entities stay, and every `<`, `>` and other `&` becomes one. */
export function escapeText(text: string): string {
  return withoutBrackets(text.replace(/&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});)/gi, '&amp;'))
}

/** The value of an attribute, for quotes around it. */
export function escapeValue(text: string): string {
  return withoutBrackets(text.replaceAll('&', '&amp;')).replaceAll('"', '&quot;')
}

function withoutBrackets(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
