import { readFile, stat } from 'node:fs/promises'
import { parse } from 'uvu/parse'

/** Selects test files. */
export interface Choice {
  /** Selects files whose path contains one of these texts; empty selects all. */
  readonly parts: readonly string[]
  /** `quick`: files of `npm test`; `long`: files named `*.long.test.ts`; `all`: both. */
  readonly kind: 'quick' | 'long' | 'all'
  /** Only files whose suites also run on PostgreSQL. */
  readonly onPostgres: boolean
}

/** File name ending of tests that only `npm run test:long` runs. */
const LONG_TEST_SUFFIX = '.long.test.ts'

/** Test files that run after all others, each in a new process, because other tests would disturb them. */
const ISOLATED: ReadonlySet<string> = new Set([
  // Counts the errors declared in the process; other tests declare more.
  'docs.long.test.ts',
  // Observes garbage collection, which shifts while another process uses the processor.
  'kernel/garbage.long.test.ts',
])

/** Expressions in files whose suites run on several databases; importing `stores.ts` is not sufficient. */
const NAMES_DATABASES = /\b(?:places|stores|databases|kindsOf|postgresPlace|SVC_TEST_POSTGRES)\b(?!\.ts)/

/** Returns the selected test files, the largest first, so that no large file starts last. */
export async function testFiles({ parts, kind, onPostgres }: Choice) {
  const { suites } = await parse('test', /\.test\.ts$/)
  const isChosen = (name: string) =>
    (parts.length === 0 || parts.some((part) => name.includes(part))) &&
    (kind === 'all' || name.endsWith(LONG_TEST_SUFFIX) === (kind === 'long'))
  const chosen = suites.filter(({ name }) => isChosen(name))
  const sized = await Promise.all(chosen.map(async ({ name, file }) => ({ name, file, size: (await stat(file)).size })))
  const files: string[] = []
  for (const { name, file } of sized.toSorted((one, other) => other.size - one.size)) {
    if (!onPostgres || (await isOnPostgres(name, file))) files.push(name)
  }
  return {
    parallel: files.filter((name) => !ISOLATED.has(name)),
    isolated: files.filter((name) => ISOLATED.has(name)),
  }
}

async function isOnPostgres(name: string, file: string): Promise<boolean> {
  return !name.includes('/sqlite/') && NAMES_DATABASES.test(await readFile(file, 'utf8'))
}
