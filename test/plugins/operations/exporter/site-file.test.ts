import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve } from '../../../helpers/site.ts'
import { exportTo, importFrom } from './exporting.ts'

const siteFile = suite('site file of an export')

siteFile('restores roles, profiles, settings, menus and the theme of another site', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-export-'))
  const file = join(folder.path, 'site.json')
  await using first = await serve()
  const { options, users } = first.kernel.services
  const { id } = await users.create({
    login: 'ann',
    email: 'ann@mail.example',
    name: 'Ann',
    roles: ['editor', 'author'],
    first_name: 'Ann-Marie',
    ...(await users.secured({ password: 'a long phrase' })),
  })
  await users.create({ login: 'none', email: 'none@mail.example', name: 'None', roles: [] })
  const menu = { id: 40, taxonomy: 'nav_menu', slug: 'main', name: 'Main' }
  await first.store.run(first.store.db.insertInto('terms').values(menu))
  const set = { title: 'Ann &amp; co', posts_per_page: 7, permalink: '/%postname%/', category_base: 'topics' }
  for (const [name, value] of Object.entries(set)) await options.set(name, value)
  await options.set('menu_locations', { primary: 40 })
  await options.set('menus_auto_add', [40])
  await options.set('theme', { stylesheet: 'plain', name: 'Plain', menus: { primary: 'Top' } })
  await exportTo(first, folder.path, { site: file, passwordHashes: true })

  await using second = await serve()
  await importFrom(second, join(folder.path, 'export.xml'), { siteFiles: [file] })
  const { options: there } = second.kernel.services
  assert.equal(await there.many(['title', 'posts_per_page', 'permalink', 'category_base', 'menu_locations']), {
    title: 'Ann &amp; co',
    posts_per_page: 7,
    permalink: '/%postname%/',
    category_base: 'topics',
    menu_locations: { primary: 40 },
  })
  assert.equal(await there.get('menus_auto_add'), [40])
  assert.is((await there.get<{ stylesheet: string }>('theme'))?.stylesheet, 'plain')
  const user = await second.kernel.services.users.current(id)
  assert.equal(user?.roles, ['editor', 'author'])
  const row = await second.store.first(second.store.db.selectFrom('users').selectAll().where('login', '=', 'ann'))
  assert.ok(await second.kernel.services.passwords.verify('a long phrase', row!.password_hash))
  const none = await second.store.first(second.store.db.selectFrom('users').select('id').where('login', '=', 'none'))
  assert.equal((await second.kernel.services.users.current(none!.id))?.roles, [])
})

siteFile('contains no secrets unless password hashes are requested', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-export-'))
  const file = join(folder.path, 'site.json')
  await using site = await serve()
  const { db } = site.store
  const secrets = ['hash-of-ann', 'key-of-previews', 'second-factor', 'app-hash', 'session-hash']
  await site.store.run(db.insertInto('users').values({ id: 5, login: 'ann', slug: 'ann', password_hash: secrets[0]! }))
  await site.store.run(db.insertInto('options').values({ name: 'preview_key', value: JSON.stringify(secrets[1]) }))
  await site.store.run(db.insertInto('user_meta').values({ user_id: 5, key: '_totp_secret', value: secrets[2]! }))
  const password = { uuid: 'u', user_id: 5, name: 'laptop', hash: secrets[3]!, created: 1 }
  await site.store.run(db.insertInto('application_passwords').values(password))
  await site.store.run(db.insertInto('sessions').values({ id: secrets[4]!, user_id: 5, expires: 2e9, created: 1 }))
  const { text } = await exportTo(site, folder.path, { site: file })
  const written = `${text}${await readFile(file, 'utf8')}`
  assert.equal(
    secrets.filter((secret) => written.includes(secret)),
    [],
  )
  await exportTo(site, folder.path, { site: file, passwordHashes: true })
  const withHashes = await readFile(file, 'utf8')
  assert.equal(
    secrets.filter((secret) => withHashes.includes(secret)),
    [secrets[0]],
  )
})

siteFile.run()
