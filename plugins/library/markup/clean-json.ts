import { cleanName, cleanText } from '../../../kernel/index.ts'

/**
 * Cleans all texts and property names of a parsed JSON value in place. A new object would take 12 kB for `{"1000":1}`;
 * the parsed one takes 200 bytes.
 */
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
