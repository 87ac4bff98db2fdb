import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openStore } from '../../../plugins/storage/store/open.ts'
import { browse } from '../../helpers/browser.ts'
import { learned } from '../../helpers/learned.ts'
import { serve, type Site } from '../../helpers/site.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../helpers/site-with-users.ts'

// Revocations of credentials by this process, by another one and by the command line.

const BIN = path.resolve(import.meta.dirname, '../../../bin/svc')
const run = promisify(execFile)

/** Returns headers with each kind of Ann's credentials, for a request that only she can make. */
async function credentials(site: Site, id: number) {
  const { applicationPasswords, sessions, sessionCookie, nonces, users } = site.kernel.services
  const { item, password } = await applicationPasswords.create(id, { name: crypto.randomUUID() })
  const session = await sessions.create(id, { ip: '192.0.2.1', agent: '' })
  const user = { ...(await users.current(id))!, session: session.id }
  return {
    item,
    session,
    basic: { authorization: `Basic ${Buffer.from(`ann:${password}`).toString('base64')}` },
    cookie: {
      cookie: `${sessionCookie.name}=${session.token}`,
      'x-svc-nonce': nonces.create('svc_rest', user),
    },
  }
}
type Credentials = Awaited<ReturnType<typeof credentials>>

const ME = '/svc/v2/users/me?context=edit'
const statuses = async (site: Site, { basic, cookie }: Credentials) => [
  (await site.get(ME, basic)).status,
  (await site.get(ME, cookie)).status,
]

/** Ways to revoke credentials, with the responses to both requests afterwards. A nonce is valid in its session only. */
const REVOCATIONS: Record<
  string,
  [act: (site: Site, id: number, issued: Credentials) => Promise<unknown>, after: number[]]
> = {
  'an application password': [
    (site, id, { item }) => site.kernel.services.applicationPasswords.revoke(id, item.uuid),
    [401, 200],
  ],
  'all application passwords': [(site, id) => site.kernel.services.applicationPasswords.revokeAll(id), [401, 200]],
  'a session': [(site, _, { session }) => site.kernel.services.sessions.destroy(session.token), [200, 403]],
  'all sessions': [(site, id) => site.kernel.services.sessions.destroyAll(id), [200, 403]],
  'a password': [(site, id) => site.kernel.services.users.update(id, { password: 'another pass phrase' }), [200, 403]],
  'the user': [(site, id) => site.kernel.services.users.delete(id, null), [401, 403]],
}

for (const { name, place } of databases) {
  const revocations = suite(`revocations on ${name}`)

  /** Serves two sites on one database. */
  const serveTwo = async () => {
    const one = await serveWithUsers(place)
    const config = { database: one.kernel.config.database, home: one.home }
    const other = await serve(config)
    return {
      one,
      other,
      async [Symbol.asyncDispose]() {
        await other[Symbol.asyncDispose]()
        await one[Symbol.asyncDispose]()
      },
    }
  }
  revocations('S21, S40: of passwords, sessions and users reach this process and another one', async () => {
    await using two = await serveTwo()
    const id = two.one.users.ann
    for (const [credential, [revoke, after]] of Object.entries(REVOCATIONS)) {
      const issued = await credentials(two.one, id)
      for (const site of [two.one, two.other]) assert.equal(await statuses(site, issued), [200, 200], credential)
      await revoke(two.one, id, issued)
      assert.equal(await statuses(two.one, issued), after, credential)
      await learned(two.one.store, two.other.store)
      assert.equal(await statuses(two.other, issued), after, credential)
    }
  })

  revocations('S40: of roles reach this process and another one', async () => {
    await using two = await serveTwo()
    const id = two.one.users.ann
    const { basic } = await credentials(two.one, id)
    const writes = async (site: Site) =>
      (
        await site.request('/svc/v2/posts', {
          method: 'POST',
          headers: basic,
          body: new URLSearchParams({ title: 'x' }),
        })
      ).status
    for (const site of [two.one, two.other]) assert.is(await writes(site), 201)
    await two.one.kernel.services.users.update(id, { roles: ['subscriber'] })
    assert.is(await writes(two.one), 403)
    await learned(two.one.store, two.other.store)
    assert.is(await writes(two.other), 403)
  })

  revocations('by the command line reach a running server', async () => {
    await using site: SiteWithUsers = await serveWithUsers(place)
    const issued = await credentials(site, site.users.ann)
    assert.equal(await statuses(site, issued), [200, 200])
    const svc = (...args: string[]) =>
      run(process.execPath, [BIN, 'user', ...args, '--database', site.kernel.config.database])
    await svc('app-password', 'revoke', 'ann', issued.item.uuid)
    const { store } = site
    const otherStore = await openStore(site.kernel.config.database)
    await learned(otherStore, store)
    await otherStore.close()
    assert.equal(await statuses(site, issued), [401, 200])
  })

  revocations('are not undone by concurrent reads', async () => {
    await using site = await serveWithUsers(place)
    const { store } = site
    const { users } = site.kernel.services
    const id = site.users.ann
    const rolesNow = async () => (await users.current(id))?.roles
    await users.current(id)
    let reader = () => {}
    const outside = new Promise<void>((resolve) => (reader = resolve)).then(() => rolesNow())
    await store.transaction(async () => {
      await users.update(id, { roles: ['subscriber'] })
      reader()
      // Other connections still read the old state, without waiting.
      await outside
    })
    assert.equal(await rolesNow(), ['subscriber'])
    await store
      .transaction(async () => {
        await users.update(id, { roles: ['editor'] })
        assert.equal(await rolesNow(), ['editor'])
        throw new Error('taken back')
      })
      .catch(() => {})
    assert.equal(await rolesNow(), ['subscriber'])
  })

  revocations('S18, S22: of sessions by a new password reach every process', async () => {
    await using two = await serveTwo()
    const browser = browse(two.one)
    await browser.logIn('ann', 'pass phrase of ann')
    const nonce = await browser.nonce()
    const statusOnOther = () =>
      two.other.get(ME, { cookie: browser.cookie, 'x-svc-nonce': nonce }).then(({ status }) => status)
    assert.is(await statusOnOther(), 200)
    await two.one.kernel.services.users.update(two.one.users.ann, { password: 'a new pass phrase' })
    await learned(two.one.store, two.other.store)
    assert.is(await statusOnOther(), 403)
  })

  revocations.run()
}
