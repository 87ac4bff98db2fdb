import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { orderAsGiven } from '../../../../plugins/storage/store/index.ts'

const order = suite('orderAsGiven')

const rows = [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]
const idsOf = (list: readonly { id: number }[]) => list.map(({ id }) => id)
const byId = ({ id }: { id: number }) => id

order('sorts rows in the order of the list', () => {
  assert.equal(idsOf(orderAsGiven(rows, [3, 1, 4, 2], byId)), [3, 1, 4, 2])
  assert.equal(idsOf(orderAsGiven(rows, [3, 1, 4, 2], byId, 'desc')), [2, 4, 1, 3])
})

order('uses the first of equal values, and puts rows without a value last', () => {
  assert.equal(idsOf(orderAsGiven(rows, [4, 2, 4], byId)), [4, 2, 1, 3])
})

order('does not modify its argument', () => {
  orderAsGiven(rows, [4, 3, 2, 1], byId)
  assert.equal(idsOf(rows), [1, 2, 3, 4])
})

order.run()
