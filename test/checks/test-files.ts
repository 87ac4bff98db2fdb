import { hash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { parse } from 'uvu/parse'

/**
 * Test files that run in a process of their own, after all others: what other files leave in the memory of a process, or
 * do to the machine, would disturb them. Few, for they wait.
 */
const ALONE: readonly string[] = [
  // Counts the errors that are declared in the process; other tests declare more.
  'docs.test.ts',
  // Looks at which garbage is collected when; a neighbour that takes the processor shifts that.
  'kernel/garbage.test.ts',
]

/** Files that take longer than their size tells: they start servers and wait for them, or try much at random. The longest first. */
const LONG: readonly string[] = [
  'audit/audit.test.ts',
  'bin/workers.test.ts',
  'bin/workers-together.test.ts',
  'staleness/staleness.test.ts',
  'plugins/storage/changes/soundness.test.ts',
  'kernel/rest/fragments-same.test.ts',
  'bin/serve.test.ts',
  'plugins/operations/change-feed/processes.test.ts',
  'plugins/operations/webhooks/processes.test.ts',
  'plugins/operations/webhooks/attacks.test.ts',
  'plugins/operations/webhooks/receivers.test.ts',
  'plugins/operations/webhooks/commands.test.ts',
  'plugins/operations/trace/browser.test.ts',
  'plugins/operations/change-feed/browser.test.ts',
  'plugins/people/login/login.test.ts',
]

const placeOf = (name: string) => (LONG.includes(name) ? LONG.indexOf(name) : LONG.length)

/** What a file says that knows of more databases than one. */
const OF_DATABASES = /\b(?:places|stores|databases|postgres\w*)\b/i

/**
 * The test files whose path holds one of the parts (all without parts), the longest first so that none starts last.
 * @param onPostgres only those that run on PostgreSQL, in an order that this text draws: where time is short, other texts
 * begin with other files
 */
export async function testFiles(parts: readonly string[], onPostgres?: string) {
  const { suites } = await parse('test', /\.test\.ts$/)
  const chosen = suites.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)))
  const sized = await Promise.all(chosen.map(async ({ name, file }) => ({ name, file, size: (await stat(file)).size })))
  const files = sized.toSorted((one, other) => placeOf(one.name) - placeOf(other.name) || other.size - one.size)
  const isAlone = ({ name }: { name: string }) => ALONE.includes(name)
  const sideBySide = files.filter((file) => !isAlone(file))
  if (onPostgres === undefined) return { sideBySide: names(sideBySide), alone: names(files.filter(isAlone)) }
  const texts = await Promise.all(sideBySide.map(({ file }) => readFile(file, 'utf8')))
  const known = sideBySide.filter(({ name }, at) => OF_DATABASES.test(texts[at]!) && !name.includes('/sqlite/'))
  const lot = ({ name }: { name: string }) => hash('sha256', onPostgres + name)
  return { sideBySide: names(known.toSorted((one, other) => (lot(one) < lot(other) ? -1 : 1))), alone: [] }
}

const names = (files: readonly { name: string }[]) => files.map(({ name }) => name)
