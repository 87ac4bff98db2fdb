import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { plainPhp, readPhp, writePhp } from '../../../plugins/compat/php-values.ts'

const phpValues = suite('values of PHP')

const read = (text: string) => {
  const value = readPhp(text)
  return value === undefined ? undefined : plainPhp(value)
}

phpValues('are read as they were written', () => {
  const value = { a: [1, 2.5, true, null, 'é "x"; s:3:'], b: { c: '' }, 7: false, list: [] }
  assert.equal(read(writePhp(value)), value)
  assert.is(writePhp({ 5: 'x', a: 1 }), 'a:2:{i:5;s:1:"x";s:1:"a";i:1;}')
})

phpValues('keep the order of numeric keys', () => {
  const choices = readPhp('a:2:{i:2024;s:4:"2024";i:2023;s:4:"2023";}') as ReadonlyMap<string, string>
  assert.equal([...choices.keys()], ['2024', '2023'])
  assert.is(writePhp(choices), 'a:2:{i:2024;s:4:"2024";i:2023;s:4:"2023";}')
})

phpValues('are read in spite of wrong lengths of texts', () => {
  assert.equal(read('a:2:{s:3:"url";s:9:"https://new.example/x";s:1:"n";i:5;}'), { url: 'https://new.example/x', n: 5 })
  assert.equal(read('s:40:"short";'), 'short')
})

phpValues('are undefined if they are malformed or have a class', () => {
  for (const text of [
    '',
    'x',
    'a:1:{i:0;',
    'a:2:{i:0;i:1;}',
    'i:1;i:2;',
    'O:8:"stdClass":0:{}',
    's:3:"abc',
    'i:x;',
    'a:1e9:{',
  ])
    assert.is(read(text), undefined, text)
  assert.is(read(`${'a:1:{i:0;'.repeat(200)}i:1;${'}'.repeat(200)}`), undefined)
})

phpValues.run()
