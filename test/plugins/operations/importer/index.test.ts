import { createReadStream } from 'node:fs'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { places } from '../../../helpers/stores.ts'
import { serveOn, CONTENT_PLUGINS, startOnly } from '../../../helpers/site.ts'
import { garden, one } from './importing.ts'

startOnly('importer', ...CONTENT_PLUGINS)

for (const { name, make } of places) {
  const importer = suite(`importer: ${name}`)

  importer('imports into a running site, which serves the content immediately', async () => {
    await using site = await serveOn(await make())
    assert.equal(await site.json('/svc/v2/pages?slug=tools'), [])
    const report = await site.kernel.services.importer.run({ source: createReadStream(garden) })
    assert.is(report.to, site.kernel.urls.home)
    const [page] = await site.json('/svc/v2/pages?slug=tools')
    assert.is(page.id, 131)
  })

  importer('validates the site file by the settings and roles that plugins register', async () => {
    await using site = await serveOn(await make())
    await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-import-'))
    const file = join(folder.path, 'site.json')
    const run = async (siteFile: object) => {
      await writeFile(file, JSON.stringify(siteFile))
      return await site.kernel.services.importer.run({ source: one(''), siteFiles: [file] })
    }
    const code = (siteFile: object) =>
      run(siteFile).then(
        () => '',
        (error: { code: string }) => error.code,
      )
    assert.is(await code({ settings: { tittle: 'A garden' } }), 'IMPORT_SITE_INVALID')
    assert.is(await code({ users: [{ login: 'ann', role: 'gardener' }] }), 'IMPORT_SITE_INVALID')
    assert.is(await code({}), 'IMPORT_NOT_AN_EXPORT')
  })

  importer.run()
}
