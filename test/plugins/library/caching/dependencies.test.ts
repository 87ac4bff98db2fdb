import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Dependencies } from '../../../../plugins/library/caching/dependencies.ts'
import { stopClock } from '../../../helpers/clock.ts'

const dependencies = suite('what is noted about a response')

dependencies('a part keeps its time for the whole, also once that has passed', () => {
  using clock = stopClock()
  const part = new Dependencies()
  part.keepUntil(Date.now() + 1000)
  clock.advance(2000)
  const [joined, included] = [new Dependencies(), new Dependencies()]
  part.join(joined)
  included.include(part)
  for (const whole of [joined, included]) assert.ok(whole.until <= Date.now())
})

dependencies('the earliest time counts, and the latest that has passed', () => {
  using _ = stopClock()
  const now = Date.now()
  const whole = new Dependencies()
  const part = new Dependencies(whole)
  for (const time of [now + 3000, now + 2000, now + 4000, now - 5, now - 1, now - 3, Infinity]) part.keepUntil(time)
  for (const noted of [part, whole]) assert.equal([noted.until, noted.since], [now + 2000, now - 1])
})

dependencies('a time that is not a number is not stored', () => {
  const noted = new Dependencies()
  noted.keepUntil(Date.now() + 1000)
  noted.keepUntil(Number.NaN)
  assert.match(noted.refusal!, 'not a number')
  assert.not(Number.isNaN(noted.until))
})

dependencies('a failure is stored for a minute, give or take a fifth', () => {
  using _ = stopClock()
  const times = Array.from({ length: 200 }, () => {
    const noted = new Dependencies()
    noted.addFailure()
    return noted.until - Date.now()
  })
  assert.ok(Math.min(...times) >= 48_000)
  assert.ok(Math.max(...times) <= 72_000)
  assert.ok(Math.max(...times) - Math.min(...times) > 10_000)
})

dependencies('a refusal of a part is one of the whole, and not one of its own', () => {
  const whole = new Dependencies()
  new Dependencies(whole).refuse('a part')
  assert.equal([whole.refusal, whole.refusesItself], ['a part', false])
  whole.refuse('itself')
  assert.ok(whole.refusesItself)
})

dependencies('what is refused as a part may be stored as a whole', () => {
  const whole = new Dependencies()
  new Dependencies(whole).refusePart('too little room')
  assert.equal([whole.refusal, whole.partRefusal], [null, 'too little room'])
})

dependencies.run()
