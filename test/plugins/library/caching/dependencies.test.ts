import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Dependencies } from '../../../../plugins/library/caching/dependencies.ts'
import { stopClock } from '../../../helpers/clock.ts'

const dependencies = suite('Dependencies')

dependencies('pass the expiry of a part to the whole, even if it has passed', () => {
  using clock = stopClock()
  const part = new Dependencies()
  part.cacheUntil(Date.now() + 1000)
  clock.advance(2000)
  const [joined, included] = [new Dependencies(), new Dependencies()]
  part.join(joined)
  included.include(part)
  for (const whole of [joined, included]) assert.ok(whole.until <= Date.now())
})

dependencies('use the earliest future time and the latest past time', () => {
  using _ = stopClock()
  const now = Date.now()
  const whole = new Dependencies()
  const part = new Dependencies(whole)
  for (const time of [now + 3000, now + 2000, now + 4000, now - 5, now - 1, now - 3, Infinity]) part.cacheUntil(time)
  for (const noted of [part, whole]) assert.equal([noted.until, noted.since], [now + 2000, now - 1])
})

dependencies('refuse an expiry that is not a number', () => {
  const noted = new Dependencies()
  noted.cacheUntil(Date.now() + 1000)
  noted.cacheUntil(Number.NaN)
  assert.match(noted.refusal!, 'not a number')
  assert.not(Number.isNaN(noted.until))
})

dependencies('expire failures after a minute, ± 20%', () => {
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

dependencies('pass the refusal of a part to the whole, but not as its own', () => {
  const whole = new Dependencies()
  new Dependencies(whole).refuse('a part')
  assert.equal([whole.refusal, whole.refusesItself], ['a part', false])
  whole.refuse('itself')
  assert.ok(whole.refusesItself)
})

dependencies('allow storing the whole if only the part is refused', () => {
  const whole = new Dependencies()
  new Dependencies(whole).refusePart('too little room')
  assert.equal([whole.refusal, whole.partRefusal], [null, 'too little room'])
})

dependencies.run()
