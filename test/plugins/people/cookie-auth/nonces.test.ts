import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createNonces } from '../../../../plugins/people/cookie-auth/nonces.ts'

const nonces = suite('nonces')

const KEY = Buffer.alloc(32, 1)
const ANNA = { id: 7, session: 'a' }
const HALF = 43_200_000

/** Nonces that live a day, with a clock that the test moves. */
function start() {
  // In the middle of a tick.
  const clock = { now: 40_000 * HALF + HALF / 2 }
  return { clock, ...createNonces(KEY, 86_400, () => clock.now) }
}

nonces('are valid for two half-lives at most', () => {
  const { clock, create, verify } = start()
  const nonce = create('save', ANNA)
  assert.match(nonce, /^[0-9a-f]{20}$/)
  assert.is(verify(nonce, 'save', ANNA), 1)
  clock.now += HALF
  assert.is(verify(nonce, 'save', ANNA), 2)
  clock.now += HALF
  assert.is(verify(nonce, 'save', ANNA), false)
})

nonces('are valid for one action of one user in one session on one site', () => {
  const { clock, create, verify } = start()
  const nonce = create('save', ANNA)
  assert.is(verify(nonce, 'delete', ANNA), false)
  assert.is(verify(nonce, 'save', { ...ANNA, id: 8 }), false)
  assert.is(verify(nonce, 'save', { ...ANNA, session: 'b' }), false)
  assert.is(verify(nonce, 'save', { id: 7 }), false)
  assert.is(createNonces(Buffer.alloc(32, 2), 86_400, () => clock.now).verify(nonce, 'save', ANNA), false)
})

nonces('are invalid in another spelling', () => {
  const { create, verify } = start()
  const nonce = create('save', ANNA)
  for (const other of ['', nonce.slice(1), `${nonce}0`, ` ${nonce}`, 'é'.repeat(20), '0'.repeat(20)]) {
    if (other !== nonce) assert.is(verify(other, 'save', ANNA), false, other)
  }
})

nonces.run()
