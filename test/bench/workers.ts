import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import autocannon from 'autocannon'
import type { Case } from './cases.ts'
import { serve, type Serving } from './footprint.ts'
import { median, type Pace } from './measure.ts'
import { MEMORIES } from './server.ts'
import { markdownTable } from './table.ts'

export const WORKERS = 'svc-serve: 1 and 2 workers'
/** Each response is made anew and takes milliseconds: what makes the load needs next to nothing of the processors. */
const CASE = 'posts: 10, _embed'
/** How much faster two are, at least. */
const BUDGET = 1.8
/** How many ask at a time: few show whether connections are shared out evenly. */
const CONNECTIONS = [10, 32]
/** Seconds before the first round, and of each, at least: shorter ones have too few requests. */
const LEAST = { warmUp: 3, seconds: 1.5 }
/** Clock ticks of `/proc` a second. */
const TICKS = 100

interface Round {
  /** Requests a second. */
  rate: number
  /** Milliseconds of processor time of a request, of all processes of the server. */
  cost: number
}

/** Requests a second of `svc-serve` with one worker and with two, in turns, and the second as a ratio to the first. */
export async function compareWorkers(
  folder: string,
  database: string,
  cases: readonly Case[],
  { rounds, warmUp, seconds }: Pace,
): Promise<string> {
  const asked = cases.find(({ name }) => name === CASE)!.path
  const config = path.join(folder, 'workers.json')
  await writeFile(config, JSON.stringify({ plugins: { 'response-cache': MEMORIES.cold } }))
  await using one = await serve(folder, database, ['--config', config, '--workers', '1'])
  await using two = await serve(folder, database, ['--config', config, '--workers', '2'])
  const rows: string[][] = []
  for (const connections of CONNECTIONS) {
    const measured: [Round[], Round[]] = [[], []]
    for (let round = -1; round < rounds; round += 1) {
      for (const [index, server] of [one, two].entries()) {
        const duration = round < 0 ? Math.max(warmUp, LEAST.warmUp) : Math.max(seconds, LEAST.seconds)
        const result = await load(server, asked, connections, duration)
        if (round >= 0) measured[index]!.push(result)
      }
    }
    rows.push(rowOf(connections, ...measured))
  }
  return markdownTable([WORKERS, 'req/s, 1', 'req/s, 2', 'ratio', 'budget', 'CPU ms, 1', 'CPU ms, 2'], rows)
}

async function load({ url, pid }: Serving, asked: string, connections: number, duration: number): Promise<Round> {
  const before = await processorTime(pid)
  const result = await autocannon({ url: `${url}${asked}`, connections, duration, sampleInt: 100 })
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

/** Milliseconds of processor time that a process and its children have taken; NaN where there is no `/proc`. */
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
