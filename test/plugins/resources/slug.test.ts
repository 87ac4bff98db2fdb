import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeName, encodeName, normalizeSlug, slugify, slugsOfName } from '../../../plugins/resources/slug.ts'

const names = suite('normal form of names')

names('keeps slugs in their stored form, and treats other texts as titles', () => {
  for (const [text, slug] of [
    ['a-b_c', 'a-b_c'],
    ['--A--b-', 'a-b'],
    ['%E4%B8%89', '%e4%b8%89'],
    ['%e4%b8%89-%E4%B8', '%e4%b8%89'],
    ['caf%C3%A9', 'caf%c3%a9'],
    ['%ce%b9%cc%81', '%ce%af'],
    ['%CE%AF', '%ce%af'],
    ['三亚', '%e4%b8%89%e4%ba%9a'],
    ['Größe 1 🎉.html', 'grosse-1-%f0%9f%8e%89-html'],
    ['a%2fb', 'a2fb'],
    ['%ff%fe', ''],
    ['...', ''],
  ] as const)
    assert.is(normalizeSlug(text), slug, text)
})

names('does not change slugs that are normal', () => {
  for (const text of ['三亚 旅行', 'Привет мир', 'नमस्ते', 'x'.repeat(300), '日'.repeat(100), '👩🏽‍🚀 Crème'])
    for (const slug of [slugify(text), normalizeSlug(text)]) assert.is(normalizeSlug(slug), slug)
})

names('is the same for all spellings of a name', () => {
  for (const word of ['ίδιο', '三亚', 'привет', 'şişe', 'ガイド', '안녕']) {
    const encoded = encodeName(word)
    assert.match(encoded, /^(?:[a-z]|%[0-9a-f]{2})+$/)
    for (const other of [word.normalize('NFD'), word.normalize('NFC'), word.toUpperCase(), encoded])
      assert.is(encodeName(other), encoded, other)
    assert.is(decodeName(encoded), word.normalize('NFC'))
  }
  assert.is(encodeName('/A/b c/'), '/a/b%20c/')
  assert.is(encodeName('\0\ud800'), '%00%ef%bf%bd')
})

names('finds the slugs that different software has stored for a name', () => {
  for (const stored of ['cafe', 'caf%c3%a9', 'café', 'cafe%cc%81'])
    assert.ok(slugsOfName('Café').includes(stored), stored)
  assert.equal(slugsOfName('plain-1'), ['plain-1'])
  assert.equal(slugsOfName(''), [])
})

names.run()
