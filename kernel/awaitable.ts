/** A value, or a promise of it where something really had to wait. */
export type Awaitable<T> = T | Promise<T>

/** Whether a value can be awaited. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}
