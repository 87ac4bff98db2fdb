import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const root = join(import.meta.dirname, '../..')
const MAX_STEPS = 10

/** A row of the table: its file and functions. */
interface Step {
  readonly file: string
  readonly functions: readonly string[]
}

const paths = suite('documented path of a request')

for (const page of ['kernel/README.md', 'docs/architecture.md']) {
  paths(`of ${page} has at most ten steps, each called by an earlier one`, async () => {
    const steps = stepsIn(await readFile(join(root, page), 'utf8'))
    assert.ok(steps.length > 5 && steps.length <= MAX_STEPS, `${page} has ${steps.length} steps`)
    let earlier = ''
    for (const { file, functions } of steps) {
      const source = await readFile(join(root, file), 'utf8')
      for (const name of functions) {
        const body = bodyOf(name, source)
        assert.ok(body !== null, `${file} has no function ${name}`)
        const called = new RegExp(`(?<![\\w#])${name.replace('#', '(?:this\\.)?#')}(?=[(,])`)
        assert.ok(earlier === '' || called.test(earlier), `${name} of ${file} is called by no earlier step`)
        earlier += body
      }
    }
  })
}

paths('is the same in both pages', async () => {
  const [readme, architecture] = await Promise.all(
    ['kernel/README.md', 'docs/architecture.md'].map(async (page) => stepsIn(await readFile(join(root, page), 'utf8'))),
  )
  assert.equal(architecture, readme)
})

function stepsIn(page: string): Step[] {
  return [...page.matchAll(/^\| \d+ \| `([^`]+)` \| ([^|]+) \|/gm)].map(([, file, functions]) => ({
    file: file!,
    functions: [...functions!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
  }))
}

/** The lines of a function or method after the first one, as Prettier indents them; null if there is no such function. */
function bodyOf(name: string, source: string): string | null {
  const lines = source.split('\n')
  const start = lines.findIndex((line) =>
    new RegExp(`^(?:export )?(?:async )?function ${name}\\(|^  (?:async |readonly )?${name}(?:\\(| = )`).test(line),
  )
  if (start < 0) return null
  const indent = /^ */.exec(lines[start]!)![0]
  const end = lines.findIndex((line, index) => index > start && line === `${indent}}`)
  return lines.slice(start + 1, end + 1).join('\n')
}

paths.run()
