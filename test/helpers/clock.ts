/** A clock that stands still unless it is moved. */
export interface Clock extends Disposable {
  /** Lets time pass for whoever asks what time it is; timers that are set go off when they would have. */
  advance(milliseconds: number): void
}

/**
 * Stops the clocks of this process until the scope ends, so that nothing the server remembers for a moment grows old by
 * chance: `using clock = stopClock()`, before the site is started.
 */
export function stopClock(): Clock {
  const clocks = [Date, performance]
  const before = clocks.map((clock) => clock.now)
  let passed = 0
  for (const clock of clocks) {
    const stopped = clock.now()
    clock.now = () => stopped + passed
  }
  return {
    advance: (milliseconds) => void (passed += milliseconds),
    [Symbol.dispose]: () => clocks.forEach((clock, index) => (clock.now = before[index]!)),
  }
}

/** Stops the clocks for the tests of a suite, also for its `before` hooks that come after this. */
export function stopClockFor(suite: Record<'before' | 'after', (hook: () => void) => void>): void {
  let clock: Clock | undefined
  suite.before(() => void (clock = stopClock()))
  suite.after(() => clock?.[Symbol.dispose]())
}
