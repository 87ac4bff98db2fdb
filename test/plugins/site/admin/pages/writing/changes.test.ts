import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { changesOf, type Change } from '../../../../../../plugins/site/admin/pages/writing/changes.ts'
import { growsLinearly } from '../../../../../helpers/growth.ts'

const changes = suite('changes between two texts')

changes('are lines, and words in changed lines', () => {
  const before = 'one\ntwo words here\nthree\n'
  const after = 'one\ntwo other words\nthree\nfour\n'
  const [found = []] = changesOf([[before, after]])
  assert.equal(
    found.filter(({ kind }) => kind !== 'same').map(({ kind, text: words }) => [kind, words.trim()]),
    [
      ['added', 'other'],
      ['removed', 'here'],
      ['added', 'four'],
    ],
  )
  const [tags = []] = changesOf([['<p>old</p>', '<p>new</p>']])
  assert.equal(
    tags.map(({ kind, text }) => [kind, text]),
    [
      ['same', '<p>'],
      ['removed', 'old'],
      ['added', 'new'],
      ['same', '</p>'],
    ],
  )
})

changes('contain both texts in full, for any pair of texts', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '<', '>', 'é'), maxLength: 60 })
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { maxLength: 4 }), (pairs) => {
      changesOf(pairs).forEach((found, index) => assert.equal(textsOf(found), pairs[index]))
    }),
  )
})

changes('mark a few changed lines in a text of a megabyte', () => {
  const before = Array.from({ length: 60_000 }, (_, line) => `line ${line}\n`)
  const after = before.with(10, 'another\n').with(50_000, 'line 50000 continues\n')
  const [found = []] = changesOf([[before.join(''), after.join('')]])
  assert.equal(
    found.filter(({ kind }) => kind !== 'same').map(({ kind, text }) => [kind, text]),
    [
      ['removed', 'line 10'],
      ['added', 'another'],
      ['added', ' continues'],
    ],
  )
})

const numbered = (mark: string, count: number, end: string) =>
  Array.from({ length: count }, (_, index) => `${mark}${index}${end}`).join('')

changes('are whole texts once the budget of the page is spent', () => {
  const pair = [numbered('a', 2000, '\n'), numbered('b', 2000, '\n')] as const
  const [large = [], small = []] = changesOf([pair, ['one two', 'one three']])
  assert.equal(textsOf(large), pair)
  assert.is(large.length, 2)
  assert.equal(
    small.map(({ kind, text }) => [kind, text]),
    [
      ['removed', 'one two'],
      ['added', 'one three'],
    ],
  )
})

/** Pairs of adversarial texts of about this length. */
const HOSTILE: Readonly<Record<string, (size: number) => [string, string][]>> = {
  'all lines differ': (size) => [[numbered('a', size / 8, '\n'), numbered('b', size / 8, '\n')]],
  'all words of a line differ': (size) => [[numbered('a', size / 8, ' '), numbered('b', size / 8, ' ')]],
  'many lines in which all words differ': (size) =>
    Array.from({ length: size / 800 }, () => [numbered('a', 100, ' '), numbered('b', 100, ' ')]),
  'equal lines between pairs of changed lines': (size) => [
    [numbered('same\na a a ', size / 30, '\n'), numbered('same\nb b b ', size / 30, '\n')],
  ],
  'short lines behind and before others': (size) => [
    ['\n'.repeat(size / 2) + numbered('a', size / 16, '\n'), numbered('b', size / 16, '\n') + '\n'.repeat(size / 2)],
  ],
  'two kinds of lines': (size) => [['a\nb\n'.repeat(size / 8) + 'a\n'.repeat(size / 4), 'b\na\na\n'.repeat(size / 6)]],
  'long lines that differ at their end': (size) => [
    [numbered('a'.repeat(1000), size / 1000, '\n'), numbered('a'.repeat(1000), size / 1000, 'b\n')],
  ],
  brackets: (size) => [['<'.repeat(size), '<a>'.repeat(size / 3)]],
  spaces: (size) => [[' '.repeat(size), ' a'.repeat(size / 2)]],
}

changes('take time in proportion to the length of hostile texts', async () => {
  for (const [name, make] of Object.entries(HOSTILE))
    await growsLinearly(name, (size) => changesOf(make(size)), 400_000)
})

/** Restores the two texts from their changes. */
function textsOf(found: readonly Change[]): [string, string] {
  const join = (other: Change['kind']) =>
    found
      .filter(({ kind }) => kind !== other)
      .map(({ text }) => text)
      .join('')
  return [join('added'), join('removed')]
}

changes.run()
