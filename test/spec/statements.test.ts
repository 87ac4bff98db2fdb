import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findSpecTests, readStatements } from './statements.ts'

const root = resolve(import.meta.dirname, '../..')
const statements = readStatements().flatMap((section) => section.statements)
const numbers = statements.map(({ number }) => number)
const tests = findSpecTests()

const numbered = suite('statements of the specification')

numbered('have unique numbers, and a text', () => {
  assert.ok(numbers.length > 150)
  assert.equal(
    numbers.filter((number, at) => numbers.indexOf(number) !== at),
    [],
  )
  for (const { number, text } of statements) {
    assert.match(number, /^\d+(?:\.(?:\d+|table|fields|embed|headers|parameters))+$/)
    assert.match(text, /^[A-Z`].*\.$|`$/, number)
  }
})

numbered('name a source file that exists', () => {
  assert.equal(
    statements.filter(({ file }) => !/^(?:kernel|plugins)\/.*\.ts$/.test(file) || !existsSync(resolve(root, file))),
    [],
  )
})

numbered('each have a test whose name begins with the number', () => {
  const tested = new Set(tests.map(({ number }) => number))
  assert.equal(
    numbers.filter((number) => !tested.has(number)),
    [],
  )
})

numbered('are known to every test that names one', () => {
  const known = new Set(numbers)
  assert.equal(
    tests.filter(({ number }) => !known.has(number)),
    [],
  )
})

numbered('are refused with a missing part, and outside of a section', () => {
  assert.throws(() => readStatements('## 1 A\n1.1 | a.ts | text'), /not four parts/)
  assert.throws(() => readStatements('1.1 | a.ts | | Text.'), /in no section/)
})

numbered.run()
