import { symlink } from 'node:fs/promises'
import path from 'node:path'
import { crc32, inflateRawSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers } from '../../helpers/site-with-users.ts'
import { themeFolder } from '../../helpers/theme-folder.ts'

const EXPORT = '/svc-block-editor/v1/export'

/** Returns the files of a zip archive, read through its central directory. */
function unzipped(zip: Buffer): Map<string, string> {
  const end = zip.lastIndexOf(Buffer.from('PK\u0005\u0006'))
  const files = new Map<string, string>()
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [packed, length, start] = [zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28), zip.readUInt32LE(at + 42)]
    const name = zip.toString('utf8', at + 46, at + 46 + length)
    const begin = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28)
    const data = inflateRawSync(zip.subarray(begin, begin + packed))
    assert.is(crc32(data), zip.readUInt32LE(at + 16), name)
    files.set(name, data.toString())
    at += 46 + length
  }
  return files
}

for (const { name, place } of databases) {
  const exported = suite(`theme export, ${name}`)

  exported('contains the files of the theme with the changes of users, and no hidden or outside files', async () => {
    const palette = [{ slug: 'leaf', name: 'Leaf', color: '#008000' }]
    await using theme = await themeFolder({
      'theme.json': JSON.stringify({ version: 3, svc: { menus: { side: 'Side' } }, settings: { color: { palette } } }),
      'assets/long.css': '/* long */\n'.repeat(200_000),
      '.hidden/secret': 'secret',
      '../secret.txt': 'secret',
    })
    await symlink(path.join(theme.folder, 'secret.txt'), path.join(theme.folder, 'plain', 'assets', 'link.css'))
    await using site = await serveWithUsers(place, { plugins: { themes: { folder: theme.folder, recheck: 0 } } })
    await site.kernel.services.options.set('theme', { stylesheet: 'plain' })
    const content = '<!-- wp:template-part {"slug":"header","theme":"plain","align":"wide"} /-->\n<!-- wp:spacer /-->'
    await site.send('POST', '/svc/v2/templates', { slug: 'news', content }, 'admin')
    const [active] = (await site.json('/svc/v2/themes?status=active', site.by('admin'))) as [
      { _links: Record<string, [{ href: string; targetHints: unknown }]> },
    ]
    const { href, targetHints } = active._links['svc:export-theme']![0]
    assert.equal(targetHints, { allow: ['GET'] })
    const styles = { color: { text: '#123456' } }
    const own = { color: { palette: { custom: [{ slug: 'own', name: 'Own', color: '#654321' }] } } }
    const userStyles = active._links['svc:user-global-styles']![0].href.split('/').at(-1)!
    await site.send('PUT', `/svc/v2/global-styles/${userStyles}`, { styles, settings: own }, 'admin')

    const response = await fetch(href, { headers: site.by('admin') })
    assert.is(response.headers.get('content-type'), 'application/zip')
    assert.is(response.headers.get('content-disposition'), 'attachment; filename=plain.zip')
    const files = unzipped(Buffer.from(await response.arrayBuffer()))
    assert.equal([...files.keys()].sort(), [
      'assets/long.css',
      'style.css',
      'templates/index.html',
      'templates/news.html',
      'theme.json',
    ])
    assert.is(files.get('assets/long.css')!.length, 2_200_000)
    assert.is(
      files.get('templates/news.html'),
      '<!-- wp:template-part {"slug":"header","align":"wide"} /-->\n<!-- wp:spacer /-->',
    )
    const json = JSON.parse(files.get('theme.json')!) as Record<string, unknown>
    assert.equal([json['styles'], json['svc']], [styles, { menus: { side: 'Side' } }])
    const { color } = json['settings'] as { color: { palette: { slug: string }[] } }
    assert.equal(
      color.palette.map(({ slug }) => slug),
      ['leaf', 'own'],
    )
  })

  exported('is available only to users who can edit the theme, and not inside other responses', async () => {
    await using site = await serveWithUsers(place)
    assert.is((await site.get(EXPORT)).status, 401)
    for (const login of ['sub', 'con', 'ann', 'ed'] as const)
      assert.is((await site.get(EXPORT, site.by(login))).status, 403, login)
    const whole = await site.get(EXPORT, site.by('admin'))
    assert.is(unzipped(Buffer.from(await whole.arrayBuffer())).has('templates/index.html'), true)
    const inside = await site.get(`${EXPORT}?_envelope`, site.by('admin'))
    assert.ok(inside.status < 500)
    await inside.arrayBuffer()
    const [theme] = (await site.json('/svc/v2/themes?status=active', site.by('ann'))) as [{ _links: object }]
    assert.equal((theme._links as Record<string, [object]>)['svc:export-theme']![0], {
      href: `${site.home}/svc-json${EXPORT}`,
      targetHints: { allow: [] },
    })
  })

  exported.run()
}
