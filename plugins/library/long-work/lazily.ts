/**
 * Returns a function that creates a value at its first call and returns the same value afterwards. For values that the
 * start of the server does not need.
 * @param make creates the value
 */
export function lazily<T extends object>(make: () => T): () => T {
  let value: T | undefined
  return () => (value ??= make())
}
