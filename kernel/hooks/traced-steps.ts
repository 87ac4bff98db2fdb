import type { Awaitable } from '../awaitable.ts'
import { trace, tracing } from '../tracing.ts'
import type { Any } from './any.ts'
import type { Hooks } from './hook.ts'
import type { OwnedTap, Step } from './steps.ts'

/** Whether somebody listens: looked at in each run, which takes less time than can be measured. */
export const isTraced = () => tracing.tap.hasSubscribers || tracing.hook.hasSubscribers

/** The taps of a hook as they are run: as they are, and, once somebody listens, with what tells of each. */
export class Steps {
  readonly plain: readonly Step[]
  readonly #make: (site: Hooks | null) => readonly Step[]
  readonly #hook: string
  readonly #site: Hooks
  #traced: readonly Step[] | null = null

  /** @param make one of them; with the hooks that it is told of with, or null where it is not */
  constructor(taps: readonly OwnedTap[], hook: string, site: Hooks, make: (tap: OwnedTap, site: Hooks | null) => Step) {
    this.#make = (of) => taps.map((tap) => make(tap, of))
    this.plain = this.#make(null)
    this.#hook = hook
    this.#site = site
  }

  /** Those to be run now, one by one. */
  get now(): readonly Step[] {
    return tracing.tap.hasSubscribers ? (this.#traced ??= this.#make(this.#site)) : this.plain
  }

  /** Tells subscribers of a run. */
  trace(run: (steps: readonly Step[]) => Awaitable<Any>): Awaitable<Any> {
    const act = () => run(this.now)
    return tracing.hook.hasSubscribers ? trace(tracing.hook, { hook: this.#hook, site: this.#site }, act) : act()
  }
}
