import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { folderSize } from '../../../plugins/library/long-work/index.ts'
import { inBytes } from '../../../plugins/operations/site-health/directory-sizes.ts'
import { createSiteFolder } from '../../kit/site-folder.ts'
import { databases, serveWithUsers } from '../../helpers/site-with-users.ts'

const sizes = suite('directory sizes')

type Sizes = Record<string, { size: string; debug: string; raw?: number }>

sizes('are written with powers of 1,024', () => {
  const written = (bytes: number) => inBytes(bytes).size
  assert.equal([0, 475, 1023, 1024, 7346].map(written), ['0.00 B', '475.00 B', '1023.00 B', '1.00 KB', '7.17 KB'])
  assert.equal([1_020_141, 95_686_177, 2 ** 40].map(written), ['996.23 KB', '91.25 MB', '1.00 TB'])
  assert.is(inBytes(7346).debug, '7.17 KB (7346 bytes)')
})

for (const { name: dialect, place } of databases) {
  sizes(`of files and the database are measured on ${dialect}`, async () => {
    const folder = createSiteFolder()
    const write = (name: string, bytes: number) => {
      mkdirSync(join(folder.path, name, '..'), { recursive: true })
      writeFileSync(join(folder.path, name), 'x'.repeat(bytes))
    }
    write('uploads/2025/01/a.txt', 300)
    write('uploads/b.txt', 20)
    write('uploads/fonts/c.woff2', 5)
    write('themes/garden/theme.json', 70)
    try {
      await using site = await serveWithUsers(place, {
        uploads: join(folder.path, 'uploads'),
        plugins: { themes: { folder: join(folder.path, 'themes') } },
      })
      const path = '/svc-site-health/v1/directory-sizes'
      const body = (await site.json(path, site.by('admin'))) as Sizes
      assert.equal(body['code'], undefined, JSON.stringify(body))
      assert.equal(Object.keys(body), [
        'raw',
        'wordpress_size',
        'themes_size',
        'plugins_size',
        'uploads_size',
        'fonts_size',
        'database_size',
        'total_size',
      ])
      assert.equal(body['raw'], 0)
      assert.equal(body['uploads_size'], { size: '320.00 B', debug: '320.00 B (320 bytes)', raw: 320 })
      assert.is(body['fonts_size']!.raw, 5)
      assert.is(body['themes_size']!.raw, 70)
      assert.ok(body['database_size']!.raw! > 50_000)
      assert.ok(body['wordpress_size']!.raw! > 100_000)
      const parts = Object.entries(body).filter(([name]) => name.endsWith('_size') && name !== 'total_size')
      assert.is(
        body['total_size']!.raw,
        parts.reduce((sum, [, { raw = 0 }]) => sum + raw, 0),
      )
      assert.is((await site.get(path, site.by('ed'))).status, 403)
      assert.is((await site.get(path)).status, 401)
    } finally {
      folder.remove()
    }
  })
}

sizes('of missing folders say so, and do not count', async () => {
  await using site = await serveWithUsers(databases[0]!.place, {
    plugins: { themes: { folder: '/nowhere/themes' } },
  })
  const body = (await site.json('/svc-site-health/v1/directory-sizes', site.by('admin'))) as Sizes
  const missing = { size: 'The directory does not exist.', debug: 'directory not found' }
  assert.equal([body['themes_size'], body['fonts_size']], [missing, missing])
  assert.ok(body['total_size']!.raw! > 0)
})

sizes('are cached, skip folders by path, and end at a limit', async () => {
  const folder = createSiteFolder()
  try {
    for (const name of ['a', 'b']) {
      mkdirSync(join(folder.path, 'counted', name), { recursive: true })
      writeFileSync(join(folder.path, 'counted', name, 'file'), 'four')
    }
    const counted = join(folder.path, 'counted')
    assert.equal(await folderSize(counted), { bytes: 8, files: 2, more: false })
    writeFileSync(join(counted, 'file'), 'four')
    assert.equal(await folderSize(counted), { bytes: 8, files: 2, more: false })
    assert.equal(await folderSize(counted, [join(counted, 'a')]), { bytes: 8, files: 2, more: false })
    assert.is(await folderSize(join(folder.path, 'missing')), null)
    assert.equal(await folderSize(counted, [], 2), { bytes: 8, files: 2, more: true })
  } finally {
    folder.remove()
  }
})

sizes.run()
