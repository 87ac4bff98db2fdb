import type { LiveProgress } from './types.ts'

/** Milliseconds between two reports. */
const INTERVAL_MS = 200

/** Counts the objects of a phase and reports its rate and the time left. Dispose it after the last phase. */
export class ProgressMeter implements Disposable {
  readonly #report: (progress: LiveProgress) => void
  #phase: LiveProgress['phase'] = 'reading'
  #total = 0
  #done = 0
  /** Objects that an earlier run processed. */
  #before = 0
  #started = performance.now()
  #reported = 0
  #isStored = false
  /** The report of a change that came soon after another one. */
  #later: NodeJS.Timeout | undefined

  constructor(report: (progress: LiveProgress) => void) {
    this.#report = report
  }

  /** Reports that the content is stored. */
  markStored(): void {
    if (this.#isStored) return
    this.#isStored = true
    this.#send()
  }

  begin(phase: LiveProgress['phase'], total: number, before = 0): void {
    this.#phase = phase
    this.#total = total
    this.#done = before
    this.#before = before
    this.#started = performance.now()
    this.#send()
  }

  add(count: number): void {
    this.set(this.#done + count)
  }

  set(done: number, total = this.#total): void {
    this.#done = done
    this.#total = total
    if (performance.now() - this.#reported >= INTERVAL_MS) this.#send()
    else this.#later ??= setTimeout(() => this.#send(), INTERVAL_MS).unref()
  }

  /** Reports the final state of the phase. */
  end(): void {
    this.#send()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#later)
  }

  #send(): void {
    clearTimeout(this.#later)
    this.#later = undefined
    const seconds = (performance.now() - this.#started) / 1000
    const rate = seconds === 0 ? 0 : (this.#done - this.#before) / seconds
    const left = this.#total - this.#done
    this.#reported = performance.now()
    this.#report({
      phase: this.#phase,
      done: this.#done,
      total: this.#total,
      rate,
      isStored: this.#isStored,
      secondsLeft: rate === 0 || this.#total === 0 ? null : Math.max(0, left) / rate,
    })
  }
}
