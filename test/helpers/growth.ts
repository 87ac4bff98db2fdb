import * as assert from 'uvu/assert'

/** Number of pieces. Quadratic work takes this many times as long in one piece as in pieces. */
const PIECES = 8
/** Maximum ratio of the times in one piece and in pieces. */
const MAX_RATIO = 4
/** Maximum number of measurements before the work counts as superlinear. */
const ROUNDS = 4
/** Minimum measured time: some systems count the time of a thread in steps of 10 ms. */
const MIN_MEASURED_MS = 20

/**
 * Asserts that work takes linear time. Compares the processor time of this thread for the whole size with eight times an
 * eighth, the minimum of several rounds, so that the load of the machine does not matter.
 * @param label name of the work in the failure
 * @param work does the work for a size, `largest` or an eighth of it
 */
export async function growsLinearly(label: string, work: (size: number) => unknown, largest = 100_000): Promise<void> {
  let [whole, pieces] = [Infinity, Infinity]
  for (let round = 0; round < ROUNDS; round += 1) {
    pieces = Math.min(pieces, await cost(work, largest / PIECES, PIECES))
    whole = Math.min(whole, await cost(work, largest, 1))
    if (whole < MAX_RATIO * Math.max(pieces, MIN_MEASURED_MS)) return
  }
  assert.unreachable(`${label}: ${whole} ms, and ${pieces} ms in ${PIECES} pieces`)
}

async function cost(work: (size: number) => unknown, size: number, times: number): Promise<number> {
  const before = process.threadCpuUsage()
  for (let time = 0; time < times; time += 1) await work(size)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
