import type { JobRow } from './queue.ts'

type Running = Pick<JobRow, 'id' | 'name' | 'owner' | 'beat'>

/**
 * Tracks the runs of other processes and when each last sent a heartbeat, by the monotonic clock of this process, so
 * that differing or adjusted system clocks do not make two processes run the same job.
 */
export class OthersRuns {
  readonly #lease: number
  readonly #seen = new Map<number, { mark: string; since: number }>()

  /** @param lease milliseconds after which a run without a heartbeat is abandoned */
  constructor(lease: number) {
    this.#lease = lease
  }

  /** Records the runs of other processes. @returns the abandoned runs */
  abandoned<R extends Running>(runs: readonly R[]): R[] {
    const now = performance.now()
    const ids = new Set(runs.map(({ id }) => id))
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id)
    return runs.filter(({ id, owner, beat }) => {
      const mark = `${owner} ${beat}`
      const seen = this.#seen.get(id)
      if (seen?.mark === mark) return now - seen.since >= this.#lease
      this.#seen.set(id, { mark, since: now })
      return false
    })
  }

  /** Checks whether the last heartbeat recorded for any run is so old that `abandoned` may return the run now. */
  isCheckDue(): boolean {
    const before = performance.now() - this.#lease
    for (const { since } of this.#seen.values()) if (since <= before) return true
    return false
  }
}
