import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import tar from 'tar-stream'
import type { Header } from 'tar-stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { safeName, stageUploads } from '../../../../plugins/operations/import/uploads.ts'
import type { UploadLimits } from '../../../../plugins/operations/import/uploads.ts'
import { openStore } from '../../../../plugins/storage/store/open.ts'

type Entry = Partial<Header> & { name: string }

const uploads = suite('uploads')

uploads('unpacks an archive into the folder once everything is read', async () => {
  await using place = await workplace()
  const source = await place.archive([file('uploads/2024/05/a.txt', 'a'), file('./uploads/b.txt', 'b')])
  await using staged = await stageUploads(source, place.folder)
  assert.equal(await place.files(), [])
  assert.is(await staged.has('2024/05/a.txt'), true)
  assert.is(await staged.has('2024/05/z.txt'), false)
  assert.equal(await staged.place(place.store), { imported: 2, alreadyHere: 0, skipped: {} })
  assert.equal(await place.files(), ['2024/05/a.txt', 'b.txt'])
  assert.is(await readFile(path.join(place.folder, 'b.txt'), 'utf8'), 'b')
})

uploads('reads a plain archive as well, by what it holds and not by its name', async () => {
  await using place = await workplace()
  const source = path.join(place.root, 'media.bin')
  await writeFile(source, await packed([file('a.txt', 'a')]))
  assert.is((await place.take(source)).imported, 1)
})

uploads('copies a folder, leaving out links, hidden files and programs', async () => {
  await using place = await workplace()
  const source = path.join(place.root, 'old')
  await mkdir(path.join(source, 'uploads', '2024'), { recursive: true })
  await writeFile(path.join(source, 'uploads', '2024', 'a.txt'), 'a')
  await writeFile(path.join(source, 'uploads', '.htaccess'), 'x')
  await writeFile(path.join(source, 'uploads', 'index.php'), '<?php')
  await symlink('/etc/passwd', path.join(source, 'uploads', 'passwd'))
  assert.equal(await place.take(source), {
    imported: 1,
    alreadyHere: 0,
    skipped: { 'hidden files': 1, 'program files': 1, 'links and special files': 1 },
  })
  assert.equal(await place.files(), ['2024/a.txt'])
})

uploads('leaves files that are there as they are', async () => {
  await using place = await workplace()
  await writeFile(path.join(place.folder, 'same.txt'), 'same')
  await writeFile(path.join(place.folder, 'other.txt'), 'mine')
  const report = await place.take(await place.archive([file('same.txt', 'same'), file('other.txt', 'your')]))
  assert.equal(report, {
    imported: 0,
    alreadyHere: 1,
    skipped: { 'another file with this name is in the uploads folder already': 1 },
  })
  assert.is(await readFile(path.join(place.folder, 'other.txt'), 'utf8'), 'mine')
})

uploads('refuses names that lead out of the folder', () => {
  const names = ['../a', 'a/../../b', '/etc/passwd', 'C:/a', 'a\\..\\b', 'a\0b']
  assert.equal(
    names.map(safeName),
    names.map(() => undefined),
  )
  assert.equal(['./uploads/a/b', 'wp-content/uploads/a', 'a//b', 'uploads/'].map(safeName), ['a/b', 'a', 'a/b', ''])
})

uploads('refuses hostile archives and leaves nothing of them', async () => {
  await using place = await workplace()
  const hostile: [Entry, string?][][] = [
    [file('ok.txt', 'ok'), file('../../escaped.txt', 'x')],
    [[{ name: 'link', type: 'symlink', linkname: '/etc' }], file('link/passwd', 'x')],
    [[{ name: 'hard', type: 'link', linkname: '/etc/passwd' }]],
    [[{ name: 'null', type: 'character-device', devmajor: 1, devminor: 3 }]],
  ]
  for (const entries of hostile) {
    assert.match(await failure(await place.archive(entries), place.folder), /leads out|only files and folders/)
  }
  assert.equal(await readdir(place.folder), [])
})

uploads('refuses a truncated archive, a missing one and what is none', async () => {
  await using place = await workplace()
  const whole = gzipSync(await packed([file('a.txt', 'a'.repeat(100_000))]))
  const source = path.join(place.root, 'bad.tar.gz')
  for (const bytes of [whole.subarray(0, whole.length - 20), Buffer.from('not an archive at all'.repeat(50))]) {
    await writeFile(source, bytes)
    assert.match(await failure(source, place.folder), /^The uploads cannot be used/)
  }
  assert.match(await failure(path.join(place.root, 'none.tar'), place.folder), 'nothing to read')
  assert.equal(await readdir(place.folder), [])
})

uploads('bounds the number and the sizes of files', async () => {
  await using place = await workplace()
  const source = await place.archive([file('a.txt', 'aaaa'), file('b.txt', 'bbbb')])
  for (const limits of [{ files: 1 }, { fileBytes: 3 }, { totalBytes: 7 }]) {
    assert.match(await failure(source, place.folder, limits), /more than 1 files|larger than/)
  }
})

uploads('refuses the uploads folder as its own source', async () => {
  await using place = await workplace()
  assert.match(await failure(place.folder, place.folder), 'itself')
})

uploads.run()

function file(name: string, content: string): [Entry, string] {
  return [{ name }, content]
}

async function packed(entries: readonly [Entry, string?][]): Promise<Buffer> {
  const pack = tar.pack()
  for (const [header, content] of entries) pack.entry(header, content ?? '')
  pack.finalize()
  return await buffer(pack)
}

/** The message with which staging fails. */
async function failure(source: string, folder: string, limits?: UploadLimits): Promise<string> {
  try {
    await using _staged = await stageUploads(source, folder, limits)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('Nothing failed')
}

async function workplace() {
  const root = await mkdtemp(path.join(tmpdir(), 'uploads-test-'))
  const folder = path.join(root, 'uploads')
  await mkdir(folder)
  const store = await openStore('sqlite::memory:')
  return {
    root,
    folder,
    store,
    async archive(entries: readonly [Entry, string?][]): Promise<string> {
      const name = path.join(root, 'uploads.tar.gz')
      await writeFile(name, gzipSync(await packed(entries)))
      return name
    },
    async take(source: string) {
      await using staged = await stageUploads(source, folder)
      await staged.promise(store)
      return await staged.place(store)
    },
    /** Files that visitors would find. */
    async files(): Promise<string[]> {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      const names = entries
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      return names.filter((name) => !name.startsWith('.import-')).sort()
    },
    async [Symbol.asyncDispose]() {
      await store.close()
      await rm(root, { recursive: true })
    },
  }
}
