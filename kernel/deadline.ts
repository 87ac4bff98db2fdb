/** Seconds that each step of the start may take by default. */
export const START_SECONDS = 30

/**
 * Waits for a result until a signal is aborted. A later result or rejection is ignored.
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
 * Waits for a result for a maximum number of seconds. The timer keeps the process alive: otherwise, Node would exit
 * silently if the promise never settles and nothing else is pending.
 * @param late creates the error for a timeout
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
