import { mkdtempDisposable, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { buffer } from 'node:stream/consumers'
import tar from 'tar-stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases } from '../../../helpers/site-with-users.ts'
import { serveOn } from '../../../helpers/site.ts'
import { one } from './importing.ts'

const text = (value: string) => `s:${Buffer.byteLength(value)}:"${value}";`
const metadata = `a:2:{${text('original_image')}${text('photo.jpg')}${text('sizes')}a:1:{${text('medium')}a:1:{${text('file')}${text('photo-300x200.jpg')}}}}`
const meta = (key: string, value: string) =>
  `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value><![CDATA[${value}]]></wp:meta_value></wp:postmeta>`
const attachment = (id: number, file: string, more = '') =>
  `<item><title>${id}</title><wp:post_id>${id}</wp:post_id><wp:post_type>attachment</wp:post_type>
    <wp:status>inherit</wp:status>${meta('_wp_attached_file', file)}${more}</item>`
const exported = (...items: string[]) =>
  `<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${items.join('')}</channel></rss>`

const NAMED = ['2024/05/photo-300x200.jpg', '2024/05/photo-scaled.jpg', '2024/05/photo.jpg', 'notes.txt']
const UNNAMED = ['2024/05/backup.sql', '2024/05/photo-999x999.jpg', 'cache/page.html', 'notes.txt.bak', 'private.pdf']
const EXPORT = exported(
  attachment(10, '2024/05/photo-scaled.jpg', meta('_wp_attachment_metadata', metadata)),
  attachment(11, 'notes.txt'),
  // A folder, and a path outside the uploads folder, are not files.
  attachment(12, 'cache'),
  attachment(13, '../../private.pdf'),
)

async function archive(names: readonly string[]): Promise<Buffer> {
  const pack = tar.pack()
  for (const name of names) pack.entry({ name: `uploads/${name}` }, `content of ${name}`)
  pack.finalize()
  return gzipSync(await buffer(pack))
}

for (const { name, place } of databases) {
  const placedFiles = suite(`placed files of an import: ${name}`)

  const open = async () => {
    const folder = await mkdtempDisposable(path.join(tmpdir(), 'kept-files-'))
    const uploads = path.join(folder.path, 'uploads')
    const source = path.join(folder.path, 'uploads.tar.gz')
    const site = await serveOn(await place(), { uploads })
    return {
      site,
      async importText(text: string, names: readonly string[]) {
        await writeFile(source, await archive(names))
        return site.kernel.services.importer.run({ source: one(text), uploads: source })
      },
      /** All files below the uploads folder, including hidden ones. */
      async files(): Promise<string[]> {
        const entries = await readdir(uploads, { recursive: true, withFileTypes: true }).catch(() => [])
        const files = entries.filter((entry) => entry.isFile() || entry.name.startsWith('.import'))
        return files.map((entry) => path.relative(uploads, path.join(entry.parentPath, entry.name))).sort()
      },
      async [Symbol.asyncDispose]() {
        await site[Symbol.asyncDispose]()
        await folder[Symbol.asyncDispose]()
      },
    }
  }

  placedFiles('are the files of attachments, including image sizes and originals', async () => {
    await using here = await open()
    const report = await here.importText(EXPORT, [...NAMED, ...UNNAMED])
    const skipped = { 'files that belong to no attachment': UNNAMED.length }
    assert.equal(report.counts['files'], { imported: NAMED.length, alreadyHere: 0, skipped })
    assert.equal(await here.files(), NAMED)
    const photo = await here.site.request(`${here.site.home}/uploads/2024/05/photo.jpg`)
    assert.is(await photo.text(), 'content of 2024/05/photo.jpg')
  })

  placedFiles('include files of attachments from an earlier import', async () => {
    await using here = await open()
    await here.importText(EXPORT, ['notes.txt'])
    const report = await here.importText(EXPORT, [...NAMED, ...UNNAMED])
    const skipped = { 'files that belong to no attachment': UNNAMED.length }
    assert.equal(report.counts['files'], { imported: NAMED.length - 1, alreadyHere: 1, skipped })
    assert.equal(await here.files(), NAMED)
  })

  placedFiles('do not exist if the import fails or the archive is rejected', async () => {
    await using here = await open()
    const failure = (work: Promise<unknown>) =>
      work.then(
        () => 'none',
        ({ code }: { code: string }) => code,
      )
    assert.is(await failure(here.importText(EXPORT.slice(0, -20), NAMED)), 'IMPORT_TRUNCATED')
    assert.equal(await here.files(), [])
    assert.is(await failure(here.importText(EXPORT, [...NAMED, '../out.txt'])), 'IMPORT_UPLOADS_INVALID')
    assert.equal(await here.files(), [])
    assert.equal(await here.site.json('/svc/v2/media'), [])
  })

  placedFiles.run()
}
