import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const sources = suite('source files')
const root = resolve(import.meta.dirname, '..')

sources('are short: none has more than 450 lines, few more than 300, half of them at most 100', async () => {
  const files = globSync('{kernel,plugins,bin}/**/*.ts', { cwd: root })
  const counted = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(resolve(root, file), 'utf8')
      return { file, lines: text.split('\n').length - 1 }
    }),
  )
  const lengths = counted.map(({ lines }) => lines).toSorted((a, b) => a - b)
  assert.ok(lengths.length > 400, 'the files are found')
  assert.equal(
    counted.filter(({ lines }) => lines > 450),
    [],
  )
  const long = counted.filter(({ lines }) => lines > 300)
  assert.ok(long.length <= files.length * 0.05, JSON.stringify(long))
  assert.ok(lengths[Math.floor(lengths.length / 2)]! <= 100)
})

/** Words that say how much, how far or when, but not of what: no constant has one of them alone as its name. */
const WORDS_WITHOUT_NOUN = new Set(
  'AGAIN BRIEFLY CLOSE DEEPEST EARLY ENOUGH EVERY FAR FAST FEW FIRST FRESH HIGHEST KEPT LARGE LAST LATE LATER LEAST LESS LONG LONGEST LOWEST MANY MORE MOST NEAR NEW NEXT OFTEN OLD OVER QUICK QUIET RARE REMEMBERED SHORT SHORTEST SLOW SMALL SOON TOGETHER USUAL WIDEST'.split(
    ' ',
  ),
)

/** Constants of a module whose name is one word, with their values. */
const CONSTANTS = /^(?:export )?const ([A-Z][A-Z0-9]*)(?:: [^=\n]*)? = (.*)$/gm
const NUMBER = /^[-\d][\w .*/+<()-]*$/

sources('name constants with a noun, and numbers with a unit or what they count', async () => {
  const found: string[] = []
  for (const file of globSync('{kernel,plugins,bin,test/kit}/**/*.ts', { cwd: root })) {
    if (file.includes('/assets/')) continue
    const text = await readFile(resolve(root, file), 'utf8')
    for (const [, name = '', value = ''] of text.matchAll(CONSTANTS))
      if (WORDS_WITHOUT_NOUN.has(name) || NUMBER.test(value)) found.push(`${file}: ${name}`)
  }
  assert.equal(found, [])
})

/** Files with object literals that have getters: each is created once, when its plugin starts. */
const GETTERS_AT_START = [
  'plugins/people/roles/index.ts',
  'plugins/rendering/shortcodes/index.ts',
  'plugins/site/editor/index.ts',
]

sources('create objects with getters by classes: V8 gives each such literal a hidden class of its own', async () => {
  const files = globSync('{kernel,plugins,bin}/**/*.ts', { cwd: root }).filter((file) => !file.includes('/assets/'))
  const found: string[] = []
  for (const file of files) {
    // Getters of classes are indented by two spaces, as classes are declared in modules.
    if (/^ {4,}get \w+\(\)/m.test(await readFile(resolve(root, file), 'utf8'))) found.push(file)
  }
  assert.equal(found.toSorted(), GETTERS_AT_START)
})

/** Programs that are no part of `npm test`, and this file, which has samples. */
const OTHERS = /^test\/(?:source-files|audit|bench|checks|clients|editor|front-ends|newcomer|webhooks-killed)[/.]/

/** Calls of `setTimeout` that tests need, by file: how many there are, and why none of them waits in vain. */
const TIMERS: Readonly<Record<string, readonly [calls: number, reason: string]>> = {
  'test/bin/watch-load.long.test.ts': [1, 'a plugin in another process waits for a file'],
  'test/bin/watch.long.test.ts': [1, 'a plugin in another process waits for a file'],
  'test/bin/watch-files.long.test.ts': [1, 'a watching process prints nothing where nothing is restarted'],
  'test/bin/stops.long.test.ts': [1, 'a process is stopped at a random moment'],
  'test/fixtures/young-objects.ts': [1, 'objects grow old between two collections'],
  'test/helpers/event-source.ts': [1, 'a client connects again after a pause, as browsers do'],
  'test/helpers/until.ts': [1, 'the pace of until()'],
  'test/plugins/operations/change-feed/processes.long.test.ts': [1, 'the pace of a client that polls'],
  'test/plugins/foundation/jobs/processes.long.test.ts': [
    1,
    'jobs of other processes last longer than the shortest lease',
  ],
  'test/plugins/site/admin/pages/two-editors.test.ts': [1, 'a limit for a request whose counterpart never comes'],
  'test/plugins/storage/store/plugin-migrations.long.test.ts': [
    1,
    'the process is killed in the middle of a migration',
  ],
  'test/plugins/storage/store/shared-database.long.test.ts': [
    1,
    'a transaction lasts long enough that other processes meet it',
  ],
}

sources('of tests sleep nowhere: they wait for events, or advance a stopped clock', async () => {
  const files = globSync('test/**/*.ts', { cwd: root }).filter((file) => !OTHERS.test(file))
  assert.ok(files.length > 400, 'the files are found')
  const found: Record<string, number> = {}
  for (const file of files) {
    const calls = sleeps(await readFile(resolve(root, file), 'utf8'))
    if (calls > 0) found[file] = calls
  }
  const allowed = Object.fromEntries(Object.entries(TIMERS).map(([file, [calls]]) => [file, calls]))
  const help =
    'Wait for the event itself in place of a time: a promise that the handler resolves, a line of the log, until(), a later ' +
    'event that comes behind what must not happen, or stopClock() and advance() of test/helpers/clock.ts. If none of them ' +
    'can be had, add the file to TIMERS with the reason.'
  assert.equal(found, allowed, help)
})

sources('of tests start Chromium by useChromium alone, which skips tests on machines without it', async () => {
  const files = globSync('test/**/*.test.ts', { cwd: root }).filter((file) => !OTHERS.test(file))
  const starting: string[] = []
  for (const file of files) {
    if (/\bstartChromium\b|\bchromium\.launch\b/.test(await readFile(resolve(root, file), 'utf8'))) starting.push(file)
  }
  assert.equal(starting, [])
})

sources('know a sleep by whatever name it is imported', () => {
  const imported = (name: string) => `import { ${name} } from 'node:timers/promises'\n`
  assert.is(sleeps('await new Promise((resolve) => setTimeout(resolve, 5))'), 1)
  assert.is(sleeps(`${imported('setTimeout as delay')}await delay(5)\nawait delay(TIME)`), 2)
  assert.is(sleeps(`${imported('setTimeout as nap, setImmediate as turn')}await nap(5)`), 1)
  assert.is(sleeps(`${imported('setTimeout as delay')}await delay(60_000, undefined, { signal })`), 0)
  assert.is(sleeps(`${imported('setImmediate as turn')}await turn()\nclearTimeout(timer)`), 0)
})

/** How many calls of `setTimeout`, by whatever name, wait for a time that no signal ends. */
function sleeps(text: string): number {
  const alias = /import \{[^}]*\bsetTimeout as (\w+)[^}]*\} from 'node:timers\/promises'/.exec(text)?.[1]
  const call = new RegExp(
    `(?<!\\.)\\b(?:setTimeout${alias === undefined ? '' : `|${alias}`})\\((?![^\\n]*\\{ signal \\})`,
    'g',
  )
  return text.match(call)?.length ?? 0
}

sources.run()
