import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseSearch } from '../../../../../plugins/content/posts/query/search-terms.ts'
import { growsLinearly } from '../../../../helpers/growth.ts'

const search = suite('search terms')

search('takes words, phrases and excluded words apart', () => {
  const { required, excluded } = parseSearch('red "dark  wine" -white -"pale ale"')
  assert.equal(required, ['red', 'dark  wine'])
  assert.equal(excluded, ['white', 'pale ale'])
})

search('keeps the sentence for the ranking', () => {
  assert.is(parseSearch('  The Red\nWine ').sentence, 'The Red Wine')
})

search('tells a single word or phrase from several', () => {
  assert.ok(parseSearch(' wine ').single)
  assert.ok(parseSearch('"red wine"').single)
  assert.not.ok(parseSearch('red wine').single)
  // Common words are not looked for, but they are part of the sentence.
  assert.not.ok(parseSearch('the wine').single)
})

search('leaves out letters and common words that stand among others', () => {
  assert.equal(parseSearch('the house of b cards').required, ['house', 'cards'])
})

search('takes common words whole when there is nothing else', () => {
  assert.equal(parseSearch('to be or the').required, ['to be or the'])
})

search('keeps a hyphen within a word', () => {
  assert.equal(parseSearch('re-do').required, ['re-do'])
})

search('looks for too many words as one text', () => {
  const text = Array.from({ length: 1000 }, (_, index) => `word${index}`).join(' ')
  assert.equal(parseSearch(text).required, [text])
})

search('finds nothing to look for in marks alone', () => {
  assert.equal(parseSearch(' "" ').required, ['""'])
  assert.equal(parseSearch('   ').required, [])
})

search('takes time in proportion to hostile texts', async () => {
  for (const unit of ['"', '-', '- "', 'a,']) {
    await growsLinearly(unit, (size) => parseSearch(unit.repeat(size / unit.length)))
  }
})

search.run()
