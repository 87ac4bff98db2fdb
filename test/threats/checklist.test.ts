import { glob, readFile } from 'node:fs/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

/** How many threats the list has. */
const THREATS = 58
const GUIDE = 'docs/guides/threats.md'

const checklist = suite('list of threats')

/** Names of suites and tests: a text between quotes that a function follows, or that ends the call. */
const NAMES = /\b[a-z]\w*\(\s*(['`])((?:(?!\1).)*)\1\s*(?:,\s*(?:async )?\(|\))/g
/** Files that run their tests against each database do so by one of these lists. */
const BOTH = /\bof (?:databases|places|stores)\b/

/** Numbers that names of tests carry, by file. */
async function numbersByFile(): Promise<Map<string, Set<number>>> {
  const found = new Map<string, Set<number>>()
  for await (const file of glob('test/**/*.test.ts')) {
    const names = [...(await readFile(file, 'utf8')).matchAll(NAMES)].map(([, , name = '']) => name)
    const numbers = names.flatMap((name) => [...name.matchAll(/\bS(\d{1,2})\b/g)].map(([, number]) => Number(number)))
    found.set(file.replaceAll('\\', '/'), new Set(numbers))
  }
  return found
}

/** The rows of the guide's table. */
async function rows(): Promise<{ number: number; both: boolean; files: string[] }[]> {
  const lines = (await readFile(GUIDE, 'utf8')).split('\n').filter((line) => /^\| S\d+ \|/.test(line))
  return lines
    .map((line) => {
      const [number = '', , databases = '', tests = ''] = line.slice(2, -2).split(' | ')
      return { number, databases, tests }
    })
    .map(({ number, databases, tests }) => ({
      number: Number(number.slice(1)),
      both: databases.trim() === 'both',
      files: [...tests.matchAll(/\]\([^)]+\/blob\/HEAD\/([^)]+)\)/g)].map(([, path = '']) => path),
    }))
}

checklist('each has a row in the guide, in their order', async () => {
  const numbers = (await rows()).map(({ number }) => number)
  assert.equal(
    numbers,
    Array.from({ length: THREATS }, (_, index) => index + 1),
  )
})

checklist('each has tests, and the guide names tests that are there and carry the number', async () => {
  const byFile = await numbersByFile()
  for (const { number, files } of await rows()) {
    assert.ok(files.length > 0, `S${number} names no test`)
    for (const file of files) assert.ok(byFile.get(file)?.has(number), `${file} has no test named S${number}`)
  }
})

checklist('those that the store matters to are tested on both databases', async () => {
  for (const { number, both, files } of await rows()) {
    if (!both) continue
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
    assert.ok(
      texts.some((text) => BOTH.test(text)),
      `S${number} has no test on both databases`,
    )
  }
})

checklist('no test carries a number that is on no list', async () => {
  for (const [file, numbers] of await numbersByFile()) {
    for (const number of numbers) assert.ok(number >= 1 && number <= THREATS, `S${number} in ${file}`)
  }
})

checklist.run()
