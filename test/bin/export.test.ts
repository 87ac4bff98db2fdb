import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve } from '../helpers/site.ts'
import { filePlace } from '../helpers/stores.ts'
import { svc } from '../helpers/svc.ts'

const command = suite('svc export')

command('writes the export, media files and the site file, and prints what they contain', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-export-'))
  await using place = await filePlace()
  const inFolder = (name: string) => join(folder.path, name)
  await addPosts(place.url)
  const flags = ['--database', place.url, '--home', 'https://garden.example']
  const written = ['--uploads', inFolder('uploads.tar.gz'), '--site', inFolder('site.json')]
  const { code, output } = await svc('export', inFolder('site.xml'), ...written, '--status', 'publish', ...flags)
  assert.is(code, 0, output)
  assert.match(
    output,
    /Exported 1 objects[\s\S]*post items +1\b[\s\S]*site\.xml[\s\S]*site\.json[\s\S]*uploads\.tar\.gz/,
  )
  assert.match(await readFile(inFolder('site.xml'), 'utf8'), /Rose[\s\S]*<\/rss>/)
  assert.equal((await readdir(folder.path)).toSorted(), ['site.json', 'site.xml', 'uploads.tar.gz'])
})

command('refuses unknown formats of values before it writes anything', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-export-'))
  await using place = await filePlace()
  const file = join(folder.path, 'site.xml')
  const run = (...args: string[]) => svc('export', file, '--database', place.url, ...args)
  for (const [args, message] of [
    [['--max-size', 'much'], /"much" is not a size/],
    [['--password-hashes'], /requires --site/],
    [['--after', 'June'], /"June" is not a date/],
    [['--type', 'weed'], /no items of the type "weed"/],
    [['other.xml'], /one FILE/],
  ] as const) {
    const { code, err } = await run(...args)
    assert.is(code, 1, args.join(' '))
    assert.match(err, message)
  }
  assert.equal(await readdir(folder.path), [])
})

command.run()

async function addPosts(database: string): Promise<void> {
  await using site = await serve({ database })
  const { db } = site.store
  const posts = [
    { title: 'Rose', slug: 'rose', status: 'publish' },
    { title: 'Weed', slug: 'weed', status: 'draft' },
  ]
  await site.store.run(db.insertInto('posts').values(posts))
}
