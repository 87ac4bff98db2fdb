import { changeSerialized, looksLikePhp } from './serialized-text.ts'

/**
 * Changes the texts in a stored value: in JSON all strings but the keys, in values that PHP has serialized the strings
 * with their lengths, otherwise the text itself.
 * @param isJson whether the value is JSON text
 */
export function changeValue(value: string, isJson: boolean, change: (text: string) => string): string {
  if (!isJson) return changeText(value, change)
  const before: unknown = JSON.parse(value)
  const after = changeTexts(before, (text) => changeText(text, change))
  // An unchanged value keeps its notation.
  return after === before ? value : JSON.stringify(after)
}

function changeText(text: string, change: (text: string) => string): string {
  return looksLikePhp(text) ? changeSerialized(text, change) : change(text)
}

/** Returns the same object if nothing in it changes. */
function changeTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const entries = value.map((entry) => changeTexts(entry, change))
    return entries.some((entry, place) => entry !== value[place]) ? entries : value
  }
  const entries = Object.entries(value).map(([key, entry]) => [key, changeTexts(entry, change), entry] as const)
  if (entries.every(([, after, before]) => after === before)) return value
  return Object.fromEntries(entries.map(([key, after]) => [key, after]))
}
