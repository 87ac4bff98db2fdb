import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { memoize } from '../../../../plugins/library/long-work/index.ts'

const memory = suite('memoize')

/** A memoized function that records its actual calls. */
function createMemoized(characters: number) {
  const calls: string[] = []
  const upper = memoize((text) => {
    calls.push(text)
    return text.toUpperCase()
  }, characters)
  return { calls, upper }
}

memory('calls the function once for recent texts', () => {
  const { calls, upper } = createMemoized(8)
  // Four one-letter texts and their results fill the cache.
  const inputs = 'abcdaeabcde'.split('')
  assert.is(inputs.map(upper).join(''), 'ABCDAEABCDE')
  assert.is(calls.join(''), 'abcdebcde')
})

memory('does not cache a text that would fill much of the cache', () => {
  const { calls, upper } = createMemoized(8)
  upper('long')
  upper('long')
  assert.equal(calls, ['long', 'long'])
})

memory.run()
