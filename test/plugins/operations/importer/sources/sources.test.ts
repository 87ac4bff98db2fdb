import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import tar from 'tar-stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ZipFile } from 'yazl'
import { findSources } from '../../../../../plugins/operations/importer/sources/sources.ts'
import { stageUploads } from '../../../../../plugins/operations/importer/uploads.ts'
import { serve } from '../../../../helpers/site.ts'
import { stores } from '../../../../helpers/stores.ts'
import { createImporter, rows } from '../importing.ts'

const sources = suite('sources of an import')

const file = (inside: string) =>
  `<rss><channel><wp:wxr_version>1.2</wp:wxr_version><wp:base_blog_url>http://old.example</wp:base_blog_url>${inside}</channel></rss>`
const item = (id: number, more = '') =>
  `<item><title>Item ${id}</title><guid>http://old.example/?p=${id}</guid><wp:post_id>${id}</wp:post_id><wp:post_date>2020-01-01 10:00:00</wp:post_date>
   <wp:post_name>item-${id}</wp:post_name><wp:status>publish</wp:status><wp:post_type>page</wp:post_type>${more}</item>`
const PARTS = [file(item(2, '<wp:post_parent>9</wp:post_parent>')), file(item(9))]

sources('finds exports in a folder and in its archives, sorted by name, and its media files', async () => {
  await using place = await workplace()
  await place.write('b/part-10.xml', PARTS[1]!)
  await place.write('b/part-2.WXR', PARTS[0]!)
  await place.write('a/part.xml.gz', gzipSync(PARTS[0]!))
  await place.write('c.zip', await zipOf({ 'site/x.xml': PARTS[0]!, '__MACOSX/._x.xml': 'no', 'site/notes.txt': 'no' }))
  await place.write('wp-content/uploads/2020/01/map.xml', 'a media file')
  await place.write('.hidden.xml', 'no')
  await place.write('readme.txt', 'no')
  await symlink('/etc/hosts', path.join(place.folder, 'link.xml'))
  const found = await findSources([place.folder])
  assert.equal(
    found.exports.map(({ name }) => name),
    ['a/part.xml.gz', 'b/part-2.WXR', 'b/part-10.xml', 'c.zip/site/x.xml'],
  )
  assert.is(found.uploads, path.join(place.folder, 'wp-content/uploads'))
  for (const { source, name } of found.exports) {
    const expected = name.endsWith('part-10.xml') ? PARTS[1] : PARTS[0]
    assert.is((await bytesOf(source)).toString(), expected, name)
  }
})

sources('recognizes archives of media files by their content', async () => {
  await using place = await workplace()
  const exported = await place.write('export.xml', PARTS[0]!)
  const archives = {
    'media.bin': await tarOf({ '2020/01/a.txt': 'a' }),
    'media.tgz': gzipSync(await tarOf({ '2020/01/a.txt': 'a' })),
    'media.zip': await zipOf({ 'backup/wp-content/uploads/2020/01/a.txt': 'a' }),
  }
  for (const [name, bytes] of Object.entries(archives)) {
    const archive = await place.write(name, bytes)
    const found = await findSources([exported, archive])
    assert.equal([found.exports.length, found.uploads], [1, archive], name)
  }
  const media = path.dirname(path.dirname(await place.write('media/2020/01/a.txt', 'a')))
  assert.is((await findSources([exported, path.dirname(media)])).uploads, path.dirname(media))
})

sources('reads the standard input, also compressed', async () => {
  for (const bytes of [Buffer.from(PARTS[0]!), gzipSync(PARTS[0]!)]) {
    const [only] = (await findSources(['-'], Readable.from([bytes]))).exports
    assert.is((await bytesOf(only!.source)).toString(), PARTS[0])
  }
  const [zip] = (await findSources(['-'], Readable.from([await zipOf({ 'a.xml': 'a' })]))).exports
  assert.match(await messageOf(bytesOf(zip!.source)), /save it first/)
})

sources('refuses what cannot be imported, and names it', async () => {
  await using place = await workplace()
  const cases: [paths: string[], message: RegExp][] = [
    [[path.join(place.folder, 'missing.xml')], /missing\.xml does not exist/],
    [[path.dirname(await place.write('empty/readme.txt', 'no'))], /contains neither an export/],
    [[await place.write('broken.zip', Buffer.from('PK\u0003\u0004 broken'))], /broken\.zip is not a readable zip/],
    [[await place.write('media.tar', await tarOf({ 'a.txt': 'a' }))], /no export \(WXR\) was found/],
  ]
  for (const [paths, message] of cases) assert.match(await messageOf(findSources(paths)), message)
  const bomb = await place.write('bomb.xml.gz', gzipSync(Buffer.alloc(30 * 1024 ** 2)))
  const [bombed] = (await findSources([bomb])).exports
  assert.match(await messageOf(bytesOf(bombed!.source)), /more than 100 times/)
  const damaged = await place.write('damaged.xml.gz', gzipSync(PARTS[0]!).subarray(0, 60))
  const [cut] = (await findSources([damaged])).exports
  assert.match(await messageOf(bytesOf(cut!.source)), /is damaged/)
})

sources('reads media files from a zip archive within the limits of other archives', async () => {
  await using place = await workplace()
  const folder = path.join(place.folder, 'uploads-here')
  const good = await place.write('good.zip', await zipOf({ 'x/uploads/2020/01/a.txt': 'a', 'x/export.xml': 'no' }))
  await using staged = await stageUploads(good, folder)
  assert.equal([await staged.has('2020/01/a.txt'), await staged.has('x/export.xml')], [true, false])
  const renamed = (bytes: Buffer, from: string, to: string) =>
    Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1')
  const big = await zipOf({ 'zeros.txt': Buffer.alloc(30 * 1024 ** 2) })
  const link = new ZipFile()
  link.addBuffer(Buffer.from('/etc/passwd'), 'a.txt', { mode: 0o120777 })
  link.end()
  const cases: [bytes: Buffer, message: RegExp][] = [
    [renamed(await zipOf({ 'aa/x.txt': 'x' }), 'aa/x.txt', '../x.txt'), /\.\.\/x\.txt|outside/],
    [renamed(await zipOf({ 'aa/x.txt': 'x' }), 'aa/x.txt', '/a/x.txt'), /absolute|outside/],
    [big, /more than 20 times/],
    [await buffer(link.outputStream), /symlink/],
  ]
  for (const [bytes, message] of cases) {
    const bad = await place.write('bad.zip', bytes)
    assert.match(await messageOf(stageUploads(bad, folder)), message)
  }
})

sources('links the objects of several files, and names the file of each repair and error', async () => {
  await using place = await workplace()
  await using site = await serve()
  const importInto = createImporter(site)
  await using opened = await stores[0]!.open()
  await place.write('1.xml', PARTS[0]!.replace('Item 2', 'Q & A'))
  const second = await place.write('2.xml', PARTS[1]!)
  const { exports } = await findSources([place.folder])
  const report = await importInto(opened.store, { source: undefined as never, sources: exports })
  const posts = new Map((await rows(opened.store, 'posts')).map((post) => [post.slug, post]))
  assert.is(posts.get('item-2')?.parent_id, posts.get('item-9')?.id)
  assert.equal(
    report.repairs.map(({ code, file: name, line }) => [code, name, line]),
    [['bare-ampersand', '1.xml', 1]],
  )
  await writeFile(second, (await readFile(second)).subarray(0, 200))
  const again = (await findSources([place.folder])).exports
  const failure = importInto(opened.store, { source: undefined as never, sources: again })
  assert.match(await messageOf(failure), /^2\.xml: The export file is truncated at line 1/)
})

sources.run()

async function workplace() {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-sources-'))
  return {
    folder,
    async write(name: string, data: string | Uint8Array): Promise<string> {
      const target = path.join(folder, name)
      await mkdir(path.dirname(target), { recursive: true })
      await writeFile(target, data)
      return target
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

async function zipOf(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, data] of Object.entries(files)) zip.addBuffer(Buffer.from(data as string), name)
  zip.end()
  return await buffer(zip.outputStream)
}

async function tarOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const pack = tar.pack()
  for (const [name, data] of Object.entries(files)) pack.entry({ name }, data)
  pack.finalize()
  return await buffer(pack)
}

async function bytesOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(source))
}

async function messageOf(failing: Promise<unknown>): Promise<string> {
  return await failing.then(
    () => 'nothing failed',
    (error: Error) => error.message,
  )
}
