import { mock } from 'node:test'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LoginAttempts } from '../../../../plugins/people/login-attempts/login-attempts.ts'
import { stores } from '../../../helpers/stores.ts'

const LIMIT = { tries: 3, window: 90 }

for (const kind of stores) {
  const attempts = suite(`login attempts on ${kind.name}`)

  /** Starts a limit with a clock that the test moves. */
  const start = async () => {
    const opened = await kind.open()
    mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 })
    const limit = () => new LoginAttempts(opened.store, LIMIT, { warn: () => {} })
    const close = () => {
      mock.timers.reset()
      return opened[Symbol.asyncDispose]()
    }
    return {
      opened,
      limit,
      pass: (milliseconds: number) => mock.timers.tick(milliseconds),
      [Symbol.asyncDispose]: close,
    }
  }
  const waitsOf = async (attempt: () => Promise<number>, times: number) => {
    const waits: number[] = []
    for (let at = 0; at < times; at += 1) waits.push(await attempt())
    return waits
  }

  attempts('are refused after a few failures of an address, until the window ends', async () => {
    await using there = await start()
    const limit = there.limit()
    assert.equal(await waitsOf(() => limit.consume('login:anna', '192.0.2.1'), 5), [0, 0, 0, 90, 90])
    there.pass(89_000)
    assert.is(await limit.consume('login:anna', '192.0.2.1'), 1)
    there.pass(1000)
    assert.equal(await waitsOf(() => limit.consume('login:anna', '192.0.2.1'), 4), [0, 0, 0, 90])
  })

  attempts('do not count earlier failures after a success', async () => {
    await using there = await start()
    const limit = there.limit()
    await waitsOf(() => limit.consume('login:anna', '192.0.2.1'), 3)
    await limit.recordSuccess('login:anna', '192.0.2.1')
    assert.equal(await waitsOf(() => limit.consume('login:anna', '192.0.2.1'), 4), [0, 0, 0, 90])
  })

  attempts('do not count successful log-ins', async () => {
    await using there = await start()
    const limit = there.limit()
    for (let at = 0; at < 30; at += 1) {
      assert.is(await limit.consume('login:anna', '192.0.2.1'), 0)
      await limit.recordSuccess('login:anna', '192.0.2.1')
    }
  })

  attempts('are limited per address for all subjects together', async () => {
    await using there = await start()
    const limit = there.limit()
    let number = 0
    const waits = await waitsOf(() => limit.consume(`login:user${(number += 1)}`, '192.0.2.1'), 13)
    assert.equal(waits, [...Array.from({ length: 12 }, () => 0), 90])
    assert.is(await limit.consume('login:anna', '192.0.2.2'), 0)
  })

  attempts('S22: are limited per account for unknown addresses, not for known ones', async () => {
    await using there = await start()
    const limit = there.limit()
    assert.is(await limit.consume('login:1', '198.51.100.7'), 0)
    await limit.recordSuccess('login:1', '198.51.100.7')
    const waits: number[] = []
    for (let at = 1; at <= 40; at += 1) waits.push(await limit.consume('login:1', `192.0.2.${at}`))
    assert.is(waits.filter((wait) => wait === 0).length, 12)
    assert.ok((await limit.consume('login:1', '198.51.100.8')) > 0)
    // Another process also recognizes the address: the owner can mistype a password once and then log in.
    const other = there.limit()
    assert.equal(
      [await limit.isKnown('login:1', '198.51.100.7'), await other.isKnown('login:1', '198.51.100.7')],
      [true, true],
    )
    assert.equal(
      [await limit.isKnown('login:1', '198.51.100.8'), await limit.isKnown('login:2', '198.51.100.7')],
      [false, false],
    )
    assert.equal(await waitsOf(() => other.consume('login:1', '198.51.100.7', true), 4), [0, 0, 0, 90])
    assert.is(await limit.consume('login:2', '192.0.2.1'), 0)
  })

  attempts('count in full again for an address that was not used for long', async () => {
    await using there = await start()
    const limit = there.limit()
    await limit.recordSuccess('login:1', '192.0.2.1')
    there.pass(89 * 86_400_000)
    assert.is(await limit.isKnown('login:1', '192.0.2.1'), true)
    there.pass(2 * 86_400_000)
    assert.is(await limit.isKnown('login:1', '192.0.2.1'), false)
  })

  attempts('do not count if they are given back', async () => {
    await using there = await start()
    const limit = there.limit()
    for (let at = 0; at < 20; at += 1) {
      assert.is(await limit.consume('login:1', '192.0.2.1'), 0)
      await limit.refund('login:1', '192.0.2.1')
    }
    assert.equal(await waitsOf(() => limit.consume('login:1', '192.0.2.1'), 4), [0, 0, 0, 90])
  })

  attempts('are limited for all networks of an IPv6 /48 network together', async () => {
    await using there = await start()
    const limit = there.limit()
    const waits: number[] = []
    for (let at = 0; at < 60; at += 1)
      waits.push(await limit.consume(`login:${at}`, `2001:db8:7:${at.toString(16)}::1`))
    assert.is(waits.filter((wait) => wait === 0).length, 48)
    assert.is(await limit.consume('login:99', '2001:db8:8::1'), 0)
  })

  attempts('count if they are concurrent', async () => {
    await using there = await start()
    const limit = there.limit()
    const waits = await Promise.all(Array.from({ length: 50 }, () => limit.consume('login:anna', '192.0.2.1')))
    assert.is(waits.filter((wait) => wait === 0).length, 3)
  })

  attempts('do not count for account and network if they are refused, also concurrently', async () => {
    await using there = await start()
    const limit = there.limit()
    await Promise.all(Array.from({ length: 50 }, () => limit.consume('login:anna', '192.0.2.1')))
    await waitsOf(() => limit.consume('login:anna', '192.0.2.1'), 50)
    assert.is(await limit.consume('login:bert', '192.0.2.1'), 0)
    assert.is(await limit.consume('login:anna', '192.0.2.2'), 0)
  })

  attempts('cannot be given back more often than they were counted', async () => {
    await using there = await start()
    const limit = there.limit()
    await limit.consume('login:anna', '192.0.2.1')
    there.pass(90_000)
    for (let at = 0; at < 5; at += 1) await limit.refund('login:anna', '192.0.2.1')
    assert.equal(await waitsOf(() => limit.consume('login:anna', '192.0.2.1'), 4), [0, 0, 0, 90])
  })

  attempts('S40: share their counts with other processes', async () => {
    await using there = await start()
    const [one, other] = [there.limit(), there.limit()]
    await waitsOf(() => one.consume('login:anna', '192.0.2.1'), 3)
    assert.ok((await other.consume('login:anna', '192.0.2.1')) > 0)
  })

  attempts('from one network count together', async () => {
    await using there = await start()
    const limit = there.limit()
    const addresses = ['2001:db8::1', '2001:db8:0:0:ffff::2', '2001:0db8::3', '2001:DB8::4']
    const waits: number[] = []
    for (const address of addresses) waits.push(await limit.consume('login:anna', address))
    assert.equal(waits, [0, 0, 0, 90])
    assert.is(await limit.consume('login:anna', '2001:db8:0:1::1'), 0)
  })

  attempts('store no text of a subject', async () => {
    await using there = await start()
    await there.limit().consume('login:my password', '192.0.2.1')
    const rows = await there.opened.store.all(there.opened.store.db.selectFrom('attempts').selectAll())
    assert.is(rows.length, 3, 'one for the address, one for the login, one for both')
    assert.not.match(JSON.stringify(rows), /password|192/)
  })

  attempts('write nothing for a right secret in check', async () => {
    await using there = await start()
    const limit = there.limit()
    const waits = await waitsOf(() => limit.check('post:1', '192.0.2.1', true), 10)
    assert.equal([...new Set(waits)], [0])
    assert.equal(await there.opened.store.all(there.opened.store.db.selectFrom('attempts').selectAll()), [])
  })

  attempts('do not reveal a right secret after too many failures, also in another process', async () => {
    await using there = await start()
    const [one, other] = [there.limit(), there.limit()]
    assert.equal(await waitsOf(() => one.check('post:1', '192.0.2.1', false), 4), [0, 0, 0, 90])
    assert.is(await one.check('post:1', '192.0.2.1', true), 90)
    assert.is(await other.check('post:1', '192.0.2.1', true), 90)
    assert.is(await one.check('post:1', '192.0.2.2', true), 0)
    there.pass(90_000)
    assert.is(await other.check('post:1', '192.0.2.1', true), 0)
  })

  attempts('of one IP address are checked in their order', async () => {
    await using there = await start()
    const limit = there.limit()
    const guesses = [...Array.from({ length: 10 }, () => false), true]
    const waits = await Promise.all(guesses.map((right) => limit.check('post:1', '192.0.2.1', right)))
    assert.equal([waits.filter((wait) => wait === 0).length, waits.at(-1)], [3, 90])
  })

  attempts('have their expired rows removed', async () => {
    await using there = await start()
    const limit = there.limit()
    await limit.consume('login:anna', '192.0.2.1')
    there.pass(700_000)
    await limit.consume('login:bert', '192.0.2.2')
    const rows = await there.opened.store.all(there.opened.store.db.selectFrom('attempts').selectAll())
    assert.is(rows.length, 3)
  })

  attempts.run()
}
