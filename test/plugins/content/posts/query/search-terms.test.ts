import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseSearch } from '../../../../../plugins/content/posts/query/search-terms.ts'
import { growsLinearly } from '../../../../helpers/growth.ts'

const search = suite('parseSearch')

search('separates words, phrases and excluded words', () => {
  const { required, excluded } = parseSearch('red "dark  wine" -white -"pale ale"')
  assert.equal(required, ['red', 'dark  wine'])
  assert.equal(excluded, ['white', 'pale ale'])
})

search('returns the whole sentence for ranking', () => {
  assert.is(parseSearch('  The Red\nWine ').sentence, 'The Red Wine')
})

search('distinguishes a single word or phrase from several', () => {
  assert.ok(parseSearch(' wine ').single)
  assert.ok(parseSearch('"red wine"').single)
  assert.not.ok(parseSearch('red wine').single)
  // Common words are not searched for, but they are part of the sentence.
  assert.not.ok(parseSearch('the wine').single)
})

search('leaves out letters and common words next to other words', () => {
  assert.equal(parseSearch('the house of b cards').required, ['house', 'cards'])
})

search('searches for common words as one text if there are no others', () => {
  assert.equal(parseSearch('to be or the').required, ['to be or the'])
})

search('preserves hyphens within a word', () => {
  assert.equal(parseSearch('re-do').required, ['re-do'])
})

search('treats too many words as one text', () => {
  const text = Array.from({ length: 1000 }, (_, index) => `word${index}`).join(' ')
  assert.equal(parseSearch(text).required, [text])
})

search('ignores quotation marks without text', () => {
  assert.equal(parseSearch(' "" ').required, ['""'])
  assert.equal(parseSearch('   ').required, [])
})

search('runs in linear time for hostile input', async () => {
  for (const unit of ['"', '-', '- "', 'a,']) {
    await growsLinearly(unit, (size) => parseSearch(unit.repeat(size / unit.length)))
  }
})

search.run()
