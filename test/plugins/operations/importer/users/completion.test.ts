import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve } from '../../../../helpers/site.ts'
import { stores } from '../../../../helpers/stores.ts'
import { createImporter, everything, rows, siteFile } from '../importing.ts'
import { noteLines } from '../../../../../plugins/operations/importer/report.ts'

/** A default site, whose rules for user input apply to the import. */
const site = await serve()
const importInto = createImporter(site)

for (const kind of stores) {
  const test = suite(`accounts that a site file completes: ${kind.name}`)

  test('get the values of a later site file if they have no password', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await importInto(store)
    await store.run(store.db.updateTable('users').set({ email: 'mine@new.test' }).where('login', '=', 'rosa'))
    const site = await siteFile()
    const report = await importInto(store, { site })
    const rosa = (await rows(store, 'users')).find(({ login }) => login === 'rosa')!
    assert.equal(
      [rosa.id, rosa.name, rosa.email, rosa.url, rosa.password_hash],
      [1, 'Rosa G.', 'mine@new.test', 'https://new.test/rosa', 'hash of thorn'],
    )
    const meta = (await rows(store, 'user_meta')).filter(({ user_id }) => user_id === 1)
    assert.equal(meta.map(({ key, value }) => `${key}=${value}`).sort(), [
      'description=Grows roses.',
      'first_name=Rosa',
      'last_name=Gardener',
      'likes=bees',
      'likes=roses',
      'nickname=Rosie',
      'prefs={"dark":true}',
      'roles=["administrator"]',
      'town=Ghent',
    ])
    assert.is((await rows(store, 'application_passwords')).length, 1)
    assert.ok(noteLines(report).some((note) => /1 × account without a password; .*\(rosa\)/.test(note)))
    const before = await everything(store)
    const again = await importInto(store, { site })
    assert.equal(await everything(store), before)
    assert.ok(noteLines(again).some((note) => /2 × account in use; unchanged.*\(rosa, visitor\)/.test(note)))
  })

  test('keep their values if they can log in, and roles that were changed on the site', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await importInto(store)
    const { db } = store
    await store.run(db.updateTable('users').set({ password_hash: 'mine' }).where('login', '=', 'rosa'))
    await store.run(
      db.updateTable('user_meta').set({ value: '["author"]' }).where('user_id', '=', 2).where('key', '=', 'roles'),
    )
    const users = [
      { login: 'rosa', role: 'administrator', password: 'thorn', bio: 'x', meta: { town: 'Ghent' } },
      { login: 'gardener', role: 'editor', password: 'rake' },
    ]
    await importInto(store, { site: { users } })
    assert.equal(
      (await rows(store, 'users'))
        .filter(({ id }) => id < 3)
        .map((row) => row.password_hash)
        .sort(),
      ['hash of rake', 'mine'],
    )
    const meta = (await rows(store, 'user_meta')).filter(({ key, user_id }) => key === 'roles' && user_id < 3)
    assert.equal(meta.map(({ user_id, value }) => `${user_id} ${value}`).sort(), ['1 ["subscriber"]', '2 ["author"]'])
    assert.not.ok((await rows(store, 'user_meta')).some(({ key }) => key === 'town'))
  })

  test.after(async () => {
    if (kind === stores.at(-1)) await site[Symbol.asyncDispose]()
  })

  test.run()
}
