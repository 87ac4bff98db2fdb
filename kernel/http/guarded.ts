/**
 * Wraps a listener so that its errors do not end the process, as errors thrown by event listeners do. Use it for all
 * listeners of streams that receive data from clients.
 * @param fail called with the thrown error
 */
export function guarded<A extends unknown[]>(
  fail: (error: Error) => void,
  listener: (...args: A) => void,
): (...args: A) => void {
  return (...args) => {
    try {
      listener(...args)
    } catch (error) {
      fail(error instanceof Error ? error : new Error('The thrown value is not an error.', { cause: error }))
    }
  }
}
