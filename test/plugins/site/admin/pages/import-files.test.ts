import { readdir, mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import tar from 'tar-stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ZipFile } from 'yazl'
import type { ImportState } from '../../../../../plugins/operations/importer/index.ts'
import { formNonce } from '../../../../helpers/admin-forms.ts'
import { browse, type Browser } from '../../../../helpers/browser.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../../helpers/site-with-users.ts'
import { until } from '../../../../helpers/until.ts'
import { rows } from '../../../operations/importer/importing.ts'

const path = '/svc-admin/import'
const REPORTED = ['imported', 'alreadyHere', 'updated'] as const

type Files = readonly (readonly [field: string, name: string, bytes: string | Buffer])[]

for (const { name, place } of databases) {
  const pages = suite(`files on the import page of the admin: ${name}`)

  pages('imports several exports, zip and gzip, media files and a dump of options at once', async () => {
    await using here = await open(place)
    const { site, admin } = here
    const media = wxr('d', [['attachment', 40, { url: 'https://old.test/wp-content/uploads/2024/05/rose.txt' }]])
    const { response } = await send(admin, [
      ['wxr', 'a.xml', wxr('a', [['post', 10, {}]])],
      ['wxr', 'b.zip', await zipOf({ 'x/b.xml': wxr('b', [['page', 20, { parent: 10 }]]) })],
      ['wxr', 'c.xml.gz', gzipSync(wxr('c', [['post', 30, {}]]))],
      ['wxr', 'd.xml', media],
      ['wxr', 'options.json', JSON.stringify({ settings: { description: 'From the dump' } })],
      ['wxr', 'media.tar', await tarOf({ '2024/05/rose.txt': 'a rose' })],
      ['site', 'site.json', JSON.stringify({ users: [{ login: 'zoe', role: 'editor' }] })],
    ])
    assert.is(response.status, 303)
    const state = await ended(site)
    assert.is(state.status, 'done', state.error)
    const names = (await rows(site.store, 'posts')).map(({ slug }) => slug)
    for (const slug of ['a-10', 'b-20', 'c-30', 'd-40']) assert.ok(names.includes(slug), slug)
    assert.is(await readFile(join(here.uploads, '2024/05/rose.txt'), 'utf8'), 'a rose')
    assert.ok((await rows(site.store, 'users')).some(({ login }) => login === 'zoe'))
    assert.is(state.report?.counts['files']?.imported, 1)
    assert.match(await (await admin.open(path)).text(), 'Import complete.')
    await until(async () => (await leftovers(here.uploads)).length === 0)
  })

  pages('accounts for each object of the files: stored, or reported with a reason', async () => {
    await using here = await open(place)
    const { site, admin } = here
    const before = await rows(site.store, 'posts')
    const files: [string, ReturnType<typeof wxr>][] = [
      [
        'one.xml',
        wxr('one', [
          ['post', 10, {}],
          ['post', 11, { type: '' }],
          ['page', 12, {}],
        ]),
      ],
      [
        'two.xml',
        wxr('two', [
          ['post', 13, { status: 'auto-draft' }],
          ['My Type', 14, {}],
          ['post', 10, {}],
        ]),
      ],
      [
        'three.xml',
        wxr('three', [
          ['page', 15, { comments: 3 }],
          ['post', 16, { comments: 1 }],
        ]),
      ],
    ]
    assert.is(
      (
        await send(
          admin,
          files.map(([file, text]) => ['wxr', file, text]),
        )
      ).response.status,
      303,
    )
    const { report } = await ended(site)
    const total = (pattern: RegExp, text: string) => text.match(pattern)?.length ?? 0
    const all = files.map(([, text]) => text).join('')
    const reported = (kind: RegExp) =>
      Object.entries(report!.counts)
        .filter(([one]) => kind.test(one))
        .flatMap(([, count]) => [...REPORTED.map((one) => count[one] ?? 0), ...Object.values(count.skipped)])
        .reduce((sum, number) => sum + number, 0)
    const stored = (await rows(site.store, 'posts')).length - before.length
    const imported = Object.entries(report!.counts)
      .filter(([kind]) => /^items$| items$/.test(kind))
      .reduce((sum, [, count]) => sum + count.imported, 0)
    assert.is(reported(/^items$| items$/), total(/<item>/g, all))
    assert.is(reported(/^comments$/), total(/<wp:comment>/g, all))
    assert.is(stored, imported)
    assert.is((await rows(site.store, 'comments')).length, total(/<wp:comment>/g, all))
    const text = await (await admin.open(path)).text()
    assert.match(text, 'two.xml, line 4')
  })

  pages(
    'refuses bombs, names that lead elsewhere and other files with a reason, and leaves nothing on the disk',
    async () => {
      await using here = await open(place)
      const { site, admin } = here
      const good = wxr('a', [['post', 10, {}]])
      const zeros = Buffer.alloc(30 * 1024 ** 2)
      const before = await rows(site.store, 'posts')
      const cases: [title: string, files: Files, reason: RegExp][] = [
        ['bomb in gzip', [['wxr', 'bomb.xml.gz', gzipSync(zeros)]], /unpacks to more than 100 times its size/],
        ['bomb in zip', [['wxr', 'bomb.zip', await zipOf({ 'bomb.xml': zeros })]], /unpacks to more than 100 times/],
        [
          'bomb of media files',
          [
            ['wxr', 'a.xml', good],
            ['uploads', 'bomb.zip', await zipOf({ '2020/01/zeros.txt': zeros })],
          ],
          /unpacks to more than 20 times/,
        ],
        [
          'path outside',
          [
            ['wxr', 'a.xml', good],
            ['uploads', 'm.tar', await tarOf({ '../../evil.txt': 'evil' })],
          ],
          /outside its folder: .*evil\.txt/,
        ],
        [
          'path outside in zip',
          [
            ['wxr', 'a.xml', good],
            ['uploads', 'm.zip', renamed(await zipOf({ 'aaaaa/xx.txt': 'x' }), 'aaaaa/xx.txt', '../../xx.txt')],
          ],
          /invalid|outside|cannot be read/,
        ],
        [
          'damaged zip',
          [['wxr', 'broken.zip', Buffer.from('PK\u0003\u0004 broken')]],
          /broken\.zip is not a readable zip/,
        ],
        ['no export in zip', [['wxr', 'x.zip', await zipOf({ 'notes.txt': 'no' })]], /no export \(WXR\) was found/],
        [
          'two archives',
          [
            ['wxr', 'a.xml', good],
            ['wxr', 'm.tar', await tarOf({ '2020/01/a.txt': 'a' })],
            ['uploads', 'n.tar', await tarOf({ '2020/01/b.txt': 'b' })],
          ],
          /two archives of media files/,
        ],
      ]
      for (const [title, files, reason] of cases) {
        const { response, text } = await send(admin, files)
        const state = response.status === 303 ? await ended(site) : null
        const shown = state === null ? text : await (await admin.open(path)).text()
        assert.match(shown.replaceAll('&#34;', '"'), reason, title)
        assert.not.match(shown, here.uploads, title)
        await until(async () => (await leftovers(here.uploads)).length === 0)
        assert.equal(await rows(site.store, 'posts'), before, title)
      }
    },
  )

  pages('stores files under names that cannot lead elsewhere', async () => {
    await using here = await open(place)
    const { site, admin } = here
    for (const file of [
      '../../../evil.xml',
      '..\\..\\evil.xml',
      '/etc/evil.xml',
      '.hidden.xml',
      '\u0000',
      'x'.repeat(400),
    ]) {
      const { response } = await send(admin, [['wxr', file, wxr('evil', [['post', 10, {}]])]])
      assert.is(response.status, 303, file)
      assert.is((await ended(site)).status, 'done', file)
    }
    await until(async () => (await leftovers(here.uploads)).length === 0)
    assert.equal(
      (await readdir(join(here.uploads, '..'))).filter((one) => one.includes('evil')),
      [],
    )
  })

  pages('refuses an upload over the limit, and leaves nothing on the disk', async () => {
    await using here = await open(place, { bodyLimit: 300_000 })
    const { response, text } = await send(here.admin, [['wxr', 'big.xml', Buffer.alloc(400_000, 'x')]])
    assert.is(response.status, 413)
    assert.match(text, /300,?000|300 kB|293/i)
    assert.is(await here.site.kernel.services.importRuns.state(), null)
    await until(async () => (await leftovers(here.uploads)).length === 0)
  })

  pages.run()
}

interface Opened extends AsyncDisposable {
  site: SiteWithUsers
  admin: Browser
  uploads: string
}

async function open(place: (typeof databases)[number]['place'], limits: object = {}): Promise<Opened> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'svc-import-files-'))
  const site = await serveWithUsers(place, { uploads: join(folder.path, 'uploads'), limits })
  const admin = browse(site)
  await admin.logIn('admin', 'pass phrase of admin')
  return {
    site,
    admin,
    uploads: join(folder.path, 'uploads'),
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await folder.remove()
    },
  }
}

async function send(browser: Browser, files: Files) {
  const page = await (await browser.open(path)).text()
  const form = new FormData()
  form.set('_svcnonce', formNonce(page))
  for (const [field, name, bytes] of files)
    form.append(field, new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), name)
  const response = await browser.open(path, { method: 'POST', body: form })
  return { response, text: await response.text() }
}

async function ended({ kernel }: SiteWithUsers): Promise<ImportState> {
  let state: ImportState | null = null
  await until(async () => {
    state = await kernel.services.importRuns.state()
    return state !== null && state.status !== 'running'
  })
  return state!
}

/** Files and folders that an import must not leave: everything but the last state and media files. */
async function leftovers(uploads: string): Promise<string[]> {
  const names = await readdir(uploads, { recursive: true }).catch(() => [])
  return names.filter((name) => name.startsWith('.') && !['.imports', '.imports/state.json'].includes(name))
}

interface Item {
  type?: string
  parent?: number
  status?: string
  url?: string
  comments?: number
}

/** An export with one item per line, from line 3. */
function wxr(slug: string, items: readonly (readonly [type: string, id: number, item: Item])[]): string {
  const lines = items.map(([type, id, { parent = 0, status = 'publish', url = '', comments = 0, ...item }]) => {
    const comment = (index: number) =>
      `<wp:comment><wp:comment_id>${id * 10 + index}</wp:comment_id><wp:comment_approved>1</wp:comment_approved><wp:comment_date>2024-01-01 00:00:00</wp:comment_date></wp:comment>`
    return `<item><title>${slug} ${id}</title><wp:post_id>${id}</wp:post_id><wp:post_date>2024-01-01 00:00:00</wp:post_date><wp:post_name>${slug}-${id}</wp:post_name><wp:status>${status}</wp:status><wp:post_parent>${parent}</wp:post_parent><wp:post_type>${item.type ?? type}</wp:post_type>${url === '' ? '' : `<wp:attachment_url>${url}</wp:attachment_url>`}${Array.from({ length: comments }, (_, index) => comment(index)).join('')}</item>`
  })
  return `<rss><channel><title>Old</title><link>https://old.test</link><wp:wxr_version>1.2</wp:wxr_version>\n<wp:base_blog_url>https://old.test</wp:base_blog_url>\n${lines.join('\n')}</channel></rss>`
}

async function zipOf(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, bytes] of Object.entries(files)) zip.addBuffer(Buffer.from(bytes as string), name)
  zip.end()
  return buffer(zip.outputStream)
}

async function tarOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const pack = tar.pack()
  for (const [name, text] of Object.entries(files)) pack.entry({ name }, text)
  pack.finalize()
  return buffer(pack)
}

/** Replaces a name within an archive by one of the same length. */
function renamed(zip: Buffer, from: string, to: string): Buffer {
  return Buffer.from(zip.toString('latin1').replaceAll(from, to.padEnd(from.length, 'x')), 'latin1')
}
