import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRateLimiter } from '../../../../plugins/people/rate-limit/rate-limiter.ts'
import { stores } from '../../../helpers/stores.ts'

const LIMIT = { tries: 3, window: 90 }

for (const kind of stores) {
  const attempts = suite(`attempts: ${kind.name}`)

  /** The limit on a clock that the test moves. */
  const start = async () => {
    const opened = await kind.open()
    const clock = { now: 1_800_000_000_000 }
    const limit = () => createRateLimiter(opened.store, LIMIT, () => clock.now)
    return { opened, clock, limit, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
  }
  const takeMany = async (take: () => Promise<number>, times: number) => {
    const waits: number[] = []
    for (let at = 0; at < times; at += 1) waits.push(await take())
    return waits
  }

  attempts('lets an address fail a few times, then once in a while', async () => {
    await using there = await start()
    const { take } = there.limit()
    assert.equal(await takeMany(() => take('login:anna', '192.0.2.1'), 5), [0, 0, 0, 30, 30])
    there.clock.now += 29_000
    assert.is(await take('login:anna', '192.0.2.1'), 1)
    there.clock.now += 1000
    assert.equal(await takeMany(() => take('login:anna', '192.0.2.1'), 2), [0, 30])
    there.clock.now += 90_000
    assert.equal(await takeMany(() => take('login:anna', '192.0.2.1'), 4), [0, 0, 0, 30])
  })

  attempts('forgets what failed once the secret was right', async () => {
    await using there = await start()
    const { take, succeeded } = there.limit()
    await takeMany(() => take('login:anna', '192.0.2.1'), 3)
    await succeeded('login:anna', '192.0.2.1')
    assert.equal(await takeMany(() => take('login:anna', '192.0.2.1'), 4), [0, 0, 0, 30])
  })

  attempts('does not count users who log in again and again', async () => {
    await using there = await start()
    const { take, succeeded } = there.limit()
    for (let at = 0; at < 30; at += 1) {
      assert.is(await take('login:anna', '192.0.2.1'), 0)
      await succeeded('login:anna', '192.0.2.1')
    }
  })

  attempts('lets one address fail only so often, whatever it tries', async () => {
    await using there = await start()
    const { take } = there.limit()
    let number = 0
    const waits = await takeMany(() => take(`login:user${(number += 1)}`, '192.0.2.1'), 13)
    assert.equal(waits, [...Array.from({ length: 12 }, () => 0), 7])
    assert.is(await take('login:anna', '192.0.2.2'), 0)
  })

  attempts('S22: slows a crowd down that tries one account, and not who was let in from there before', async () => {
    await using there = await start()
    const { take, knows, succeeded } = there.limit()
    assert.is(await take('login:1', '198.51.100.7'), 0)
    await succeeded('login:1', '198.51.100.7')
    const waits: number[] = []
    for (let at = 1; at <= 40; at += 1) waits.push(await take('login:1', `192.0.2.${at}`))
    assert.is(waits.filter((wait) => wait === 0).length, 12)
    assert.ok((await take('login:1', '198.51.100.8')) > 0)
    // As another process knows it, too: the owner may mistype, and is let in.
    const other = there.limit()
    assert.equal([await knows('login:1', '198.51.100.7'), await other.knows('login:1', '198.51.100.7')], [true, true])
    assert.equal([await knows('login:1', '198.51.100.8'), await knows('login:2', '198.51.100.7')], [false, false])
    assert.equal(await takeMany(() => other.take('login:1', '198.51.100.7', true), 4), [0, 0, 0, 30])
    assert.is(await take('login:2', '192.0.2.1'), 0)
  })

  attempts('forgets an address from which nobody came for long', async () => {
    await using there = await start()
    const { knows, succeeded } = there.limit()
    await succeeded('login:1', '192.0.2.1')
    there.clock.now += 89 * 86_400_000
    assert.is(await knows('login:1', '192.0.2.1'), true)
    there.clock.now += 2 * 86_400_000
    assert.is(await knows('login:1', '192.0.2.1'), false)
  })

  attempts('does not count what was not tried after all', async () => {
    await using there = await start()
    const { take, giveBack } = there.limit()
    for (let at = 0; at < 20; at += 1) {
      assert.is(await take('login:1', '192.0.2.1'), 0)
      await giveBack('login:1', '192.0.2.1')
    }
    assert.equal(await takeMany(() => take('login:1', '192.0.2.1'), 4), [0, 0, 0, 30])
  })

  attempts('has a limit for the networks of one network of 48 bits together', async () => {
    await using there = await start()
    const { take } = there.limit()
    const waits: number[] = []
    for (let at = 0; at < 60; at += 1) waits.push(await take(`login:${at}`, `2001:db8:7:${at.toString(16)}::1`))
    assert.is(waits.filter((wait) => wait === 0).length, 48)
    assert.is(await take('login:99', '2001:db8:8::1'), 0)
  })

  attempts('counts attempts that are made at once', async () => {
    await using there = await start()
    const { take } = there.limit()
    const waits = await Promise.all(Array.from({ length: 50 }, () => take('login:anna', '192.0.2.1')))
    assert.is(waits.filter((wait) => wait === 0).length, 3)
  })

  attempts('S40: counts what another process counted', async () => {
    await using there = await start()
    const [one, other] = [there.limit(), there.limit()]
    await takeMany(() => one.take('login:anna', '192.0.2.1'), 3)
    assert.ok((await other.take('login:anna', '192.0.2.1')) > 0)
  })

  attempts('takes the addresses of one network for one client', async () => {
    await using there = await start()
    const { take } = there.limit()
    const addresses = ['2001:db8::1', '2001:db8:0:0:ffff::2', '2001:0db8::3', '2001:DB8::4']
    const waits: number[] = []
    for (const address of addresses) waits.push(await take('login:anna', address))
    assert.equal(waits, [0, 0, 0, 30])
    assert.is(await take('login:anna', '2001:db8:0:1::1'), 0)
  })

  attempts('keeps no text of what was tried', async () => {
    await using there = await start()
    await there.limit().take('login:my password', '192.0.2.1')
    const rows = await there.opened.store.all(there.opened.store.db.selectFrom('attempts').selectAll())
    assert.is(rows.length, 3, 'one for the address, one for the login, one for both')
    assert.not.match(JSON.stringify(rows), /password|192/)
  })

  attempts('writes nothing of a secret that was compared and right', async () => {
    await using there = await start()
    const { check } = there.limit()
    const waits = await takeMany(() => check('post:1', '192.0.2.1', true), 10)
    assert.equal([...new Set(waits)], [0])
    assert.equal(await there.opened.store.all(there.opened.store.db.selectFrom('attempts').selectAll()), [])
  })

  attempts('tells nobody of a right secret who has failed too often, also with another process', async () => {
    await using there = await start()
    const [one, other] = [there.limit(), there.limit()]
    assert.equal(await takeMany(() => one.check('post:1', '192.0.2.1', false), 4), [0, 0, 0, 30])
    assert.is(await one.check('post:1', '192.0.2.1', true), 30)
    assert.is(await other.check('post:1', '192.0.2.1', true), 30)
    assert.is(await one.check('post:1', '192.0.2.2', true), 0)
    there.clock.now += 30_000
    assert.is(await other.check('post:1', '192.0.2.1', true), 0)
  })

  attempts('checks those of one IP address in their order', async () => {
    await using there = await start()
    const { check } = there.limit()
    const guesses = [...Array.from({ length: 10 }, () => false), true]
    const waits = await Promise.all(guesses.map((right) => check('post:1', '192.0.2.1', right)))
    assert.equal([waits.filter((wait) => wait === 0).length, waits.at(-1)], [3, 30])
  })

  attempts('removes rows that count no more', async () => {
    await using there = await start()
    const { take } = there.limit()
    await take('login:anna', '192.0.2.1')
    there.clock.now += 700_000
    await take('login:bert', '192.0.2.2')
    const rows = await there.opened.store.all(there.opened.store.db.selectFrom('attempts').selectAll())
    assert.is(rows.length, 3)
  })

  attempts.run()
}
