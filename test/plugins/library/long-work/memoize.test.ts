import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { memoize } from '../../../../plugins/library/long-work/index.ts'

const memory = suite('remembered texts')

/** A function that notes what it is really called with. */
function noting(characters: number) {
  const made: string[] = []
  const upper = memoize((text) => {
    made.push(text)
    return text.toUpperCase()
  }, characters)
  return { made, upper }
}

memory('are made once, as long as they were asked for lately', () => {
  const { made, upper } = noting(8)
  // Four texts of one letter fill it, with what was made of them.
  const asked = 'abcdaeabcde'.split('')
  assert.is(asked.map(upper).join(''), 'ABCDAEABCDE')
  assert.is(made.join(''), 'abcdebcde')
})

memory('are not kept where one would fill much of the memory', () => {
  const { made, upper } = noting(8)
  upper('long')
  upper('long')
  assert.equal(made, ['long', 'long'])
})

memory.run()
