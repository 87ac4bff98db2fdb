import { currentWork, runWork, type Guard, type Work } from '../../../kernel/index.ts'

/**
 * A condition of a request that has to hold at the moment of its first write, and not only some time before: the store
 * checks it in the transaction, while nobody else writes.
 */
export class WriteGuard implements Guard {
  readonly #work: Work
  readonly #check: () => Promise<void>
  /** The write under way; a second one waits, because it is the first that decides. */
  #latest: Promise<unknown> = Promise.resolve()
  #isOver = false

  /**
   * @param work what is written belongs to it
   * @param check throws where the condition does not hold
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
   * Writes, checked. What is done in `write` meets the guard no more; once it is committed, nothing does.
   * @param write begins a transaction in its turn, and calls `check` before anything else in it
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

/** The guard that the next write has to ask; null where there is none, or not any more. */
export function pendingGuard(): Guard | null {
  const guard = currentWork()?.guard ?? null
  return guard !== null && guard.isPending ? guard : null
}
