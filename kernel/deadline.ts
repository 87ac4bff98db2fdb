/** Seconds that each step of the start may take. */
export const START_SECONDS = 30

/**
 * Waits for a result, unless a signal is aborted before: then the result is not looked at any more.
 * @throws the reason of the signal
 */
export async function unlessAborted<T>(result: T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason as Error)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort)
  try {
    return await Promise.race([aborted, result])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/**
 * Waits for a result, for a number of seconds at most. The timer keeps the process alive meanwhile: a promise that never
 * settles would otherwise end it, as if all were done.
 * @param late the error when the time is over
 */
export async function withinSeconds<T>(result: T | PromiseLike<T>, seconds: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), seconds * 1000)
  })
  try {
    return await Promise.race([result, tooLate])
  } finally {
    clearTimeout(timer)
  }
}
