import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { furniture } from '../../../helpers/random-plugins.ts'
import { RandomWriter } from '../../../helpers/random-site.ts'
import { randomOf } from '../../../helpers/random.ts'
import { serveOn } from '../../../helpers/site.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'
import { exportTo, HOME, importFrom, withoutDate } from './exporting.ts'

const SITES = Number(process.env['SVC_TEST_SITES'] ?? 4)
const WRITES = 120

for (const { name, place } of databases) {
  const roundTrip = suite(`round trip of random sites: ${name}`)

  roundTrip('exports equal files from a site and from the site that imported its export', async () => {
    for (let seed = 1; seed <= SITES; seed += 1) {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-round-trip-'))
      const site = join(folder.path, 'site.json')
      const options = { site, passwordHashes: true }
      const config = { add: [furniture], home: HOME }
      const before = await (async () => {
        await using first = await serveWithUsers(place, config)
        const writer = new RandomWriter(first, randomOf(seed), [])
        await writer.begin()
        for (let count = 0; count < WRITES; count += 1) await writer.next().run()
        const { text } = await exportTo(first, folder.path, options)
        return { text, site: await readFile(site, 'utf8') }
      })()
      await using second = await serveOn(await place(), config)
      await importFrom(second, join(folder.path, 'export.xml'), { siteFiles: [site], trustHtml: true })
      const { text } = await exportTo(second, folder.path, options)
      assert.is(withoutDate(text), withoutDate(before.text), `seed ${seed}`)
      assert.is(await readFile(site, 'utf8'), before.site, `seed ${seed}`)
    }
  })

  roundTrip.run()
}
