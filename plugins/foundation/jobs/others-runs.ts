import type { JobRow } from './queue.ts'

type Running = Pick<JobRow, 'id' | 'name' | 'owner' | 'beat'>

/**
 * What other processes run, and since when they have not said that they live: by the clock of this process alone, which
 * nobody sets, so that clocks that differ or jump give no job to two.
 */
export class OthersRuns {
  readonly #lease: number
  readonly #seen = new Map<number, { mark: string; since: number }>()

  /** @param lease milliseconds for which they may say nothing */
  constructor(lease: number) {
    this.#lease = lease
  }

  /** Notes what others run. @returns what nobody has said anything of for too long */
  abandoned<R extends Running>(theirs: readonly R[]): R[] {
    const now = performance.now()
    const ids = new Set(theirs.map(({ id }) => id))
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id)
    return theirs.filter(({ id, owner, beat }) => {
      const mark = `${owner} ${beat}`
      const seen = this.#seen.get(id)
      if (seen?.mark === mark) return now - seen.since >= this.#lease
      this.#seen.set(id, { mark, since: now })
      return false
    })
  }

  /** Whether a run has not been looked at for so long that it may be abandoned. */
  isTimeToLook(): boolean {
    const before = performance.now() - this.#lease
    for (const { since } of this.#seen.values()) if (since <= before) return true
    return false
  }
}
