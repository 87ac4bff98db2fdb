import { setTimeout as delay } from 'node:timers/promises'
import { brokenDatabase, strayFiles, withStore } from './inspect.ts'
import { Ledger } from './ledger.ts'
import { addUsers } from './users.ts'
import { createRandom } from './random.ts'
import type { Line, Report } from './report.ts'
import { makeSite, startServer, type AuditServer, type AuditSite } from './server.ts'
import { write } from './writers.ts'

/** Number of kills and database. */
export interface KillOptions {
  seed: number
  kills: number
  /** A PostgreSQL server, else SQLite. */
  server?: string | undefined
}

/** Concurrent writing clients. */
const WRITERS = 8
/** Timeout of the first write. */
const FIRST_WRITE_TIMEOUT_MS = 5000
/** Maximum time between the first write and the kill. */
const MAX_KILL_DELAY_MS = 600
/** Maximum number of kills of one site. Its whole content is compared after each, so it must stay small. */
const KILLS_PER_SITE = 50
/** Number of sites that are tested at the same time: a start leaves half of the processors idle. */
const LANES = 2

/**
 * Repeatedly kills servers while clients write, and compares the stored objects with the acknowledged writes.
 */
export async function kill(report: Report, { seed, kills, server }: KillOptions): Promise<void> {
  const line = report.line('kill', `SIGKILL while ${WRITERS} clients write, ${server ? 'PostgreSQL' : 'SQLite'}`)
  let next = 0
  let acknowledged = 0
  const lane = async () => {
    while (next < kills) {
      const begin = next
      next = Math.min(begin + Math.min(KILLS_PER_SITE, Math.ceil(kills / LANES)), kills)
      const rounds = Array.from({ length: next - begin }, (_, index) => begin + index + 1)
      await using site = await makeSite({ server })
      acknowledged += await killAgain(site, line, seed, rounds)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  line.note = `${acknowledged.toLocaleString('en-US')} acknowledged writes`
}

/** Runs the rounds of one site. @returns the number of acknowledged writes */
async function killAgain(site: AuditSite, line: Line, seed: number, rounds: readonly number[]): Promise<number> {
  const users = await addUsers(site)
  const ledger = new Ledger()
  const reported = new Set<string>()
  const report = (round: number, broken: readonly string[]) => {
    for (const problem of broken) {
      if (reported.has(problem)) continue
      reported.add(problem)
      line.broken.push(`after kill ${round}: ${problem} (--seed ${seed})`)
    }
  }
  const inspect = async (server: AuditServer) =>
    withStore(site, async (store) => {
      const found = [brokenDatabase(store), ledger.lost(store, site.uploads), strayFiles(store, site, server)]
      return (await Promise.all(found)).flat()
    })
  for (const round of rounds) {
    const random = createRandom(seed, round)
    await using server = await startServer(site)
    // The start repairs the effects of the last kill before clients write.
    report(round - 1, await inspect(server))
    const before = ledger.acknowledged
    let over = false
    const work = Array.from({ length: WRITERS }, (_, index) =>
      write(server.port, users, ledger, createRandom(seed, round * WRITERS + index), () => over),
    )
    // Mostly waits until passwords are verified and all clients write.
    const deadline = Date.now() + (random.chance(0.9) ? FIRST_WRITE_TIMEOUT_MS : 0)
    while (ledger.acknowledged === before && Date.now() < deadline) await delay(10)
    await delay(random.below(MAX_KILL_DELAY_MS))
    await server.kill('SIGKILL')
    over = true
    report(round, (await Promise.all(work)).flat())
    line.times += 1
  }
  await using server = await startServer(site)
  report(rounds.at(-1) ?? 0, await inspect(server))
  return ledger.acknowledged
}
