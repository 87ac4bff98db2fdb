import { serialize } from 'php-serialize'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { phpToJson, serializePhp, unserializePhp } from '../../../../plugins/library/php/index.ts'

const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  2.5,
  1e21,
  -1.5e-9,
  '',
  'é "x"; s:3:',
  [],
  [1, [2, ['three']]],
  { a: [1, 2.5, true, null], b: { c: '' }, 7: false, list: [] },
  { '-5': 'x', '01': 'y', '9007199254740993': 'z' },
]

const php = suite('values of PHP')

php('are read as they were written', () => {
  for (const value of VALUES) {
    const read = unserializePhp(serializePhp(value))
    assert.ok(read, JSON.stringify(value))
    assert.equal(phpToJson(read.value), value)
    assert.not(read.peculiarities.hasWrongLength)
  }
})

php('are written as php-serialize writes them', () => {
  for (const value of VALUES) {
    if (typeof value === 'number' && !Number.isInteger(value)) continue
    const text = JSON.stringify(value)
    // The package writes all keys of objects as texts, and large numbers without an exponent.
    if (/"-?\d+":|e\+21/.test(text)) continue
    assert.is(serializePhp(value), serialize(value), text)
  }
})

php('have keys that are integers, unless PHP keeps them as texts', () => {
  assert.is(serializePhp({ 5: 'x', a: 1 }), 'a:2:{i:5;s:1:"x";s:1:"a";i:1;}')
  assert.is(serializePhp({ '01': 1, '-5': 2 }), 'a:2:{s:2:"01";i:1;i:-5;i:2;}')
})

php('are written with converted texts', () => {
  assert.is(
    serializePhp({ ab: ['b'] }, (text) => text.toUpperCase()),
    'a:1:{s:2:"AB";a:1:{i:0;s:1:"B";}}',
  )
})

php('are undefined if a key would change the prototype of an object', () => {
  assert.is(unserializePhp('a:2:{s:9:"__proto__";i:1;s:1:"a";i:2;}'), undefined)
})

php.run()
