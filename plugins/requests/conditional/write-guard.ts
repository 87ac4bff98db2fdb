import { currentWork, runWork, type Guard, type Work } from '../../../kernel/index.ts'

/**
 * A precondition that must hold at the moment of the first write. The store checks it inside the transaction, while no
 * other write can run.
 */
export class WriteGuard implements Guard {
  readonly #work: Work
  readonly #check: () => Promise<void>
  /** The write in progress. A second one waits, because the first one decides. */
  #latest: Promise<unknown> = Promise.resolve()
  #isOver = false

  /**
   * @param work work that the write belongs to
   * @param check throws if the precondition does not hold
   */
  constructor(work: Work, check: () => Promise<void>) {
    this.#work = work
    this.#check = check
  }

  /** Whether nothing has been written yet. */
  get isPending(): boolean {
    return !this.#isOver
  }

  /**
   * Runs a write with the check. Writes inside `write` are not checked again, and neither are later writes after the
   * first one has succeeded.
   * @param write opens a transaction and calls `check` first in it
   */
  async write<T>(write: (check: () => Promise<void>) => Promise<T>): Promise<T> {
    const checked = () => runWork(this.#work, () => write(this.#isOver ? async () => {} : this.#check))
    const written = this.#latest.then(checked)
    this.#latest = written.catch(() => {})
    const result = await written
    this.#isOver = true
    return result
  }
}

/** Returns the guard that the next write must pass; null without a guard, or once it has been passed. */
export function pendingGuard(): Guard | null {
  const guard = currentWork()?.guard ?? null
  return guard !== null && guard.isPending ? guard : null
}
