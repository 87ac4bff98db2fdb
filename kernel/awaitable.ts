/** A value, or a promise of it if it is not available yet. */
export type Awaitable<T> = T | Promise<T>

/** Returns whether a value is a promise or another thenable. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

/**
 * Like `Promise.all`, but returns the plain values if none is a promise. `Promise.all` wraps each plain value in a
 * promise, which would be ten for each post of a list.
 */
export function awaitAll<T extends readonly unknown[]>(values: readonly [...T]): Awaitable<AllOf<T>> {
  for (const value of values) if (typeof value === 'object' && isThenable(value)) return Promise.all(values)
  return values as unknown as AllOf<T>
}

type AllOf<T extends readonly unknown[]> = { -readonly [K in keyof T]: Awaited<T[K]> }
