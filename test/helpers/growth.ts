import * as assert from 'uvu/assert'

/** Into how many pieces the work is cut. What grows with its square takes so many times as long in one piece. */
const PIECES = 8
/** How many times as long as in pieces the work may take in one. */
const LIMIT = 4
/** How often both are measured before the work counts as too slow. */
const ROUNDS = 4
/** Milliseconds in which nothing is told: some systems count the time of a thread in steps of 10. */
const NOISE = 20

/**
 * Asserts that work takes time in proportion to its size, whatever the machine is doing beside it: what counts is the
 * processor time of this thread, for the whole against eight times an eighth, the least of several rounds.
 * @param what named when the work is too slow
 * @param work does it at a size, `largest` or an eighth of it
 */
export async function growsLinearly(what: string, work: (size: number) => unknown, largest = 100_000): Promise<void> {
  let [whole, pieces] = [Infinity, Infinity]
  for (let round = 0; round < ROUNDS; round += 1) {
    pieces = Math.min(pieces, await cost(work, largest / PIECES, PIECES))
    whole = Math.min(whole, await cost(work, largest, 1))
    if (whole < LIMIT * Math.max(pieces, NOISE)) return
  }
  assert.unreachable(`${what}: ${whole} ms, and ${pieces} ms in ${PIECES} pieces`)
}

async function cost(work: (size: number) => unknown, size: number, times: number): Promise<number> {
  const before = process.threadCpuUsage()
  for (let time = 0; time < times; time += 1) await work(size)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
