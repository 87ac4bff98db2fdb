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

sources.run()
