import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RestError } from '../../../../kernel/index.ts'
import { linearPattern } from '../../../../plugins/requests/arguments/linear-pattern.ts'
import { growsLinearly } from '../../../helpers/growth.ts'

const patterns = suite('linearPattern')

patterns('matches anywhere, with both syntaxes of named groups', () => {
  assert.ok(linearPattern('b+').test('abc'))
  assert.not.ok(linearPattern('^b').test('abc'))
  assert.ok(linearPattern('^(?P<id>[\\d]+)$').test('12'))
  assert.ok(linearPattern('^(?<slug>[\\w-]{1,200})$').test('a-b'))
  assert.ok(linearPattern('^\\p{Lu}.$').test('Č👍'))
})

patterns('S29: matches in time linear in the length of the text', async () => {
  for (const source of [
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '(a*)*b',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    'a*a*a*a*b',
    '^(.*a){20}b$',
  ]) {
    await growsLinearly(source, (size) => {
      assert.is(linearPattern(source).test(`${'a'.repeat(size)}!`), false, source)
    })
  }
})

patterns('S29: refuses patterns that need backtracking or are malformed, and names them', () => {
  for (const source of ['(?=a)', '(?<!a)b', '(a)\\1', '(', 'a{2,1}']) {
    assert.throws(
      () => linearPattern(source),
      (error: unknown) =>
        error instanceof RestError && error.code === 'PATTERN_UNSUPPORTED' && error.message.includes(source),
    )
  }
})

patterns.run()
