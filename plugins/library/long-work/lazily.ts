/**
 * Returns a function that creates a value when it is first called, and returns the same value from then on. Use it for
 * values that a start of the server does not need.
 * @param make creates the value
 */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
