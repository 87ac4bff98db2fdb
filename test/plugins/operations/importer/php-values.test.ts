import * as fc from 'fast-check'
import { serialize } from 'php-serialize'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mapTexts, readValue, storedValue } from '../../../../plugins/operations/importer/php-values.ts'

const values = suite('PHP values')

values('reads serialized lists, objects and scalars', () => {
  assert.equal(readValue('a:2:{i:0;s:1:"x";i:1;s:5:"héé";}'), ['x', 'héé'])
  assert.equal(readValue('a:2:{s:5:"width";i:5;s:2:"on";b:1;}'), { width: 5, on: true })
  assert.equal(readValue('O:8:"stdClass":1:{s:1:"a";d:0.5;}'), { a: 0.5 })
  assert.equal(
    ['i:7;', 'b:0;', 'N;', 's:3:"a"b";', 'a:0:{}'].map((text) => readValue(text)),
    [7, false, null, 'a"b', []],
  )
})

values('unserializes one layer only', () => {
  assert.is(readValue('s:6:"a:0:{}";'), 'a:0:{}')
})

values('keeps text that only looks serialized', () => {
  const texts = [
    'a:1:{broken',
    'a:2:{i:0;s:1:"x";}',
    'a:1:{i:0;s:1:"x";i:1;s:1:"y";}',
    'i:5; and more',
    'a:0:{} and more;',
    'a:0:{}}',
    'i:5;i:6;}',
    'i:;',
    'd:1.5abc;',
    'd:INF;',
    'a:1:{i:0;R:1;}',
    'b:2;',
    'a:999999999:{i:0;i:1;}',
    'Note: done;',
    '',
  ]
  for (const text of texts) assert.is(readValue(text), text)
})

values('reads lengths that count CR LF line ends', () => {
  assert.equal(readValue('a:1:{i:0;s:4:"a\nb";}'), ['a\r\nb'])
})

values('repairs wrong lengths where the structure is sound', () => {
  const cases: [text: string, value: unknown][] = [
    ['s:9:"short";', 'short'],
    ['s:2:"longer";', 'longer'],
    [
      'a:2:{s:3:"url";s:85:"https://old.example/a.webp";s:4:"name";s:4:"x\ny";}',
      { url: 'https://old.example/a.webp', name: 'x\r\ny' },
    ],
    ['a:1:{s:9:"key";a:1:{i:0;s:1:"a"b";}";}}', { key: ['a"b";}'] }],
    ['a:2:{i:0;s:1:"größe";i:1;s:3:"🌹";}', ['größe', '🌹']],
    ['a:3:{i:0;s:99:"";i:1;s:0:"x";i:2;s:1:"";}', ['', 'x', '']],
    ['a:2:{i:0;s:4:"a\r\nb";i:1;s:3:"c\nd";}', ['a\r\nb', 'c\nd']],
    ['a:2:{i:0;s:3:"a\r\nb";i:1;s:4:"c\nd";}', ['a\r\nb', 'c\r\nd']],
    ['a:1:{s:3:"css";s:9:".a{content:"x";}\n.b{}";}', { css: '.a{content:"x";}\n.b{}' }],
    ['O:8:"stdClass":1:{s:9:"a";d:0.5;}', { a: 0.5 }],
  ]
  for (const [text, value] of cases) {
    const codes: string[] = []
    assert.equal(
      readValue(text, (code) => codes.push(code)),
      value,
      text,
    )
  }
})

values('reports repaired and unreadable values, and only those', () => {
  const reported = (text: string) => {
    const found: string[] = []
    readValue(text, (code, value) => found.push(`${code} ${value}`))
    return found
  }
  assert.equal(reported('s:9:"short";'), ['serialized-lengths s:9:"short";'])
  assert.equal(reported('a:1:{i:0;R:1;}'), ['serialized-broken a:1:{i:0;R:1;}'])
  for (const text of ['a:2:{i:0;s:1:"x";i:1;s:9:"cut o', 's:12:"cut', 'O:3:"Cat":1:{s:1', 'a:1:{'])
    assert.equal(reported(text), [`serialized-broken ${text}`])
  assert.equal(reported('O:4:"Evil":0:{}'), ['serialized-class Evil'])
  for (const text of ['s:5:"short";', 's:4:"a\nb";', 'O:8:"stdClass":0:{}', 'a: text;', 'text']) {
    assert.equal(
      reported(text).filter((one) => !one.startsWith('serialized-broken a: text')),
      [],
      text,
    )
  }
})

values('reads any value whose lengths were changed', () => {
  const text = fc.string({ unit: fc.constantFrom(...'aß🌹"\n x'.split(/(?:)/u)), maxLength: 8 })
  const value = fc.array(
    fc.oneof(
      text,
      fc.integer(),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), text, { minKeys: 1, noNullPrototype: true }),
    ),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  fc.assert(
    fc.property(value, fc.nat(200), (source, length) => {
      const wrong = serialize(source).replace(/s:\d+:"/g, `s:${length}:"`)
      // Lengths that happen to count CR LF restore these line ends.
      const read = JSON.stringify(readValue(wrong)).replaceAll('\\r\\n', '\\n')
      assert.is(read, JSON.stringify(source))
    }),
    { numRuns: 500 },
  )
})

values('reads objects of classes as plain data, with the names of private and protected properties', () => {
  assert.equal(readValue('O:4:"Evil":1:{s:1:"a";i:1;}'), { a: 1 })
  assert.equal(readValue('O:11:"constructor":0:{}'), {})
  assert.equal(readValue('O:3:"Cat":3:{s:4:"name";s:1:"x";s:6:"\0*\0age";i:3;s:9:"\0Cat\0home";N;}'), {
    name: 'x',
    age: 3,
    home: null,
  })
  // A length that does not count the NUL characters, which some exporters remove.
  assert.equal(readValue('O:3:"Cat":1:{s:6:"*age";i:3;}'), { '*age': 3 })
  const texts = ['C:4:"Evil":2:{ab}', 'E:11:"Suit:Hearts";', 'O:4:"Evil":1:{s:9:"__proto__";i:1;}']
  for (const text of texts) assert.is(readValue(text), text)
})

values('keeps hostile nesting and names as text', () => {
  const deep = `${'a:1:{i:0;'.repeat(100_000)}i:1;${'}'.repeat(100_000)}`
  const named = 'a:1:{s:9:"__proto__";a:1:{s:5:"admin";b:1;}}'
  assert.is(readValue(deep), deep)
  assert.is(readValue(named), named)
  assert.is(({} as { admin?: unknown }).admin, undefined)
})

values('reads back any serialized value', () => {
  // The library fails to serialize a key named constructor; reading such a key is tested below.
  const keys = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((key) => !/^(-?\d+|__proto__|constructor)$/.test(key))
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: 'grapheme' }),
      fc.integer(),
      fc.boolean(),
      tie('list'),
      tie('map'),
    ),
    list: fc.array(tie('tree'), { maxLength: 4 }),
    map: fc.dictionary(keys, tie('tree'), { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
  }))
  fc.assert(
    fc.property(tree, (value) => assert.equal(readValue(serialize(value)), value)),
    { numRuns: 200 },
  )
})

values('treats names of Object.prototype members like other keys', () => {
  const read = readValue('a:2:{s:11:"constructor";s:1:"x";s:8:"toString";i:1;}') as Record<string, unknown>
  assert.is(JSON.stringify(read), '{"constructor":"x","toString":1}')
})

values('never throws, and changes only serialized text', () => {
  const text = fc.string({ unit: fc.constantFrom(...'asiObdN:;{}"0123 x'.split('')), maxLength: 40 })
  fc.assert(
    fc.property(text, (source) => void JSON.stringify(readValue(source))),
    { numRuns: 2000 },
  )
})

values('stores scalars as text, lists and objects as JSON', () => {
  assert.equal(storedValue(true), { value: '1', json: 0 })
  assert.equal([false, null].map(storedValue), [
    { value: '', json: 0 },
    { value: '', json: 0 },
  ])
  assert.equal(storedValue(1.5), { value: '1.5', json: 0 })
  assert.equal(storedValue({ a: ['b'] }), { value: '{"a":["b"]}', json: 1 })
})

values('applies a function to every string in a value', () => {
  assert.equal(
    mapTexts({ a: ['x', 1, null, { b: 'x' }] }, (text) => text + '!'),
    { a: ['x!', 1, null, { b: 'x!' }] },
  )
})

values.run()
