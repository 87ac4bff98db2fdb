import { glob, readFile } from 'node:fs/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const THREAT_COUNT = 58
const GUIDE = 'docs/guides/threats.md'

const checklist = suite('threat checklist')

/** Suite and test names: a quoted string followed by a function, or the only argument of a call. */
const NAMES = /\b[a-z]\w*\(\s*(['`])((?:(?!\1).)*)\1\s*(?:,\s*(?:async )?\(|\))/g
/** Loops over the databases in test files that run on SQLite and PostgreSQL. */
const BOTH = /\bof (?:databases|places|stores)\b/

/** Returns the threat numbers in suite and test names, by file. */
async function numbersByFile(): Promise<Map<string, Set<number>>> {
  const byFile = new Map<string, Set<number>>()
  for await (const file of glob('test/**/*.test.ts')) {
    const names = [...(await readFile(file, 'utf8')).matchAll(NAMES)].map(([, , name = '']) => name)
    const numbers = names.flatMap((name) => [...name.matchAll(/\bS(\d{1,2})\b/g)].map(([, number]) => Number(number)))
    byFile.set(file.replaceAll('\\', '/'), new Set(numbers))
  }
  return byFile
}

/** Parses the table of the guide. */
async function parseRows(): Promise<{ number: number; both: boolean; files: string[] }[]> {
  const lines = (await readFile(GUIDE, 'utf8')).split('\n').filter((line) => /^\| S\d+ \|/.test(line))
  return lines
    .map((line) => {
      const [number = '', , databases = '', tests = ''] = line.slice(2, -2).split(' | ')
      return { number, databases, tests }
    })
    .map(({ number, databases, tests }) => ({
      number: Number(number.slice(1)),
      both: databases.trim() === 'both',
      files: [...tests.matchAll(/\]\(\.\.\/\.\.\/([^)]+)\)/g)].map(([, path = '']) => path),
    }))
}

checklist('has one row per threat, in numerical order', async () => {
  const numbers = (await parseRows()).map(({ number }) => number)
  assert.equal(
    numbers,
    Array.from({ length: THREAT_COUNT }, (_, index) => index + 1),
  )
})

checklist('links each threat to existing tests with its number in their names', async () => {
  const byFile = await numbersByFile()
  for (const { number, files } of await parseRows()) {
    assert.ok(files.length > 0, `S${number} links to no test`)
    for (const file of files)
      assert.ok(byFile.get(file)?.has(number), `${file} has no test with S${number} in its name`)
  }
})

checklist('links each threat marked "both" to a test that runs on SQLite and PostgreSQL', async () => {
  for (const { number, both, files } of await parseRows()) {
    if (!both) continue
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
    assert.ok(
      texts.some((text) => BOTH.test(text)),
      `S${number} links to no test that runs on both databases`,
    )
  }
})

checklist('lists every threat number that a test name contains', async () => {
  for (const [file, numbers] of await numbersByFile()) {
    for (const number of numbers)
      assert.ok(number >= 1 && number <= THREAT_COUNT, `S${number} in ${file} is not in the table`)
  }
})

checklist.run()
