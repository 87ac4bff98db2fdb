/**
 * Counts the uses of names in a text, for IDs that are unique in it.
 * @param uses how often each name was used before
 * @returns how often the name is used, including this time
 */
export function countUse(uses: Map<string, number>, name: string): number {
  const count = (uses.get(name) ?? 0) + 1
  uses.set(name, count)
  return count
}
