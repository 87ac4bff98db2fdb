/**
 * A listener whose errors stay within the request it belongs to: thrown out of an event, they would end the process. For
 * every listener of a stream that clients feed.
 * @param fail called with what was thrown
 */
export function guarded<A extends unknown[]>(
  fail: (error: Error) => void,
  listener: (...args: A) => void,
): (...args: A) => void {
  return (...args) => {
    try {
      listener(...args)
    } catch (error) {
      fail(error instanceof Error ? error : new Error('Something was thrown that is no error.', { cause: error }))
    }
  }
}
