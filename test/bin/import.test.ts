import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import packageJson from '../../package.json' with { type: 'json' }
import { main } from '../../bin/commands/import.ts'
import type { LiveProbe, LiveReport } from '../../plugins/operations/importer/index.ts'
import { makeSample } from '../../plugins/operations/first-run/sample.ts'
import { receive } from '../plugins/foundation/outgoing/asking.ts'
import { openStore } from '../../plugins/storage/store/open.ts'
import { MOVER, serveGarden } from '../plugins/operations/importer/live/old-site.ts'

const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url))
const garden = path.join(fixtures, 'garden.wxr.xml')

const command = suite('svc-import')

command('imports into the site of the config and prints the report', async () => {
  await using place = await workplace()
  const { code, out } = await place.run([garden, '--site', path.join(fixtures, 'garden.site.json')])
  assert.is(code, 0)
  assert.match(out, /^Imported \d+ objects from http:\/\/garden\.example to https:\/\/new\.test/)
  const store = await openStore(place.database)
  const page = await store.first(store.db.selectFrom('posts').select('content').where('id', '=', 130))
  const user = await store.first(store.db.selectFrom('users').select('password_hash').where('id', '=', 1))
  await store.close()
  assert.match(page?.content ?? '', 'https://new.test/tools/')
  assert.match(user?.password_hash ?? '', /^\$argon2id\$/)
})

command('imports the media files', async () => {
  await using place = await workplace()
  const media = path.join(place.folder, 'media')
  await writeFileIn(media, '2024/05/rose.jpg', 'a rose')
  const { code, out } = await place.run([garden, '--uploads', media])
  assert.is(code, 0)
  assert.match(out, /files +1 +0 +0/)
  assert.not.match(out, 'not among the uploads')
  assert.is(await readFile(path.join(place.folder, 'uploads', '2024', '05', 'rose.jpg'), 'utf8'), 'a rose')
})

command('S36: downloads the media files of the old site from allowed hosts, and reports failures', async () => {
  await using old = await receive((request, response) => {
    if (request.url!.endsWith('rose.txt')) response.end('a rose')
    else response.writeHead(404).end()
  })
  await using place = await workplace()
  const text = await readFile(garden, 'utf8')
  const file = path.join(place.folder, 'old.wxr.xml')
  const here = text.replaceAll('rose.jpg', 'rose.txt').replaceAll('http://garden.example', old.url)
  await writeFile(file, here)
  const refused = await place.run([file, '--download'])
  assert.is(refused.code, 0)
  assert.match(refused.out, /not downloaded: Requests to 127\.0\.0\.1:\d+ are refused/)
  assert.is(old.connections(), 0)
  const { code, out } = await place.run([
    file,
    '--download',
    '--allow',
    '10.0.0.0/8',
    '--allow',
    `127.0.0.1:${old.port}`,
  ])
  assert.is(code, 0)
  assert.match(out, /files +1 +0 +1/)
  assert.match(out, /not downloaded: the old site responded 404 \(http:\/\/127\.0\.0\.1:\d+\/\S*rose-150x150\.jpg\)/)
  assert.is(await readFile(path.join(place.folder, 'uploads', '2024', '05', 'rose.txt'), 'utf8'), 'a rose')
  assert.match((await place.run([file, '--allow', 'a.test'])).err, /--allow requires --download/)
})

command('keeps old URLs with --keep-addresses', async () => {
  await using place = await workplace()
  await place.run([garden, '--keep-addresses'])
  const store = await openStore(place.database)
  const page = await store.first(store.db.selectFrom('posts').select('content').where('id', '=', 130))
  await store.close()
  assert.match(page?.content ?? '', 'http://garden.example/tools/')
})

command('keeps the HTML that administrators may write, and with --filter-html only that of the authors', async () => {
  for (const flags of [[], ['--trust-html'], ['--filter-html']]) {
    const isFiltered = flags[0] === '--filter-html'
    await using place = await workplace()
    const file = path.join(place.folder, 'hostile.wxr.xml')
    const text = '<![CDATA[<b onclick="x">k</b>]]>'
    await writeFile(
      file,
      `<rss><channel><wp:wxr_version>1.2</wp:wxr_version><item><wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type>
        <content:encoded>${text}</content:encoded><wp:comment><wp:comment_id>1</wp:comment_id>
        <wp:comment_content>${text}</wp:comment_content></wp:comment></item></channel></rss>`,
    )
    const { code, out } = await place.run([file, ...flags])
    assert.is(code, 0)
    const store = await openStore(place.database)
    const post = await store.first(store.db.selectFrom('posts').select('content').where('id', '=', 1))
    const comment = await store.first(store.db.selectFrom('comments').select('content'))
    await store.close()
    assert.is(post?.content, isFiltered ? '<b>k</b>' : '<b onclick="x">k</b>')
    assert.is(comment?.content, '<b>k</b>')
    assert.is(/1 × text whose author may not write unfiltered HTML; HTML filtered/.test(out), isFiltered)
    assert.is(/1 × HTML that the filter removed: onclick=/.test(out), isFiltered)
    assert.match(out, /1 × comment; HTML filtered/)
  }
})

command('replaces the sample content of a new site, and keeps the login of its owner', async () => {
  await using place = await workplace()
  const store = await openStore(place.database)
  await makeSample(store, {
    home: 'https://new.test',
    admin: 'http://site.test/',
    mark: 'wp',
    login: 'owner',
    passwordHash: 'hash of mine',
  })
  await store.close()
  const { code } = await place.run([garden])
  assert.is(code, 0)
  const after = await openStore(place.database)
  const posts = await after.all(after.db.selectFrom('posts').select('id').where('type', '=', 'page').orderBy('id'))
  const owner = await after.first(after.db.selectFrom('users').select('password_hash').where('login', '=', 'owner'))
  const title = await after.first(after.db.selectFrom('options').select('value').where('name', '=', 'title'))
  await after.close()
  assert.equal(posts, [{ id: 130 }, { id: 131 }])
  assert.is(owner?.password_hash, 'hash of mine')
  assert.is(title?.value, '"The Garden"')
})

command('fails with one paragraph, and leaves the database and the uploads unchanged', async () => {
  await using place = await workplace()
  const media = path.join(place.folder, 'media')
  await writeFileIn(media, 'a.txt', 'a')
  const text = await readFile(garden, 'utf8')
  const truncated = path.join(place.folder, 'truncated.xml')
  await writeFile(truncated, text.slice(0, text.length / 2))
  const { code, out, err } = await place.run([truncated, '--uploads', media])
  assert.is(code, 1)
  assert.is(out, '')
  assert.match(err, /^The export file is truncated at line \d+, column \d+\. .*\.$/)
  const store = await openStore(place.database)
  const posts = await store.all(store.db.selectFrom('posts').select('id'))
  await store.close()
  assert.equal(posts, [])
  assert.is(await readFile(path.join(place.folder, 'uploads', 'a.txt')).catch(() => 'none'), 'none')
})

command('imports several sources, and prints the report as JSON', async () => {
  await using place = await workplace()
  const media = path.join(place.folder, 'media')
  await writeFileIn(media, 'uploads/2024/05/rose.jpg', 'a rose')
  const text = await readFile(garden, 'utf8')
  const other = path.join(place.folder, 'other.xml')
  await writeFile(other, text.replaceAll('About', 'About & more'))
  const { code, out } = await place.run([other, media, '--json'])
  assert.is(code, 0)
  const report = JSON.parse(out)
  assert.is(report.counts.files.imported, 1)
  assert.is(report.from, 'http://garden.example')
})

command('imports the complete part of a truncated file only with --accept-truncated', async () => {
  await using place = await workplace()
  const cut = path.join(place.folder, 'cut.xml')
  const text = await readFile(garden, 'utf8')
  await writeFile(cut, text.slice(0, text.length / 2))
  const refused = await place.run([cut])
  assert.equal([refused.code, /truncated at line \d+, column \d+/.test(refused.err)], [1, true])
  const { code, out } = await place.run([cut, '--accept-truncated'])
  assert.is(code, 0)
  assert.match(out, /1 × cut off by the end of the file/)
})

command('names invalid arguments and files', async () => {
  await using place = await workplace()
  const bad = path.join(place.folder, 'site.json')
  await writeFile(bad, '{"users": 1}')
  const misspelt = path.join(place.folder, 'misspelt.json')
  await writeFile(misspelt, '{"settings": {"tittle": "A garden"}}')
  const wrong: [string[], RegExp][] = [
    [[], /No source given/],
    [['https://old.test', garden], /must be the only source/],
    [[garden, '--upload', 'x'], /Unknown option '--upload'/],
    [[path.join(place.folder, 'none.xml')], /none\.xml/],
    [[place.folder], /contains neither an export/],
    [[garden, '--site', place.folder], /is a folder: name a file in it/],
    [[garden, '--site', bad], /"users" must be array/],
    [[garden, '--site', misspelt], /no plugin of this site registers the setting "tittle": did you mean title\?/],
    [[garden, '--uploads', path.join(place.folder, 'none.tar')], /does not exist or cannot be read/],
  ]
  for (const [argv, message] of wrong) {
    const { code, err } = await place.run(argv)
    assert.is(code, 1)
    assert.match(err, message)
  }
})

command('prints its help', async () => {
  await using place = await workplace()
  const { code, out } = await place.run(['--help'])
  assert.is(code, 0)
  assert.match(out, /^Usage: svc import \[FLAGS\] SOURCE…\n +svc-import/)
})

command('prints its version', async () => {
  await using place = await workplace()
  const { code, out } = await place.run(['--version'])
  assert.equal([code, out.trim()], [0, packageJson.version])
})

command(
  'prints the report of a live site as JSON, with its comparison, and that of a dry run with its probe',
  async () => {
    await using old = await serveGarden()
    await using place = await workplace()
    const password = path.join(place.folder, 'password')
    await writeFile(password, MOVER.password)
    const flags = [old.home, '--user', MOVER.user, '--password-file', password, '--allow', '127.0.0.1:*', '--json']
    const dry = await place.run([...flags, '--dry-run'])
    assert.is(dry.code, 0, dry.err)
    const probed = JSON.parse(dry.out) as LiveReport & { probe: LiveProbe | null }
    assert.equal([probed.from, probed.to, probed.counts], [old.home, 'https://new.test', {}])
    assert.is(probed.comparison, null)
    assert.is(probed.probe?.user, MOVER.user)
    const pages = probed.probe!.kinds.find(({ kind }) => kind === 'page items')!
    assert.ok(pages.count! > 0)
    const live = await place.run([...flags, '--compare', 'all'])
    assert.is(live.code, 0, live.err)
    const report = JSON.parse(live.out) as LiveReport & { probe: LiveProbe | null }
    assert.equal(Object.keys(report).toSorted(), Object.keys(probed).toSorted())
    const file = await place.run([garden, '--json'])
    const missing = Object.keys(JSON.parse(file.out) as object).filter((key) => !Object.hasOwn(report, key))
    assert.equal(missing, [])
    assert.is(report.probe, null)
    assert.is(report.counts['page items']?.imported, pages.count)
    const route = report.comparison!.routes.find((one) => one.route === '/svc/v2/pages')!
    assert.equal([route.old, route.here, route.compared], [pages.count, pages.count, pages.count])
    for (const text of [dry.out, live.out]) assert.not.match(text, MOVER.password.replaceAll(' ', ''))
  },
)

command.run()

async function writeFileIn(folder: string, name: string, content: string): Promise<void> {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
  await writeFile(path.join(folder, name), content)
}

/** Creates a folder with a config, and a function that runs the command in it. */
async function workplace() {
  const folder = await mkdtemp(path.join(tmpdir(), 'import-test-'))
  const config = path.join(folder, 'svc.config.json')
  await writeFile(
    config,
    JSON.stringify({ home: 'https://new.test', database: 'sqlite:./site.db', uploads: './uploads' }),
  )
  return {
    folder,
    database: `sqlite:${path.join(folder, 'site.db')}`,
    async run(argv: string[]) {
      const { log, error } = console
      let [out, err] = ['', '']
      console.log = (text: string) => void (out += text)
      console.error = (text: string) => void (err += text)
      try {
        const code = await main(['--config', config, ...argv])
        return { code, out, err }
      } finally {
        console.log = log
        console.error = error
      }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}
