import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import tar from 'tar-stream'
import type { Header } from 'tar-stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { safeName, stageUploads, type UploadLimits } from '../../../../plugins/operations/importer/uploads.ts'
import { openStore } from '../../../../plugins/storage/store/open.ts'

type Entry = Partial<Header> & { name: string }

const uploads = suite('uploads of an import')

uploads('unpacks an archive into the uploads folder after it is completely read', async () => {
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

uploads('recognizes an uncompressed archive by its content, not by its name', async () => {
  await using place = await workplace()
  const source = path.join(place.root, 'media.bin')
  await writeFile(source, await packed([file('a.txt', 'a')]))
  assert.is((await place.stageAndPlace(source)).imported, 1)
})

uploads('copies a folder without links, hidden files and program files', async () => {
  await using place = await workplace()
  const source = path.join(place.root, 'old')
  await mkdir(path.join(source, 'uploads', '2024'), { recursive: true })
  await writeFile(path.join(source, 'uploads', '2024', 'a.txt'), 'a')
  await writeFile(path.join(source, 'uploads', '.htaccess'), 'x')
  await writeFile(path.join(source, 'uploads', 'index.php'), '<?php')
  await symlink('/etc/passwd', path.join(source, 'uploads', 'passwd'))
  assert.equal(await place.stageAndPlace(source), {
    imported: 1,
    alreadyHere: 0,
    skipped: { 'hidden files': 1, 'program files': 1, 'links and special files': 1 },
  })
  assert.equal(await place.files(), ['2024/a.txt'])
})

uploads('does not replace existing files', async () => {
  await using place = await workplace()
  await writeFile(path.join(place.folder, 'same.txt'), 'same')
  await writeFile(path.join(place.folder, 'other.txt'), 'mine')
  const report = await place.stageAndPlace(await place.archive([file('same.txt', 'same'), file('other.txt', 'your')]))
  assert.equal(report, {
    imported: 0,
    alreadyHere: 1,
    skipped: { 'a different file with this name already exists in the uploads folder': 1 },
  })
  assert.is(await readFile(path.join(place.folder, 'other.txt'), 'utf8'), 'mine')
})

uploads('rejects paths outside the folder', () => {
  const names = ['../a', 'a/../../b', '/etc/passwd', 'C:/a', 'a\\..\\b', 'a\0b']
  assert.equal(
    names.map(safeName),
    names.map(() => undefined),
  )
  assert.equal(['./uploads/a/b', 'wp-content/uploads/a', 'a//b', 'uploads/'].map(safeName), ['a/b', 'a', 'a/b', ''])
})

uploads('rejects hostile archives and leaves no files', async () => {
  await using place = await workplace()
  const hostile: [Entry, string?][][] = [
    [file('ok.txt', 'ok'), file('../../escaped.txt', 'x')],
    [[{ name: 'link', type: 'symlink', linkname: '/etc' }], file('link/passwd', 'x')],
    [[{ name: 'hard', type: 'link', linkname: '/etc/passwd' }]],
    [[{ name: 'null', type: 'character-device', devmajor: 1, devminor: 3 }]],
  ]
  for (const entries of hostile) {
    assert.match(await failure(await place.archive(entries), place.folder), /outside its folder|only files and folders/)
  }
  assert.equal(await readdir(place.folder), [])
})

uploads('rejects a truncated archive, a missing archive, and a file that is not an archive', async () => {
  await using place = await workplace()
  const whole = gzipSync(await packed([file('a.txt', 'a'.repeat(100_000))]))
  const source = path.join(place.root, 'bad.tar.gz')
  for (const bytes of [whole.subarray(0, whole.length - 20), Buffer.from('not an archive at all'.repeat(50))]) {
    await writeFile(source, bytes)
    assert.match(await failure(source, place.folder), /^The uploads are invalid/)
  }
  assert.match(await failure(path.join(place.root, 'none.tar'), place.folder), 'does not exist or cannot be read')
  assert.equal(await readdir(place.folder), [])
})

uploads('limits the number and the sizes of files', async () => {
  await using place = await workplace()
  const source = await place.archive([file('a.txt', 'aaaa'), file('b.txt', 'bbbb')])
  for (const limits of [{ files: 1 }, { fileBytes: 3 }, { totalBytes: 7 }]) {
    assert.match(await failure(source, place.folder, limits), /more than \d+ (files|bytes)|larger than/)
  }
})

uploads('rejects an archive that unpacks to much more than its size, for all kinds of entries', async () => {
  await using place = await workplace()
  const zeros = '\0'.repeat(30 * 1024 ** 2)
  const bombs: [Entry, string?][][] = [
    [file('bomb.bin', zeros)],
    // Even if none of its files would be placed.
    [file('.hidden', zeros)],
    Array.from({ length: 22_000 }, (_, index) => file(`.empty/${index}`, '')),
    Array.from({ length: 22_000 }, (_, index): [Entry, string?] => [{ name: `folder/${index}/`, type: 'directory' }]),
  ]
  for (const entries of bombs) {
    const source = await place.archive([file('first.txt', 'first'), ...entries])
    assert.match(await failure(source, place.folder), /unpacks to more than 20 times its size/)
    assert.equal(await readdir(place.folder), [])
  }
  const twice = await place.archive([file('a.txt', 'a'.repeat(11 * 1024 ** 2))])
  assert.match(await failure(twice, place.folder, { ratio: 2 }), /unpacks to more than 2 times/)
  await using staged = await stageUploads(twice, place.folder, { ratio: 2000 })
  assert.ok(await staged.has('a.txt'))
})

uploads(
  'rejects files that need more than the free disk space before writing them, and counts empty files',
  async () => {
    await using place = await workplace()
    const large = await place.archive([file('a.txt', 'a'.repeat(6000)), file('b.txt', 'b'.repeat(6000))])
    assert.match(await failure(large, place.folder, { diskBytes: 16_383 }), /more than the 16383 bytes available/)
    const empty = await place.archive([file('a', ''), file('b', ''), file('c', '')])
    assert.match(await failure(empty, place.folder, { diskBytes: 8192 }), /bytes available/)
    const folder = path.join(place.root, 'old')
    await mkdir(folder)
    for (const name of ['a', 'b', 'c']) await writeFile(path.join(folder, name), '')
    assert.match(await failure(folder, place.folder, { diskBytes: 8192 }), /bytes available/)
    assert.equal(await readdir(place.folder), [])
    const fits = await place.archive([file('a.txt', 'a'.repeat(6000)), file('b.txt', 'b'.repeat(6000))])
    await using staged = await stageUploads(fits, place.folder, { diskBytes: 16_384 })
    assert.ok(await staged.has('b.txt'))
  },
)

uploads('counts skipped entries, folders and empty files', async () => {
  await using place = await workplace()
  const kinds: [Entry, string?][] = [
    file('a', ''),
    file('.b', ''),
    file('c.php', ''),
    [{ name: 'd/', type: 'directory' }],
  ]
  for (const entry of kinds) {
    const source = await place.archive([entry, entry, entry])
    assert.match(await failure(source, place.folder, { files: 2 }), /more than 2 files/)
  }
  assert.equal(await readdir(place.folder), [])
})

uploads('rejects long names, deep folders, and a path that is both a file and a folder', async () => {
  await using place = await workplace()
  const deep = `${'a/'.repeat(40)}b`
  for (const name of [
    deep,
    'n'.repeat(300),
    `${'long-folder-name-of-sixty-characters-or-somewhat-less-or-more/'.repeat(20)}a`,
  ]) {
    assert.match(
      await failure(await place.archive([file('ok', ''), file(name, '')]), place.folder),
      /is too long or has too many folders/,
    )
  }
  for (const names of [
    ['a', 'a/b'],
    ['a/b', 'a'],
  ]) {
    const source = await place.archive(names.map((name) => file(name, 'x')))
    assert.match(await failure(source, place.folder), /one path is used by both a file and a folder/)
  }
  assert.equal(await readdir(place.folder), [])
})

uploads('rejects entries with a wrong size', async () => {
  await using place = await workplace()
  const source = path.join(place.root, 'lies.tar')
  // In a placed file and in a skipped one.
  for (const name of ['a.txt', '.a.txt']) {
    const whole = await packed([file(name, 'a'.repeat(5000)), file('b.txt', 'b'.repeat(5000))])
    for (const size of [10, 4000, 6000, 12_000, 100_000, 8 ** 11 - 1, 2 ** 62]) {
      await writeFile(source, withSize(whole, size))
      assert.match(await failure(source, place.folder), /^The uploads are invalid: /, String(size))
      assert.equal(await readdir(place.folder), [], String(size))
    }
  }
})

uploads('keeps the last of several files with the same path, and reports the others', async () => {
  await using place = await workplace()
  const report = await place.stageAndPlace(
    await place.archive([file('a', 'first'), file('./a', 'second'), file('uploads/a', 'third')]),
  )
  assert.equal(report, {
    imported: 1,
    alreadyHere: 0,
    skipped: { 'earlier versions of files that the archive contains more than once': 2 },
  })
  assert.is(await readFile(path.join(place.folder, 'a'), 'utf8'), 'third')
})

uploads('keeps only the given files and removes the others', async () => {
  await using place = await workplace()
  const names = ['2024/a.png', '2024/a-10x10.png', '2024/b.png', 'deep/er/c.txt']
  const source = await place.archive(names.map((name) => file(name, name)))
  await using staged = await stageUploads(source, place.folder)
  // A folder is not a file: its name would keep all files in it.
  await staged.keepOnly(yieldNames('2024', '2024/a.png', '2024/missing.png', '2024/a-10x10.png', '2024/a.png'))
  await staged.promise(place.store)
  assert.equal(await staged.place(place.store), {
    imported: 2,
    alreadyHere: 0,
    skipped: { 'files that belong to no attachment': 2 },
  })
  assert.equal(await place.files(), ['2024/a-10x10.png', '2024/a.png'])
  assert.equal(await readdir(place.folder), ['2024'])
})

uploads('leaves no files if the import fails after the selection of files', async () => {
  await using place = await workplace()
  {
    await using staged = await stageUploads(await place.archive([file('a', 'a'), file('b', 'b')]), place.folder)
    await staged.keepOnly(yieldNames('a'))
  }
  assert.equal(await readdir(place.folder), [])
})

uploads('rejects the uploads folder as a source', async () => {
  await using place = await workplace()
  assert.match(await failure(place.folder, place.folder), 'itself')
})

uploads.run()

async function* yieldNames(...names: string[]): AsyncGenerator<string> {
  yield* names
}

/** An archive whose first entry has a wrong size. */
function withSize(archive: Buffer, size: number): Buffer {
  const changed = Buffer.from(archive)
  if (size < 8 ** 11) changed.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1')
  else {
    changed.fill(0, 124, 136)
    changed[124] = 0x80
    changed.writeBigUInt64BE(BigInt(size), 128)
  }
  changed.fill(' ', 148, 156)
  const sum = changed.subarray(0, 512).reduce((total, byte) => total + byte, 0)
  changed.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return changed
}

function file(name: string, content: string): [Entry, string] {
  return [{ name }, content]
}

async function packed(entries: readonly [Entry, string?][]): Promise<Buffer> {
  const pack = tar.pack()
  for (const [header, content] of entries) pack.entry(header, content ?? '')
  pack.finalize()
  return await buffer(pack)
}

/** The error message of a failed staging. */
async function failure(source: string, folder: string, limits?: UploadLimits): Promise<string> {
  try {
    await using _staged = await stageUploads(source, folder, limits)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('Staging did not fail.')
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
    async stageAndPlace(source: string) {
      await using staged = await stageUploads(source, folder)
      await staged.promise(store)
      return await staged.place(store)
    },
    /** Files visible to visitors. */
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
