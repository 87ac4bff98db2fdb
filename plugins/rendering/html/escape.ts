import { Parser } from 'htmlparser2'

/** Removes control characters that HTML does not allow, and replaces lone surrogates. */
export function withoutControls(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters
  return text.toWellFormed().replace(/[\0-\x08\v\f\x0e-\x1f\x7f]+/g, '')
}

/**
 * Escapes text between tags: valid entities are kept; every `<`, `>` and other `&` is escaped, including unknown
 * entities such as `&nonsense;`.
 */
export function escapeText(text: string): string {
  const escaped = text.replace(/&(?:(#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});)?/gi, (found, name?: string) =>
    name !== undefined && (name.startsWith('#') || isCharacter(found)) ? found : `&amp;${found.slice(1)}`,
  )
  return withoutBrackets(escaped)
}

/** Whether HTML defines a character for this entity. */
function isCharacter(entity: string): boolean {
  let text = ''
  new Parser({ ontext: (part) => void (text += part) }).end(entity)
  // HTML decodes known prefixes of a name and leaves the rest.
  return !text.endsWith(';')
}

/** Escapes an attribute value for use in double quotes. */
export function escapeValue(text: string): string {
  return withoutBrackets(text.replaceAll('&', '&amp;')).replaceAll('"', '&quot;')
}

function withoutBrackets(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
