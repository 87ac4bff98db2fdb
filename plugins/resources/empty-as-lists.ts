/** Replaces empty maps by empty lists at every depth, as clients expect. */
export function emptyAsLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(emptyAsLists)
  const entries = Object.entries(value)
  return entries.length === 0 ? [] : Object.fromEntries(entries.map(([name, inner]) => [name, emptyAsLists(inner)]))
}
