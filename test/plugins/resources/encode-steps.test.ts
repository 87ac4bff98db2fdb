import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { atOnce } from '../../../plugins/library/long-work/index.ts'
import { encodeSteps } from '../../../plugins/resources/encode-steps.ts'

const bodies = suite('encodeSteps')

bodies('produces the same JSON as JSON.stringify', () => {
  const values = [
    null,
    [],
    {},
    [undefined, () => 1, Number.NaN, -0, 'é"\u2028'],
    { a: undefined, b: [{}], c: new Date(0), d: { toJSON: () => ({ e: 1 }) }, '"': [[[[[[[[[['deep']]]]]]]]]] },
    [['x'.repeat(70_000)], { y: 'y'.repeat(140_000) }],
    Object.create(null) as object,
    new Map([[1, 2]]),
  ]
  for (const value of values)
    assert.is(Buffer.concat(atOnce(encodeSteps(value))).toString(), JSON.stringify(value), JSON.stringify(value))
})

bodies.run()
