// Changes a site while its processes are killed at random, and checks that its webhook is sent each change:
// npm run killed -- CHANGES DATABASE SECONDS, with SVC_TEST_POSTGRES to run on PostgreSQL as well. SECONDS is the
// average time between two kills.
import { databases } from '../helpers/site-with-users.ts'
import { runKilled } from './run.ts'

const changes = Number(process.argv[2] ?? 100_000)
const only = process.argv[3]
const between = Number(process.argv[4] ?? 5) * 1000
let isSound = true
for (const { name, place: make } of databases) {
  if (only !== undefined && name.toLowerCase() !== only.toLowerCase()) continue
  await using place = await make()
  const progress = (text: string) => console.log(`${name}: ${text}`)
  const { faults, ...figures } = await runKilled(place.url, {
    changes,
    changesPerTransaction: 50,
    kills: Math.min(40, Math.ceil(changes / 100)),
    between,
    posts: 500,
    progress,
  })
  console.log(name, figures, `${faults.length} faults`, faults.slice(0, 20))
  isSound &&= faults.length === 0
}
process.exitCode = isSound ? 0 : 1
