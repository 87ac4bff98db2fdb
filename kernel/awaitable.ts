/** A value, or a promise of it where something really had to wait. */
export type Awaitable<T> = T | Promise<T>

/** Whether a value can be awaited. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

/** Goes on with a value: at once when it is there, after waiting when it is a promise. */
export function chain<T, R>(value: Awaitable<T>, goOn: (value: T) => Awaitable<R>): Awaitable<R> {
  return isThenable(value) ? value.then(goOn) : goOn(value)
}

/** Does something that may fail at once or later; `rescue` turns a failure into a result. */
export function attempt<T>(work: () => Awaitable<T>, rescue: (error: unknown) => Awaitable<T>): Awaitable<T> {
  try {
    const result = work()
    // What a handler returns may be a thenable of another library.
    return isThenable(result) ? Promise.resolve(result).then(undefined, rescue) : result
  } catch (error) {
    return rescue(error)
  }
}

/**
 * Begins several reads, one after the other, and has their results: at once where none had to wait. Where one fails at
 * once, nobody waits for those before it any more.
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
