/** Control characters but tabs and line ends: no text needs them, and not every database, feed or log can hold them. */
// oxlint-disable-next-line no-control-regex -- control characters are what it is about
const CONTROLS = /[\0-\x08\v\f\x0e-\x1f\x7f-\x9f]/g

/**
 * Text as it may be stored: halves of surrogate pairs become U+FFFD, control characters but tabs and line ends go.
 * Of a text of nothing else U+FFFD is left: it was not empty, and an empty one may mean something else.
 */
export function cleanText(text: string): string {
  const clean = text.toWellFormed().replace(CONTROLS, '')
  return clean === '' && text !== '' ? '\uFFFD' : clean
}

/** A name as it may be looked up: what `cleanText` would leave out becomes U+FFFD, so that no name turns into another. */
export function cleanName(name: string): string {
  return name.toWellFormed().replace(CONTROLS, '\uFFFD')
}

/** Cleans every text of a parsed JSON value in place, names of properties too. */
export function cleanJson(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    value.forEach((item, index) => (value[index] = cleanJson(item)))
    return value
  }
  const map = value as Record<string, unknown>
  for (const name of Object.keys(map)) {
    const clean = cleanName(name)
    const item = cleanJson(map[name])
    if (clean !== name) delete map[name]
    map[clean] = item
  }
  return map
}
