// npm run front-ends [-- NAME]: installs the front ends of docs/examples by their lock files, builds them, serves them in
// production mode with a site that notifies them of changes, and tests them in Chromium. Needs the npm registry and Chromium
// (SVC_TEST_CHROMIUM). Prints times without checking them.
import { chromiumPath } from '../helpers/chromium.ts'
import { followFrontEnd } from './follow.ts'

/** The program that `npm start` runs in each. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  astro: ['dist/server/entry.mjs'],
  next: ['node_modules/next/dist/bin/next', 'start', '--hostname', '127.0.0.1'],
}

const requestedNames = process.argv.slice(2)
const names = Object.keys(PROGRAMS).filter((name) => requestedNames.length === 0 || requestedNames.includes(name))

if (chromiumPath === null) {
  console.error('No Chromium here: install it, or name it in SVC_TEST_CHROMIUM.')
  process.exitCode = 1
} else if (names.length === 0) {
  console.error(`There is no front end ${requestedNames.join(', ')}: there are ${Object.keys(PROGRAMS).join(' and ')}.`)
  process.exitCode = 1
} else {
  for (const name of names) followFrontEnd(name, PROGRAMS[name]!)
}
