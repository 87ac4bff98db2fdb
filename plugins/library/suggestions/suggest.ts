import { closest, distance } from 'fastest-levenshtein'

/** Returns the known name that is most similar to `name`, or '' if none is similar enough to be a typing error. */
export function suggest(name: string, knownNames: Iterable<string>): string {
  const names = [...knownNames]
  if (names.length === 0) return ''
  const found = closest(name, names)
  return distance(name, found) <= Math.max(2, Math.floor(name.length / 3)) ? found : ''
}
