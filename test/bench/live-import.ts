import { loadavg } from 'node:os'
import { moveSite } from '../helpers/moved-site.ts'
import { filePlace, postgresPlace } from '../helpers/stores.ts'

/**
 * Measures the import of a running site that is killed on the way: `node test/bench/live-import.ts [POSTS] [KILLS]
 * [POSTGRES]`. POSTGRES is the URL of a server for the new site; SQLite by default. Items are rows of the table of posts:
 * posts, pages, media, menu items, revisions and items of another type. Objects are items, terms, users and comments. The
 * time includes the start of each run, the killed runs, and the comparison of all objects.
 */
async function main([posts = '10000', kills = '2', postgres]: string[]): Promise<void> {
  const place = postgres === undefined ? filePlace : () => postgresPlace(postgres)
  const before = loadavg()[0]!
  const { differences, items, objects, processor, report, seconds } = await moveSite(
    Number(posts),
    Number(kills),
    place,
  )
  const total = seconds.reduce((sum, one) => sum + one, 0)
  console.log(report)
  console.log(
    `\n${items} items: posts, pages, media, menu items and revisions; ${objects} objects with terms, users and`,
  )
  console.log(`comments. Load of the machine ${before.toFixed(1)} before and ${loadavg()[0]!.toFixed(1)} after.\n`)
  printRates(`all runs (${seconds.map((one) => one.toFixed(1)).join(' + ')} s)`, total, items, objects)
  for (const [name, used] of Object.entries(processor)) {
    if (used !== null) printRates(`processor time: ${name}`, used, items, objects)
  }
  console.log(`\n${differences.length} rows differ`)
  for (const difference of differences.slice(0, 10)) console.log(difference)
}

function printRates(name: string, seconds: number, items: number, objects: number): void {
  const rates = [items, objects].map((count) => String(Math.round(count / seconds)).padStart(6))
  console.log(`${name.padEnd(36)}${seconds.toFixed(1).padStart(7)} s${rates[0]} items/s${rates[1]} objects/s`)
}

await main(process.argv.slice(2))
