import { moveSite } from '../helpers/moved-site.ts'
import { filePlace, postgresPlace } from '../helpers/stores.ts'

/**
 * Measures the import of a running site that is killed twice on the way: `node test/bench/live-import.ts [POSTS] [KILLS]
 * [POSTGRES]`.
 */
async function main([posts = '10000', kills = '2', postgres]: string[]): Promise<void> {
  const place = postgres === undefined ? filePlace : () => postgresPlace(postgres)
  const { differences, items, objects, report, seconds } = await moveSite(Number(posts), Number(kills), place)
  const total = seconds.reduce((sum, one) => sum + one, 0)
  console.log(report)
  console.log(
    `\n${items} items, ${objects} objects with terms, users and comments, in ${total.toFixed(1)} s ` +
      `(${seconds.map((one) => one.toFixed(1)).join(' + ')}): ${Math.round(items / total)} items a second, ` +
      `${Math.round(objects / total)} objects a second; ${differences.length} rows differ`,
  )
  for (const difference of differences.slice(0, 10)) console.log(difference)
}

await main(process.argv.slice(2))
