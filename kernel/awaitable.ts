/** A value, or a promise of it where something really had to wait. */
export type Awaitable<T> = T | Promise<T>

/** Whether a value can be awaited. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

/**
 * Goes on with a value: at once when it is there, after waiting when it is a promise.
 * @param context handed on to the next step, so that no function has to be made for it where nothing waits
 */
export function chain<T, R>(value: Awaitable<T>, goOn: (value: T) => Awaitable<R>): Awaitable<R>
export function chain<T, R, C>(
  value: Awaitable<T>,
  goOn: (value: T, context: C) => Awaitable<R>,
  context: C,
): Awaitable<R>
export function chain<T, R, C>(
  value: Awaitable<T>,
  goOn: (value: T, context: C) => Awaitable<R>,
  context?: C,
): Awaitable<R> {
  return isThenable(value) ? value.then((late) => goOn(late, context!)) : goOn(value, context!)
}

/**
 * Does something that may fail at once or later; `rescue` turns a failure into a result.
 * @param context handed on to both
 */
export function attempt<T>(work: () => Awaitable<T>, rescue: (error: unknown) => Awaitable<T>): Awaitable<T>
export function attempt<T, C>(
  work: (context: C) => Awaitable<T>,
  rescue: (error: unknown, context: C) => Awaitable<T>,
  context: C,
): Awaitable<T>
export function attempt<T, C>(
  work: (context: C) => Awaitable<T>,
  rescue: (error: unknown, context: C) => Awaitable<T>,
  context?: C,
): Awaitable<T> {
  try {
    const result = work(context!)
    // What a handler returns may be a thenable of another library.
    return isThenable(result)
      ? Promise.resolve(result).then(undefined, (error: unknown) => rescue(error, context!))
      : result
  } catch (error) {
    return rescue(error, context!)
  }
}

/**
 * Starts several reads, one after another, and returns their results: synchronously if no read had to wait. If a read fails
 * synchronously, the results of the reads before it are ignored.
 */
export function together<T extends readonly unknown[]>(
  ...reads: {
    [I in keyof T]: () => Awaitable<T[I]>
  }
): Awaitable<T> {
  const results: unknown[] = []
  let waits = false
  try {
    for (const read of reads) {
      const result = read()
      waits ||= isThenable(result)
      results.push(result)
    }
  } catch (error) {
    for (const result of results) if (isThenable(result)) result.then(undefined, () => {})
    throw error
  }
  return (waits ? Promise.all(results) : results) as unknown as Awaitable<T>
}
