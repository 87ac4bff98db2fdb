import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { editJson } from '../../../../plugins/library/markup/index.ts'

const test = suite('editJson')

const edit = (json: string, change: (value: never) => unknown) => {
  const before = JSON.parse(json) as never
  return editJson(json, before, change(before))
}
type Values = Record<string, unknown>

/** Members of an object in forms that `JSON.stringify` would not write. */
const UNUSUAL = [
  String.raw`"url":"http:\/\/old.example\/"`,
  String.raw`"html" : "\u003cb\u003e \u002d\u002d \u0026"`,
  String.raw`"name":"\u00e9\ud83d\ude00 \\\" \t"`,
  String.raw`"k\u0065y":1`,
  '"number": 1.0',
  '"exponent":1e3',
  '"negative":-0',
  '"big":12345678901234567890',
  '"twice":"first\\/"',
  '"twice": [ 1 ,  2.50 ]',
  '"nested"\t:\n{ "b" : 2.0 , "a" : { } , "b" : [ ] }',
  '"7":true',
  '"3":null',
] as const

test('keeps the bytes of everything that is the same', () => {
  for (const spaces of [
    ['', ','],
    [' ', ' , '],
    ['\n\t', ',\r\n  '],
  ] as const) {
    const json = `${spaces[0]}{${spaces[0]}${UNUSUAL.join(spaces[1])}${spaces[0]}}${spaces[0]}`
    assert.is(
      edit(json, (value) => value),
      json,
    )
    for (const place of [0, 5, UNUSUAL.length]) {
      const with_ = (id: string) =>
        `${spaces[0]}{${UNUSUAL.toSpliced(place, 0, `"id" : ${id}`).join(spaces[1])}${spaces[0]}}${spaces[0]}`
      assert.is(
        edit(with_('5'), (value: Values) => ({ ...value, id: 1005 })),
        with_('1005'),
      )
    }
  }
})

test('changes items of lists and members of nested objects in place', () => {
  const json = '{"a": [ 1.0 , {"b":[ 2e0,3]} ] , "c":"\\u0041"}'
  const changed = edit(json, (value: { a: [number, { b: number[] }] }) => {
    const [one, { b }] = value.a
    return { ...value, a: [one, { b: [b[0], 7] }] }
  })
  assert.is(changed, '{"a": [ 1.0 , {"b":[ 2e0,7]} ] , "c":"\\u0041"}')
})

test('writes a list of another length and a value of another type again', () => {
  assert.is(
    edit('{"a": [1, 2], "b":1.0}', (value: Values) => ({ ...value, a: [2] })),
    '{"a": [2], "b":1.0}',
  )
  assert.is(
    edit('{"a": [1, 2], "b":1.0}', (value: Values) => ({ ...value, a: { x: 1 } })),
    '{"a": {"x":1}, "b":1.0}',
  )
  assert.is(
    edit(' 1 ', () => 2),
    ' 2 ',
  )
})

test('removes and appends members', () => {
  const json = '{ "a":1.0 , "b":2 , "a":3.0, "c":{} }'
  assert.is(
    edit(json, ({ b, c }: Values) => ({ b, c })),
    '{ "b":2 , "c":{} }',
  )
  assert.is(
    edit(json, (value: Values) => ({ ...value, d: '/' })),
    '{ "a":1.0 , "b":2 , "a":3.0, "c":{} ,"d":"/"}',
  )
  assert.is(
    edit('{ }', () => ({ a: 1 })),
    '{"a":1}',
  )
  assert.is(
    edit('{"__proto__":{"a":1},"b":1.0}', ({ b }: Values) => ({ b })),
    '{"b":1.0}',
  )
})

test('changes the last of several members with the same key, which is the one that counts', () => {
  assert.is(
    edit('{"id":1,"id":2}', (value: Values) => ({ ...value, id: 3 })),
    '{"id":1,"id":3}',
  )
})

test('escapes slashes of new texts if the old text does', () => {
  const json = String.raw`{"a":"http:\/\/old.example","b":"x"}`
  assert.is(
    edit(json, (value: Values) => ({ ...value, b: 'y/z' })),
    json.replace('"x"', String.raw`"y\/z"`),
  )
  assert.is(
    edit('{"b":"x"}', (value: Values) => ({ ...value, b: 'y/z' })),
    '{"b":"y/z"}',
  )
})

test.run()
