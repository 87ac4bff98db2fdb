import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { orderAsGiven } from '../../../../plugins/storage/store/index.ts'

const order = suite('order as given')

const rows = [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]
const idsOf = (list: readonly { id: number }[]) => list.map(({ id }) => id)
const byId = ({ id }: { id: number }) => id

order('is that of the list which names the rows', () => {
  assert.equal(idsOf(orderAsGiven(rows, [3, 1, 4, 2], byId)), [3, 1, 4, 2])
  assert.equal(idsOf(orderAsGiven(rows, [3, 1, 4, 2], byId, 'desc')), [2, 4, 1, 3])
})

order('counts the first of equal names, and puts last what has none', () => {
  assert.equal(idsOf(orderAsGiven(rows, [4, 2, 4], byId)), [4, 2, 1, 3])
})

order('leaves the rows that it is given as they are', () => {
  orderAsGiven(rows, [4, 3, 2, 1], byId)
  assert.equal(idsOf(rows), [1, 2, 3, 4])
})

order.run()
