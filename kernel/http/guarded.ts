/**
 * A listener that keeps what it throws from leaving the request it belongs to: thrown out of an event, it would end the
 * process. Every listener of a stream that clients feed is made by this.
 * @param fail told what was thrown
 */
export function guarded<A extends unknown[]>(
  fail: (error: Error) => void,
  listener: (...args: A) => void,
): (...args: A) => void {
  return (...args) => {
    try {
      listener(...args)
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)))
    }
  }
}
