import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve } from '../../../../helpers/site.ts'
import { stores } from '../../../../helpers/stores.ts'
import { createImporter, byId, rows, siteFile } from '../importing.ts'
import { noteLines } from '../../../../../plugins/operations/importer/report.ts'

/** A default site, whose rules for user input apply to the import. */
const site = await serve()
const importInto = createImporter(site)

for (const kind of stores) {
  const test = suite(`users of an import: ${kind.name}`)

  test('get roles, passwords and profiles', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await importInto(store, { site: await siteFile() })
    const users = await byId(store, 'users')
    assert.equal([...users.values()].map(({ login }) => login).sort(), ['gardener', 'guest', 'rosa', 'visitor'])
    const rosa = users.get(1)
    assert.equal(
      [rosa?.name, rosa?.url, rosa?.registered, rosa?.password_hash, users.get(2)?.password_hash],
      ['Rosa', 'https://new.test/rosa', '2020-01-02 01:04:05', 'hash of thorn', ''],
    )
    const meta = (await rows(store, 'user_meta'))
      .filter(({ user_id }) => user_id === 1)
      .sort((one, other) => one.id - other.id)
    assert.equal(
      meta.map(({ key, value }) => `${key}=${value}`),
      [
        'roles=["administrator"]',
        'first_name=Rosa',
        'last_name=G.',
        'nickname=Rosie',
        'description=Grows roses.',
        'town=Ghent',
        'likes=roses',
        'likes=bees',
        'prefs={"dark":true}',
      ],
    )
    assert.equal(
      (await rows(store, 'application_passwords')).map(({ hash, scopes }) => [hash, scopes]),
      [['app hash of abcd efgh', '["accounts"]']],
    )
    const options = new Map((await rows(store, 'options')).map(({ name, value }) => [name, JSON.parse(value)]))
    assert.equal(Object.fromEntries(options), {
      title: 'Our Garden',
      description: 'Notes &amp; roses',
      timezone: 'Europe/Brussels',
      posts_per_page: 5,
      default_category: 12,
      page_on_front: 130,
      permalink: '/%postname%/',
      theme: { stylesheet: 'plain' },
      sticky_posts: [120],
    })
  })

  test('are imported even if an application password already exists', async () => {
    await using opened = await kind.open()
    const application_passwords = [{ name: 'phone', uuid: 'u', password: 'p' }]
    const users = [
      { login: 'a', application_passwords },
      { login: 'b', application_passwords },
    ]
    const report = await importInto(opened.store, { site: { users } })
    assert.is((await rows(opened.store, 'application_passwords')).length, 1)
    assert.ok(noteLines(report).some((note) => note.includes('because its UUID already exists')))
  })

  test.after(async () => {
    if (kind === stores.at(-1)) await site[Symbol.asyncDispose]()
  })

  test.run()
}
