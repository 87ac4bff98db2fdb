// npm run clients [-- NAME…]: tests unmodified third-party clients of the REST API against a site, installed by the lock file of
// this folder. Needs the npm registry, and Chromium (SVC_TEST_CHROMIUM) for clients that run in pages.
import { run } from '../checks/server.ts'

const NAMES = ['wpapi', 'api-fetch', 'wordpress-api-client', 'fluent', 'request-utils', 'core-data']

const requestedNames = process.argv.slice(2)
const unknown = requestedNames.filter((name) => !NAMES.includes(name))
if (unknown.length > 0) {
  console.error(`There is no client ${unknown.join(', ')}: there are ${NAMES.join(', ')}.`)
  process.exitCode = 1
} else {
  const quiet = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', ['ci', ...quiet], import.meta.dirname)
  for (const name of requestedNames.length === 0 ? NAMES : requestedNames) await import(`./${name}.ts`)
}
