import { mkdir, mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve, CONTENT_PLUGINS, startOnly, type Site } from '../../../helpers/site.ts'
import { exportTo, importFrom } from './exporting.ts'

startOnly('exporter', 'importer', ...CONTENT_PLUGINS)

const uploads = suite('export of media files')

for (const extension of ['tar', 'tar.gz', 'tgz'] as const) {
  uploads(`writes a .${extension} that an import reads`, async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-export-'))
    await using first = await serve()
    await addAttachments(first)
    const archive = join(folder.path, `uploads.${extension}`)
    const { report } = await exportTo(first, folder.path, { uploads: archive })
    assert.is(report.counts['files'], 4)
    await using second = await serve()
    const imported = await importFrom(second, join(folder.path, 'export.xml'), { uploads: archive })
    assert.is(imported.counts['files']?.imported, 3)
    const { uploads: there } = second.kernel.config
    assert.is(await readFile(join(there, '2025/01/größe & co.jpg'), 'utf8'), 'x'.repeat(100_000))
    assert.is(await readFile(join(there, '2025/01/empty.txt'), 'utf8'), '')
  })
}

uploads('writes a .zip', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-export-'))
  await using site = await serve()
  await addAttachments(site)
  const archive = join(folder.path, 'uploads.zip')
  await exportTo(site, folder.path, { uploads: archive })
  const files = filesInZip(await readFile(archive))
  assert.equal([...files.keys()].toSorted(), [
    'uploads/2025/01/empty.txt',
    'uploads/2025/01/größe & co-150x150.jpg',
    'uploads/2025/01/größe & co.jpg',
    'uploads/notes.txt',
  ])
  assert.is(files.get('uploads/2025/01/größe & co.jpg')?.toString(), 'x'.repeat(100_000))
  assert.is(files.get('uploads/notes.txt')?.toString(), 'a note')
})

uploads('contains the files of selected attachments, and reports missing ones', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-export-'))
  await using site = await serve()
  const { db } = site.store
  const ids = await addAttachments(site)
  await site.store.run(db.updateTable('posts').set({ date: '2020-01-01 00:00:00' }).where('id', '=', ids[0]!))
  await site.store.run(
    db.insertInto('post_meta').values({ post_id: ids[0]!, key: '_attached_later_file', value: '2025/01/gone.jpg' }),
  )
  const archive = join(folder.path, 'uploads.zip')
  const { report } = await exportTo(site, folder.path, { uploads: archive, filter: { before: '2020-12-31' } })
  assert.equal(
    [...filesInZip(await readFile(archive)).keys()],
    ['uploads/2025/01/größe & co.jpg', 'uploads/2025/01/größe & co-150x150.jpg'],
  )
  assert.equal(report.notes, ['1 × media file that is missing in the uploads folder'])
})

uploads('refuses names of other formats before it writes anything', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-export-'))
  await using site = await serve()
  const failed = await exportTo(site, folder.path, { uploads: join(folder.path, 'uploads.rar') }).then(
    () => '',
    ({ code }: { code: string }) => code,
  )
  assert.is(failed, 'EXPORT_UPLOADS_FORMAT')
  assert.equal(await readdir(folder.path), [])
})

uploads.run()

/** Adds two attachments with three files, a file without an attachment, and a hidden file. */
async function addAttachments({ kernel, store }: Site): Promise<number[]> {
  const { uploads: folder } = kernel.config
  await mkdir(join(folder, '2025/01'), { recursive: true })
  await writeFile(join(folder, '2025/01/größe & co.jpg'), 'x'.repeat(100_000))
  await writeFile(join(folder, '2025/01/größe & co-150x150.jpg'), 'small')
  await writeFile(join(folder, '2025/01/empty.txt'), '')
  await writeFile(join(folder, 'notes.txt'), 'a note')
  await writeFile(join(folder, '.htaccess'), 'deny')
  const { db } = store
  const added: number[] = []
  for (const [file, sizes] of [
    ['2025/01/größe & co.jpg', { thumbnail: { file: 'größe & co-150x150.jpg', width: 150, height: 150 } }],
    ['2025/01/empty.txt', {}],
  ] as const) {
    const post = { type: 'attachment', status: 'inherit', title: file, slug: file.slice(8, 10) }
    const row = await store.first(
      db
        .insertInto('posts')
        .values({ ...post, date: '2025-01-01 00:00:00' })
        .returning('id'),
    )
    const metadata = JSON.stringify({ file, sizes })
    await store.run(
      db.insertInto('post_meta').values([
        { post_id: row!.id, key: '_attached_file', value: file, json: 0 },
        { post_id: row!.id, key: '_attachment_metadata', value: metadata, json: 1 },
      ]),
    )
    added.push(row!.id)
  }
  return added
}

/** Reads the files of a zip archive by its central directory. */
function filesInZip(zip: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>()
  const end = zip.lastIndexOf('PK\u0005\u0006')
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, size, nameLength] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28)]
    const [extra, comment, local] = [zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32), zip.readUInt32LE(at + 42)]
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength)
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const data = zip.subarray(start, start + size)
    files.set(name, method === 8 ? inflateRawSync(data) : data)
    at += 46 + nameLength + extra + comment
  }
  return files
}
