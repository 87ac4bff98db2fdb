import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { IdMap, IdSequence, UsedIds } from '../../../../plugins/operations/importer/id-map.ts'

const idMap = suite('id map')

idMap('returns the same values as a Map', () => {
  const ids = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 2 ** 32 - 1 }))
  fc.assert(
    fc.property(fc.array(fc.tuple(ids, ids), { maxLength: 3000 }), (pairs) => {
      const map = new IdMap()
      for (const [key, value] of pairs) map.set(key, value)
      const expected = new Map(pairs)
      assert.is(map.size, expected.size)
      for (const [key, value] of expected) assert.is(map.get(key), value)
    }),
    { numRuns: 50 },
  )
})

idMap('returns 0 for a key that was not set', () => {
  assert.is(new IdMap().get(5), 0)
  assert.throws(() => new IdMap().set(0, 1), RangeError)
})

idMap('keeps requested IDs that are free', () => {
  const numbering = new IdSequence(0)
  const free = new UsedIds()
  assert.equal(
    [7, 7, 0, 3].map((id) => numbering.next(id, free)),
    [7, 8, 9, 3],
  )
})

idMap('keeps requested IDs that are free in a table with rows of the same site', () => {
  const numbering = new IdSequence(40, true)
  const free = new Set([7, 41, 42])
  assert.equal(
    [7, 8, 42, 41].map((id) => numbering.next(id, free)),
    [7, 41, 42, 43],
  )
})

idMap('continues above the highest ID if the table was not empty', () => {
  const numbering = new IdSequence(40)
  assert.equal(
    [7, 0, 41].map((id) => numbering.next(id, new UsedIds())),
    [41, 42, 43],
  )
})

idMap.run()
