import { setTimeout as delay } from 'node:timers/promises'
import { brokenDatabase, strayFiles, withStore } from './inspect.ts'
import { Ledger } from './ledger.ts'
import { addPeople } from './people.ts'
import { createRandom } from './random.ts'
import type { Report } from './report.ts'
import { makeSite, startServer } from './server.ts'
import { write } from './writers.ts'

/** How often a server is killed, and where its database is. */
export interface KillOptions {
  seed: number
  kills: number
  /** A PostgreSQL server, else SQLite. */
  server?: string | undefined
}

/** Clients that write at a time. */
const WRITERS = 8
/** The longest time between the start and the kill, in milliseconds. */
const LONGEST = 1200

/**
 * Kills a server while clients write, again and again, and compares what is there afterwards with what it had
 * acknowledged.
 */
export async function kill(report: Report, { seed, kills, server: postgres }: KillOptions): Promise<void> {
  const line = report.line('kill', `SIGKILL while ${WRITERS} clients write, ${postgres ? 'PostgreSQL' : 'SQLite'}`)
  await using site = await makeSite({ server: postgres })
  const people = await addPeople(site)
  const random = createRandom(seed)
  const ledger = new Ledger()
  const told = new Set<string>()
  const tell = (round: number, broken: readonly string[]) => {
    for (const what of broken) {
      if (told.has(what)) continue
      told.add(what)
      line.broken.push(`after kill ${round}: ${what} (--seed ${seed})`)
    }
  }
  for (let round = 1; round <= kills; round += 1) {
    {
      await using server = await startServer(site)
      // What the last kill left behind is put right by the start, before anybody writes.
      tell(round - 1, await brokenDatabase(site))
      tell(round - 1, await withStore(site, (store) => ledger.lost(store, site.uploads)))
      tell(round - 1, await strayFiles(site, server))
      let over = false
      const work = Array.from({ length: WRITERS }, (_, index) =>
        write(server.port, people, ledger, createRandom(seed, round * WRITERS + index), () => over),
      )
      await delay(random.below(LONGEST))
      await server.kill('SIGKILL')
      over = true
      tell(round, (await Promise.all(work)).flat())
    }
    line.times += 1
  }
  await using server = await startServer(site)
  tell(kills, await brokenDatabase(site))
  tell(kills, await withStore(site, (store) => ledger.lost(store, site.uploads)))
  tell(kills, await strayFiles(site, server))
  line.note = `${ledger.acknowledged.toLocaleString('en-US')} acknowledged writes`
}
