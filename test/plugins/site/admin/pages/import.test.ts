import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse, type Browser } from '../../../../helpers/browser.ts'
import { databases, serveWithUsers } from '../../../../helpers/site-with-users.ts'
import { until } from '../../../../helpers/until.ts'
import { garden } from '../../../operations/importer/importing.ts'

const path = '/svc-admin/import'

async function sendFiles(browser: Browser, files: Readonly<Record<string, string>>) {
  const text = await (await browser.open(path)).text()
  const form = new FormData()
  form.set('_svcnonce', /name="_svcnonce" value="(\w+)"/.exec(text)![1]!)
  for (const [name, content] of Object.entries(files)) form.set(name, new Blob([content]), `${name} <1>.xml`)
  return browser.open(path, { method: 'POST', body: form })
}

for (const { name, place } of databases) {
  const pages = suite(`the import page of the admin on ${name}`)
  const ended = (browser: Browser) =>
    until(async () => {
      const state = (await (await browser.open(`${path}?format=json`)).json()) as { status: string } | null
      return state?.status !== 'running'
    })

  pages('runs an import in the background, and stores the report', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-import-page-'))
    await using site = await serveWithUsers(place, {
      uploads: folder.path,
      plugins: { translations: { languages: ['de'] } },
    })
    const [admin, editor] = [browse(site), browse(site)]
    await admin.logIn('admin', 'pass phrase of admin')
    await editor.logIn('ed', 'pass phrase of ed')
    assert.is((await editor.open(path)).status, 403)
    assert.is(await (await admin.open(`${path}?format=json`)).text(), 'null')
    assert.is((await sendFiles(admin, {})).status, 400)
    assert.is((await sendFiles(admin, { wxr: await readFile(garden, 'utf8') })).status, 303)
    await ended(admin)
    const text = await (await admin.open(path)).text()
    assert.match(text, 'wxr &#60;1&#62;.xml')
    assert.match(text, 'Import complete.')
    assert.match(text, '>Pages<')
    assert.match(text, 'Notes')
    assert.is((await site.send('POST', '/svc/v2/users/me', { locale: 'de_DE' }, 'admin')).status, 200)
    const german = await (await admin.open(path)).text()
    assert.match(german, /<li>\s*\d+ × Konto ohne Passwort und mit der Rolle subscriber erstellt/)
    assert.match(german, '>Seiten<')
    assert.match(german, '>Metadaten<')
    assert.is((await site.json('/svc/v2/pages?slug=tools')).length, 1)
  })

  pages('shows the reason of a failed import, and that an import is running', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-import-page-'))
    await using site = await serveWithUsers(place, { uploads: folder.path })
    const admin = browse(site)
    await admin.logIn('admin', 'pass phrase of admin')
    await sendFiles(admin, { wxr: '<rss><channel>' })
    await ended(admin)
    const text = await (await admin.open(path)).text()
    assert.match(text, 'Your site hasn’t been changed.')
    assert.match(text, 'is truncated')
    const { importRuns } = site.kernel.services
    const wxr = await readFile(garden)
    const both = await Promise.allSettled([
      importRuns.start({ name: 'one.xml', wxr }),
      importRuns.start({ name: 'two.xml', wxr }),
    ])
    assert.equal(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
    await ended(admin)
  })

  pages('keeps an import that a stopping worker finishes', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-import-page-'))
    await using site = await serveWithUsers(place, { uploads: folder.path })
    const { importRuns } = site.kernel.services
    await importRuns.start({ name: 'one.xml', wxr: await readFile(garden) })
    assert.is((await importRuns.state())?.status, 'running')
    await site.kernel.finish()
    assert.is((await importRuns.state())?.status, 'done')
  })

  pages('works if the state file of an import is incomplete', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-import-page-'))
    await using site = await serveWithUsers(place, { uploads: folder.path })
    const admin = browse(site)
    await admin.logIn('admin', 'pass phrase of admin')
    await mkdir(join(folder.path, '.imports'))
    await writeFile(join(folder.path, '.imports', 'state.json'), '{"status":"ru')
    assert.is((await admin.open(path)).status, 200)
    assert.is(await (await admin.open(`${path}?format=json`)).text(), 'null')
    assert.is((await sendFiles(admin, { wxr: await readFile(garden, 'utf8') })).status, 303)
    await ended(admin)
    assert.match(await (await admin.open(path)).text(), 'Import complete.')
  })

  pages.run()
}
