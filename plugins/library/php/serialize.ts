/**
 * Serializes a value in the format of PHP's `serialize`. Objects and maps become arrays with their keys; undefined
 * becomes null.
 * @param textOf converts each text and each key that is a text
 */
export function serializePhp(value: unknown, textOf: (text: string) => string = (text) => text): string {
  if (typeof value === 'boolean') return `b:${value ? 1 : 0};`
  if (typeof value === 'number') return serializeNumber(value)
  if (typeof value === 'string') return serializeText(textOf(value))
  if (typeof value !== 'object' || value === null) return 'N;'
  const serializeKey = (key: unknown) => (isInteger(key) ? `i:${key};` : serializeText(textOf(String(key))))
  const entries = entriesOf(value)
  return `a:${entries.length}:{${entries.map(([key, entry]) => serializeKey(key) + serializePhp(entry, textOf)).join('')}}`
}

function entriesOf(value: object): readonly (readonly [key: unknown, value: unknown])[] {
  if (Array.isArray(value) || value instanceof Map)
    return [...(value as readonly unknown[] | Map<unknown, unknown>).entries()]
  return Object.entries(value)
}

function serializeNumber(value: number): string {
  if (Number.isSafeInteger(value)) return `i:${value === 0 ? 0 : value};`
  return `d:${String(value)
    .replace(/^(-?\d+)e/, '$1.0e')
    .replace('e', 'E')};`
}

function serializeText(text: string): string {
  return `s:${Buffer.byteLength(text)}:"${text}";`
}

/** Whether PHP stores a key as an integer. */
function isInteger(key: unknown): key is number | string {
  if (typeof key === 'number') return true
  return typeof key === 'string' && /^(?:0|-?[1-9]\d{0,15})$/.test(key) && Number.isSafeInteger(Number(key))
}
