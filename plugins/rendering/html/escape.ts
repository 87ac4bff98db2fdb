import { Parser } from 'htmlparser2'

/** A text without the control characters that no page has, and without halves of characters. */
export function withoutControls(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters
  return text.toWellFormed().replace(/[\0-\x08\v\f\x0e-\x1f\x7f]+/g, '')
}

/** Text between tags: entities stay, and every `<`, `>` and other `&` becomes one, as that of `&nonsense;` does. */
export function escapeText(text: string): string {
  const escaped = text.replace(/&(?:(#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});)?/gi, (found, name?: string) =>
    name !== undefined && (name.startsWith('#') || isCharacter(found)) ? found : `&amp;${found.slice(1)}`,
  )
  return withoutBrackets(escaped)
}

/** Whether a character has the name between `&` and `;`. */
function isCharacter(entity: string): boolean {
  let text = ''
  new Parser({ ontext: (part) => void (text += part) }).end(entity)
  // What HTML reads from the beginning of a name leaves the end.
  return !text.endsWith(';')
}

/** The value of an attribute, for quotes around it. */
export function escapeValue(text: string): string {
  return withoutBrackets(text.replaceAll('&', '&amp;')).replaceAll('"', '&quot;')
}

function withoutBrackets(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
