import { AsyncLocalStorage } from 'node:async_hooks'

/** A clock that stands still until a test advances it. */
export interface Clock extends Disposable {
  /**
   * Advances `Date.now()` and `performance.now()`. Timers of the folders that `stopClock` was called with run before this
   * returns if they are due by then: a timeout once, an interval once however often it was missed.
   */
  advance(milliseconds: number): void
}

/** A timer that `advance` runs, and the time of the stopped clock at which it is due. */
interface Due {
  at: number
  readonly every: number | null
  readonly run: () => void
}

type Timer = ReturnType<typeof setTimeout>

const ROOT = new URL('../..', import.meta.url).href

/**
 * Stops the clocks of this process until the scope ends, so that no cache entry of the server expires by chance:
 * `using clock = stopClock()`, before the site is started.
 * @param folders folders or files whose timers `advance` runs, as `kernel/http`; all other timers take real time
 */
export function stopClock(...folders: readonly string[]): Clock {
  const clocks = [Date, performance]
  const before = clocks.map((clock) => clock.now)
  let passed = 0
  for (const clock of clocks) {
    // Whole milliseconds, so that a timer of 10 s is due after exactly 10 s.
    const stopped = Math.floor(clock.now())
    clock.now = () => stopped + passed
  }
  const timers = new Map<Timer, Due>()
  const restore = folders.length === 0 ? () => {} : followTimers(timers, () => passed, folders)
  return {
    advance(milliseconds) {
      passed += milliseconds
      for (const [timer, due] of [...timers].toSorted(([, one], [, other]) => one.at - other.at)) {
        // An earlier timer can have cleared this one.
        if (due.at > passed || !timers.has(timer)) continue
        if (due.every === null) clearTimeout(timer)
        else due.at = passed + due.every
        due.run()
      }
    },
    [Symbol.dispose]() {
      restore()
      clocks.forEach((clock, index) => (clock.now = before[index]!))
    },
  }
}

/**
 * Records the timers that code of these folders sets from now on. They remain real timers as well, so that a server whose
 * clock no test advances still stops.
 * @returns a function that stops recording
 */
function followTimers(timers: Map<Timer, Due>, now: () => number, folders: readonly string[]): () => void {
  const { setTimeout: timeout, setInterval: interval, clearTimeout: clear, clearInterval: clearEvery } = globalThis
  const follow = (set: typeof timeout, isInterval: boolean) =>
    ((callback: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) => {
      // Bound now: `advance` may be called in the async context of a request.
      const run = AsyncLocalStorage.bind(() => callback(...args))
      const timer: Timer = set(() => {
        if (!isInterval) timers.delete(timer)
        run()
      }, milliseconds)
      if (isSetIn(folders))
        timers.set(timer, { at: now() + milliseconds, every: isInterval ? milliseconds : null, run })
      return timer
    }) as unknown as typeof timeout
  const forget = (stop: (timer?: Timer) => void) =>
    ((timer?: Timer) => {
      if (timer !== undefined) timers.delete(timer)
      stop(timer)
    }) as typeof clear
  globalThis.setTimeout = follow(timeout, false)
  globalThis.setInterval = follow(interval as typeof timeout, true)
  globalThis.clearTimeout = forget(clear)
  globalThis.clearInterval = forget(clearEvery)
  return () =>
    void Object.assign(globalThis, {
      setTimeout: timeout,
      setInterval: interval,
      clearTimeout: clear,
      clearInterval: clearEvery,
    })
}

/** Whether the code that sets a timer is in one of the folders. */
function isSetIn(folders: readonly string[]): boolean {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 4
  const caller = new Error('where').stack!.split('\n')[3] ?? ''
  Error.stackTraceLimit = stackTraceLimit
  return folders.some((folder) => caller.includes(`${ROOT}${folder}`))
}

/** Stops the clocks for the tests of a suite, also for its `before` hooks that come after this. */
export function stopClockFor(suite: Record<'before' | 'after', (hook: () => void) => void>): void {
  let clock: Clock | undefined
  suite.before(() => void (clock = stopClock()))
  suite.after(() => clock?.[Symbol.dispose]())
}
