import { createHmac } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { hash as bcrypt } from '@node-rs/bcrypt'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startKernel, completeConfig, type Kernel } from '../../../../bin/config/index.ts'
import { definePlugin } from '../../../../kernel/index.ts'
import passwordsPlugin, { type Passwords } from '../../../../plugins/people/passwords/index.ts'

const passwords = suite('passwords')

/** Starts the service without a site. */
async function start(): Promise<{ service: Passwords } & AsyncDisposable> {
  const config = completeConfig({ log: 'silent' }, '/')
  const kernel: Kernel = await startKernel({
    config,
    defaults: [passwordsPlugin, definePlugin({ name: 'none', apply() {} })],
  })
  return { service: kernel.services.passwords, [Symbol.asyncDispose]: () => kernel.close() }
}

passwords('match their own hash only', async () => {
  await using site = await start()
  const hash = await site.service.hash('correct horse')
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.is(await site.service.verify('correct horse', hash), true)
  assert.is(await site.service.verify('correct Horse', hash), false)
  assert.is(site.service.needsRehash(hash), false)
})

passwords('match in every Unicode normal form', async () => {
  await using site = await start()
  const hash = await site.service.hash('caf\u00e9')
  assert.is(await site.service.verify('cafe\u0301', hash), true)
})

passwords('match no text that is not a hash', async () => {
  await using site = await start()
  for (const hash of ['', 'secret', '$2y$10$short', '$P$B', '$P$~abcdefgh', '$argon2id$v=19$m=1,t=1,p=1$a$b']) {
    assert.is(await site.service.verify('secret', hash), false, hash)
    assert.is(site.service.needsRehash(hash), true, hash)
  }
})

passwords('match bcrypt hashes in every variant', async () => {
  await using site = await start()
  // Test vectors of crypt_blowfish, which is in the public domain.
  const vector = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'
  for (const version of ['$2a$', '$2b$', '$2y$']) {
    const hash = vector.replace('$2a$', version)
    assert.is(await site.service.verify('U*U', hash), true, version)
    assert.is(await site.service.verify('U*V', hash), false, version)
    assert.is(site.service.needsRehash(hash), true, version)
  }
})

passwords('match bcrypt hashes of an HMAC of the password', async () => {
  await using site = await start()
  const long = 'x'.repeat(100)
  const prepared = createHmac('sha384', 'wp-sha384').update(long).digest('base64')
  const hash = `$wp${(await bcrypt(prepared, 4)).replace('$2b$', '$2y$')}`
  assert.is(await site.service.verify(long, hash), true)
  assert.is(await site.service.verify(` ${long} `, hash), true)
  // Characters after the 72nd byte count.
  assert.is(await site.service.verify(`${'x'.repeat(99)}y`, hash), false)
  assert.is(site.service.needsRehash(hash), true)
})

passwords('match portable hashes', async () => {
  await using site = await start()
  // The test vector of Openwall's framework, which is in the public domain.
  const vector = '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0'
  assert.is(await site.service.verify('test12345', vector), true)
  assert.is(await site.service.verify('test12345', vector.replace('$P$', '$H$')), true)
  assert.is(await site.service.verify('test12346', vector), false)
  assert.is(site.service.needsRehash(vector), true)
})

passwords('match no hash with excessive cost', async () => {
  await using site = await start()
  // The maximum number of rounds takes longer than any refusal.
  const slowVerification = site.service.verify('U*U', '$P$IIQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0').then(() => 'still busy')
  const endless = ['$2y$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', '$P$SIQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0']
  const refused = Promise.all(endless.map((hash) => site.service.verify('U*U', hash)))
  assert.equal(await Promise.race([refused, slowVerification]), [false, false])
  await slowVerification
})

passwords('are hashed without blocking the event loop', async () => {
  await using site = await start()
  const hashes = [
    '$2y$12$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    '$P$DIQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0',
    '',
  ]
  for (const hash of hashes) {
    let turns = 0
    let busy = true
    const count = async () => {
      while (busy) {
        turns += 1
        await nextTurn()
      }
    }
    const counting = count()
    await site.service.verify('U*U', hash)
    busy = false
    await counting
    assert.ok(turns >= 5, `${hash || 'dummy'} left ${turns} turns`)
  }
})

passwords.run()
