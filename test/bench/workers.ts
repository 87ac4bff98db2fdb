import autocannon from 'autocannon'
import type { Case } from './cases.ts'
import { serve } from './footprint.ts'
import { median, type Pace } from './measure.ts'
import { markdownTable } from './table.ts'

export const WORKERS = 'svc-serve: 1 and 2 workers'
const CASE = 'posts: 10'
/** How much faster two are, at least. */
const BUDGET = 1.8

/** Answers a second of `svc-serve` with one worker and with two, in turns, and the second as a ratio to the first. */
export async function compareWorkers(
  folder: string,
  database: string,
  cases: readonly Case[],
  { connections, rounds, warmUp, seconds }: Pace,
): Promise<string> {
  const { path } = cases.find(({ name }) => name === CASE)!
  await using one = await serve(folder, database, ['--workers', '1'])
  await using two = await serve(folder, database, ['--workers', '2'])
  const rates: [number[], number[]] = [[], []]
  for (let round = -1; round < rounds; round += 1) {
    for (const [index, { url }] of [one, two].entries()) {
      const duration = round < 0 ? warmUp : seconds
      const result = await autocannon({ url: `${url}${path}`, connections, duration, sampleInt: 100 })
      if (result.non2xx + result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`)
      if (round >= 0) rates[index]!.push(result['2xx'] / result.duration)
    }
  }
  const [first, second] = [median(rates[0]), median(rates[1])]
  const row = [CASE, first.toFixed(0), second.toFixed(0), (second / first).toFixed(2), `≥ ${BUDGET}`]
  return markdownTable([WORKERS, 'req/s, 1', 'req/s, 2', 'ratio', 'budget'], [row])
}
