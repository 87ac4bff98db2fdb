import { closest, distance } from 'fastest-levenshtein'

/** The known name that is most like `name`, or '' when none is like it: what a typing mistake meant. */
export function suggest(name: string, known: Iterable<string>): string {
  const names = [...known]
  if (names.length === 0) return ''
  const found = closest(name, names)
  return distance(name, found) <= Math.max(2, Math.floor(name.length / 3)) ? found : ''
}
