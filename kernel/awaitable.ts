/** A value, or a promise of it where something really had to wait. */
export type Awaitable<T> = T | Promise<T>

/** Whether a value can be awaited. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

/**
 * The values as `Promise.all` returns them, without a promise if none of them is one: `Promise.all` wraps each plain value in a
 * promise, ten for each post of a list.
 */
export function awaitAll<T extends readonly unknown[]>(values: readonly [...T]): Awaitable<AllOf<T>> {
  for (const value of values) if (typeof value === 'object' && isThenable(value)) return Promise.all(values)
  return values as unknown as AllOf<T>
}

type AllOf<T extends readonly unknown[]> = { -readonly [K in keyof T]: Awaited<T[K]> }
