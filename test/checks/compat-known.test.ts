import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { judge, parseKnown, readKnown } from './compat-known.ts'

const known = suite('known differences of recorded plugins')

const LIST = parseKnown(String.raw`# A comment
acf: post # L accounts of users # acf\.user\.
acf: post # D a gallery shows other files # acf\.text
acf: list # L accounts of users # \[\d+\]\.email
acf: write # B a request before it is missing`)

known('explain differences only at the paths that they cover', () => {
  const { kind, reasons, unexplained } = judge(LIST, 'acf: post', ['acf.user.email: a', 'acf.text: b', 'acf.other: c'])
  assert.is(kind, 'different')
  assert.equal(reasons, ['L accounts of users', 'D a gallery shows other files'])
  assert.equal(unexplained, ['acf.other: c'])
  assert.equal(judge(LIST, 'acf: write', ['status: 404']).unexplained, [])
  assert.equal(judge(LIST, 'acf: another', ['status: 404']).unexplained, ['status: 404'])
})

known('count an answer as not copied if all of its differences are leaks', () => {
  const kindOf = (key: string, differences: string[]) => judge(LIST, key, differences).kind
  assert.is(kindOf('acf: list', ['[0].email: ""', '[12].email: ""']), 'not copied')
  assert.is(kindOf('acf: list', ['[0].email: ""', '[0].id: 1']), 'different')
  assert.is(kindOf('acf: post', ['acf.user.email: ""', 'acf.text: ""']), 'different')
  assert.is(kindOf('acf: list', []), 'equal')
})

known('name the lines that explain a difference', () => {
  const used = judge(LIST, 'acf: post', ['acf.text: b']).used.map(({ reason }) => reason)
  assert.equal(used, ['D a gallery shows other files'])
})

known('have a reason, and for leaks the paths', () => {
  assert.throws(() => parseKnown('acf: post'), 'has no reason')
  assert.throws(() => parseKnown('acf: post # because'), 'has no reason')
  assert.throws(() => parseKnown('acf: post # L accounts of users'), 'does not name the paths')
})

known('of the list are valid', async () => {
  const lines = await readKnown(join(import.meta.dirname, '..', 'compat-known.txt'))
  assert.ok(lines.length > 0)
  assert.is(new Set(lines.map(({ line }) => line)).size, lines.length)
})

known.run()
