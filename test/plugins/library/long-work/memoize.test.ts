import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { memoize } from '../../../../plugins/library/long-work/index.ts'

const memory = suite('memoize')

/** A memoized function that records its actual calls. */
function createMemoized(characters: number) {
  const made: string[] = []
  const upper = memoize((text) => {
    made.push(text)
    return text.toUpperCase()
  }, characters)
  return { made, upper }
}

memory('calls the function once for recent texts', () => {
  const { made, upper } = createMemoized(8)
  // Four one-letter texts and their results fill the cache.
  const inputs = 'abcdaeabcde'.split('')
  assert.is(inputs.map(upper).join(''), 'ABCDAEABCDE')
  assert.is(made.join(''), 'abcdebcde')
})

memory('does not cache a text that would fill much of the cache', () => {
  const { made, upper } = createMemoized(8)
  upper('long')
  upper('long')
  assert.equal(made, ['long', 'long'])
})

memory.run()
