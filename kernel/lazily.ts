/** What is made when it is first asked for, such as a package that a start does not need. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
