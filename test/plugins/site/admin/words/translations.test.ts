import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openProject } from '../../../../checks/mentioned-types.ts'
import { adminTexts } from '../../../../checks/words.ts'
import { browse } from '../../../../helpers/browser.ts'
import { serveWithUsers } from '../../../../helpers/site-with-users.ts'
import { filePlace } from '../../../../helpers/stores.ts'
import { svc } from '../../../../helpers/svc.ts'

const root = resolve(import.meta.dirname, '../../../../..')
const words = suite('translations of the admin')

words('can be made of every text: each stands in the sources as it is', () => {
  using project = openProject(join(root, 'tsconfig.json'))
  assert.equal(adminTexts(project, root).mistakes, [])
})

words('are read from the folder of the site, which gives users their languages', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-words-'))
  const catalogue = { Dashboard: 'Übersicht', Drafts: 'Entwürfe <neu>', 'Log out': null }
  await writeFile(join(folder.path, 'de.json'), JSON.stringify(catalogue))
  await using site = await serveWithUsers(filePlace, { plugins: { admin: { words: folder.path } } })
  const ed = { method: 'POST', path: '/svc/v2/users/me' }
  assert.is((await site.send(ed.method, ed.path, { locale: 'de_DE' }, 'ed')).status, 200)
  assert.is((await site.send(ed.method, ed.path, { locale: 'tlh' }, 'ed')).status, 400)
  const browser = browse(site)
  await browser.logIn('ed', 'pass phrase of ed')
  const text = await (await browser.open('/svc-admin/')).text()
  assert.match(text, '<html lang="de-DE">')
  assert.match(text, '<h1>Übersicht</h1>')
  assert.match(text, 'Entwürfe &#60;neu&#62;')
  assert.match(text, 'Log out')
})

words('are printed with what is missing', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-words-'))
  await mkdir(join(folder.path, 'words'))
  await writeFile(join(folder.path, 'words', 'eo.json'), JSON.stringify({ Dashboard: 'Panelo' }))
  const config = join(folder.path, 'svc.config.json')
  await writeFile(config, JSON.stringify({ database: 'sqlite::memory:', log: 'silent' }))
  const print = async (...flags: string[]) => {
    const { code, out, err } = await svc('admin', 'words', '--config', config, '--language', 'eo', ...flags)
    assert.is(code, 0, err)
    return JSON.parse(out) as Record<string, unknown>
  }
  const all = await print()
  assert.is(all['Dashboard'], 'Panelo')
  assert.is(all['Drafts'], null)
  assert.equal(all['{count} items'], { one: null, other: null })
  assert.not.ok('Dashboard' in (await print('--missing')))
  const wrong = await svc('admin', 'words', '--config', config, '--language', 'de_DE')
  assert.is(wrong.code, 1)
  assert.match(wrong.err, '"de_DE" is no language: write it as de or pt-BR')
})

words.run()
