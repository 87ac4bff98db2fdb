import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import autocannon from 'autocannon'
import type { Case } from './cases.ts'
import { serve, type Serving } from './footprint.ts'
import { median, type Pace } from './measure.ts'
import { MEMORIES } from './server.ts'
import { markdownTable } from './table.ts'

export const WORKERS = 'svc-serve: 1 and 2 workers'
/** An uncached response of several milliseconds, so that generating the load takes little processor time in comparison. */
const CASE = 'posts: 10, _embed'
/** Minimum speed-up of two workers. */
const BUDGET = 1.8
/** Numbers of concurrent connections. A small number shows whether they are distributed evenly. */
const CONNECTIONS = [10, 32]
/** Minimum seconds of the warm-up and of each round: shorter ones have too few requests. */
const MIN_SECONDS = { warmUp: 3, seconds: 1.5 }
/** Clock ticks per second of `/proc`. */
const TICKS = 100

interface Round {
  /** Requests per second. */
  rate: number
  /** Processor time of all processes of the server per request in milliseconds. */
  cost: number
}

/** Measures the requests per second of `svc-serve` with one and with two workers in alternating rounds, and their ratio. */
export async function compareWorkers(
  folder: string,
  database: string,
  cases: readonly Case[],
  { rounds, warmUp, seconds }: Pace,
): Promise<string> {
  const casePath = cases.find(({ name }) => name === CASE)!.path
  const config = path.join(folder, 'workers.json')
  await writeFile(config, JSON.stringify({ plugins: { 'response-cache': MEMORIES.cold } }))
  await using one = await serve(folder, database, ['--config', config, '--workers', '1'])
  await using two = await serve(folder, database, ['--config', config, '--workers', '2'])
  const rows: string[][] = []
  for (const connections of CONNECTIONS) {
    const measured: [Round[], Round[]] = [[], []]
    for (let round = -1; round < rounds; round += 1) {
      for (const [index, server] of [one, two].entries()) {
        const duration = round < 0 ? Math.max(warmUp, MIN_SECONDS.warmUp) : Math.max(seconds, MIN_SECONDS.seconds)
        const result = await load(server, casePath, connections, duration)
        if (round >= 0) measured[index]!.push(result)
      }
    }
    rows.push(rowOf(connections, ...measured))
  }
  return markdownTable([WORKERS, 'req/s, 1', 'req/s, 2', 'ratio', 'budget', 'CPU ms, 1', 'CPU ms, 2'], rows)
}

async function load({ url, pid }: Serving, casePath: string, connections: number, duration: number): Promise<Round> {
  const before = await processorTime(pid)
  const result = await autocannon({ url: `${url}${casePath}`, connections, duration, sampleInt: 100 })
  const took = (await processorTime(pid)) - before
  if (result.non2xx + result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`)
  return { rate: result['2xx'] / result.duration, cost: took / result['2xx'] }
}

function rowOf(connections: number, one: readonly Round[], two: readonly Round[]): string[] {
  const [first, second] = [one, two].map((rounds) => median(rounds.map(({ rate }) => rate))) as [number, number]
  const costs = [one, two].map((rounds) => median(rounds.map(({ cost }) => cost)).toFixed(2))
  const name = `${CASE}, cold, ${connections} connections`
  return [name, first.toFixed(0), second.toFixed(0), (second / first).toFixed(2), `≥ ${BUDGET}`, ...costs]
}

/** Returns the processor time of a process and its children in milliseconds; NaN on systems without `/proc`. */
async function processorTime(pid: number): Promise<number> {
  const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
  const [stat, children] = [await read('stat'), await read(`task/${pid}/children`)]
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  const others = await Promise.all(
    children
      .trim()
      .split(' ')
      .filter(Boolean)
      .map((child) => processorTime(Number(child))),
  )
  return others.reduce((sum, time) => sum + time, ((user ?? NaN) + (system ?? NaN)) * (1000 / TICKS))
}
