import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { stageUploads } from '../../../../../plugins/operations/importer/uploads.ts'
import { definePlugin, RequestCache, VISITOR } from '../../../../../kernel/index.ts'
import { fileModes } from '../../../../../plugins/content/media/files/file-modes.ts'
import { brokenFiles, brokenInvariants } from '../../../../helpers/invariants.ts'
import { as, serve, type ServeOptions, type Site } from '../../../../helpers/site.ts'
import { until } from '../../../../helpers/until.ts'
import { databases } from '../../../../helpers/site-with-users.ts'

// S39: files and rows stay consistent, whenever a process ends and regardless of disk errors.

const LIST = '/svc/v2/media'
const BY = as('administrator', 1)

// oxlint-disable-next-line typescript/no-explicit-any -- tests read properties of any JSON body
type Body = any

/** A separate uploads folder. */
async function uploadsFolder() {
  const root = await mkdtemp(join(tmpdir(), 'pending-test-'))
  const folder = join(root, 'uploads')
  return {
    folder,
    /** Returns the names of the files in it, including staged files. */
    async files() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      return entries
        .filter((one) => one.isFile())
        .map(({ name }) => name)
        .sort()
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  }
}

async function upload(site: Site, name = 'note.txt', text = 'some text'): Promise<{ status: number; body: Body }> {
  const headers = { ...BY, 'content-disposition': `attachment; filename="${name}"`, 'content-type': 'text/plain' }
  const response = await site.request(LIST, { method: 'POST', headers, body: text })
  return { status: response.status, body: await response.json() }
}

async function remove(site: Site, id: number): Promise<{ status: number; body: Body }> {
  const response = await site.request(`${LIST}/${id}?force=true`, { method: 'DELETE', headers: BY })
  return { status: response.status, body: await response.json() }
}

const brokenFilesOf = ({ store, kernel }: Site) => brokenFiles(store, kernel.config.uploads)
const waiting = ({ store }: Site) => store.all(store.db.selectFrom('pending_files').select(['file', 'task']))

/** Runs as an unprivileged account if this process is root. */
async function without<T>(rights: 'root', act: () => Promise<T>): Promise<T> {
  assert.is(rights, 'root')
  if (process.getuid!() !== 0) return act()
  process.seteuid!(65_534)
  try {
    return await act()
  } finally {
    process.seteuid!(0)
  }
}

for (const { name, place } of databases) {
  const pending = suite(`media files and rows on ${name}`)

  /** Kills a process at a moment, and returns the state after a server has started on its data. */
  const survive = async (moment: string, check: (site: Site, files: string[]) => Promise<void>) => {
    await using database = await place()
    await using uploads = await uploadsFolder()
    await mkdir(uploads.folder)
    await mkdir(`${uploads.folder}-source/2024`, { recursive: true })
    await writeFile(`${uploads.folder}-source/2024/old.txt`, 'imported')
    const script = join(import.meta.dirname, '../../../../fixtures/dying-site.ts')
    const child = spawn(process.execPath, [script, database.url, uploads.folder, moment], { stdio: 'inherit' })
    assert.equal(await once(child, 'exit'), [null, 'SIGKILL'], moment)
    const left = await uploads.files()
    await using site = await serve({ database: database.url, uploads: uploads.folder })
    await check(site, left)
    assert.equal([await waiting(site), await brokenFilesOf(site)], [[], []])
    const stages = (await readdir(uploads.folder)).filter((one) => one.startsWith('.'))
    assert.equal(stages, [])
  }
  const media = async (site: Site): Promise<Body[]> => site.json(LIST)

  for (const moment of ['placed', 'stored']) {
    pending(`S39: an upload of a process that was killed once it was ${moment} leaves no file`, async () => {
      await survive(moment, async (site, left) => {
        assert.equal(left, ['note.txt'])
        assert.equal(await media(site), [])
        const month = new Date().toISOString().slice(0, 7).replace('-', '/')
        assert.is((await site.request(`${site.home}/uploads/${month}/note.txt`)).status, 404)
        assert.equal(await readdir(join(site.kernel.config.uploads, month)), [])
        // The name is free again.
        assert.match((await upload(site)).body.source_url, /\/note\.txt$/)
      })
    })
  }

  pending('S39: an acknowledged upload exists after the process was killed', async () => {
    await survive('committed', async (site, left) => {
      assert.equal(left, ['note.txt'])
      const [{ source_url: url }] = await media(site)
      assert.is(await (await site.request(url)).text(), 'some text')
    })
  })

  pending('S39: a file whose deletion was interrupted exists exactly if its attachment exists', async () => {
    await survive('deleting', async (site) => {
      const [{ source_url: url }] = await media(site)
      assert.is((await site.request(url)).status, 200)
    })
    await survive('deleted', async (site, left) => {
      assert.equal(left, ['note.txt'])
      assert.equal(await media(site), [])
      const files = await readdir(site.kernel.config.uploads, { recursive: true, withFileTypes: true })
      assert.equal(
        files.filter((one) => one.isFile()),
        [],
      )
    })
  })

  pending('S39: a batch in one transaction leaves nothing after the process was killed halfway', async () => {
    await survive('batch', async (site) => {
      assert.equal(await site.json('/svc/v2/posts?status=draft', BY), [])
      assert.equal(await brokenInvariants(site.store), [])
    })
  })

  pending('S39: files of an import are placed all at once, after the import is committed', async () => {
    await survive('promised', async (site) => {
      assert.is(await (await site.request(`${site.home}/uploads/2024/old.txt`)).text(), 'imported')
    })
    await survive('staged', async (site) => {
      assert.is((await site.request(`${site.home}/uploads/2024/old.txt`)).status, 404)
    })
  })

  const start = async (folder: string, options: ServeOptions = {}) => {
    const database = await place()
    const site = await serve({ database: database.url, uploads: folder, ...options })
    return {
      ...site,
      database: database.url,
      async [Symbol.asyncDispose]() {
        await site[Symbol.asyncDispose]()
        await database[Symbol.asyncDispose]()
      },
    }
  }

  pending(
    'S39: a file that cannot be deleted is not served, is reported, and is deleted as soon as possible',
    async () => {
      for (const privately of [true, false]) {
        await using uploads = await uploadsFolder()
        await using site = await start(uploads.folder, {
          share_uploads: true,
          plugins: { media: { private_files: privately, sweep_interval: 1 } },
        })
        const { body } = await upload(site)
        const path = body.source_url.slice(`${site.home}/uploads/`.length)
        const month = join(uploads.folder, path, '..')
        await chmod(join(uploads.folder, '..'), 0o755)
        await chmod(month, 0o555)
        // The unprivileged account must be able to check that the database exists.
        const [, file] = /^sqlite:(.*)/.exec(site.database) ?? []
        if (file !== undefined) await chmod(join(file, '..'), 0o755)
        const answer = await without('root', () => remove(site, body.id))
        assert.equal([answer.status, answer.body.deleted, answer.body.pending_files], [200, true, [path]])
        assert.equal(await uploads.files(), ['note.txt'])
        assert.is((await site.request(body.source_url)).status, 404)
        assert.is((await site.get(`${LIST}/${body.id}`)).status, 404)
        // A new file with this name is a different file.
        await chmod(month, 0o755)
        await until(async () => (await waiting(site)).length === 0)
        assert.equal(await uploads.files(), [])
        assert.is((await remove(site, (await upload(site)).body.id)).body.pending_files, undefined)
      }
    },
  )

  pending('does not reuse the name of a file with a pending deletion', async () => {
    await using uploads = await uploadsFolder()
    await using site = await start(uploads.folder)
    const { body } = await upload(site)
    const path = body.source_url.slice(`${site.home}/uploads/`.length)
    await remove(site, body.id)
    await site.store.run(
      site.store.db.insertInto('pending_files').values({ file: path, task: 'remove', owner: '', since: 0 }),
    )
    assert.match((await upload(site)).body.source_url, /\/note-1\.txt$/)
  })

  pending('leaves no files of an aborted upload', async () => {
    await using uploads = await uploadsFolder()
    const robber = definePlugin({
      name: 'test-robber',
      after: ['media'],
      needs: ['store', 'posts'],
      apply({ hooks, services: { store } }) {
        hooks.rest_pre_insert_attachment.tapPromise('robber', async (change) => {
          await store.run(store.db.updateTable('pending_files').set({ task: 'remove' }))
          return change
        })
      },
    })
    await using site = await start(uploads.folder, { add: [robber] })
    const { status, body } = await upload(site)
    assert.equal([status, body.code], [500, 'rest_upload_unknown_error'])
    assert.equal([await media(site), await uploads.files(), await waiting(site)], [[], [], []])
  })

  pending('deletes the files of an attachment for every way of deleting it, including unlisted versions', async () => {
    await using uploads = await uploadsFolder()
    await using site = await start(uploads.folder)
    const { body } = await upload(site, 'photo.txt')
    const { body: other } = await upload(site, 'photo-2.txt')
    const path = join(uploads.folder, body.source_url.slice(`${site.home}/uploads/`.length))
    await writeFile(path.replace('.txt', '-300x200.txt'), 'smaller')
    await site.kernel.services.posts.remove(body.id, { user: VISITOR, scope: new RequestCache() })
    await until(async () => (await waiting(site)).length === 0)
    assert.equal(await uploads.files(), ['photo-2.txt'])
    assert.is((await site.request(other.source_url)).status, 200)
  })

  pending('keeps the files if the deletion is rolled back', async () => {
    await using uploads = await uploadsFolder()
    await using site = await start(uploads.folder)
    const { body } = await upload(site)
    const transaction = site.store.transaction(async () => {
      await site.kernel.services.posts.remove(body.id, { user: VISITOR, scope: new RequestCache() })
      throw new Error('taken back')
    })
    await transaction.then(
      () => assert.unreachable(),
      () => {},
    )
    assert.is((await site.request(body.source_url)).status, 200)
    assert.is((await remove(site, body.id)).status, 200)
    assert.equal(await uploads.files(), [])
  })

  pending('S38: handles concurrent uploads and deletions of the same name', async () => {
    await using uploads = await uploadsFolder()
    await using site = await start(uploads.folder)
    const responses = await Promise.all(Array.from({ length: 8 }, () => upload(site)))
    assert.is(new Set(responses.map(({ body }) => body.source_url)).size, 8)
    await Promise.all([...responses.map(({ body }) => remove(site, body.id)), ...responses.map(() => upload(site))])
    const left = await media(site)
    for (const { source_url: url } of left) assert.is((await site.request(url)).status, 200)
    assert.equal([left.length, await waiting(site), await brokenFilesOf(site)], [8, [], []])
    const broken = (await brokenInvariants(site.store)).filter((one) => !one.startsWith('content outside'))
    assert.equal(broken, [])
  })

  pending.run()
}

const permissions = suite('permissions of media files on the disk')

const modeOf = async (...path: string[]) => ((await stat(join(...path))).mode & 0o777).toString(8)

permissions('S32: cannot be bypassed by uploads that are named like a version of another file', async () => {
  await using uploads = await uploadsFolder()
  await using site = await serve({ uploads: uploads.folder })
  for (const fileName of ['photo.txt', 'photo-e1.txt', 'photo-scaled.txt', 'PHOTO-300x200.txt'])
    await upload(site, fileName)
  assert.equal(await uploads.files(), ['PHOTO-300x200-1.txt', 'photo-e1-1.txt', 'photo-scaled-1.txt', 'photo.txt'])
})

for (const [shared, folder, file] of [
  [false, '700', '600'],
  [true, '755', '644'],
] as const) {
  permissions(
    `include ${shared ? 'other accounts if share_uploads is on' : "only the server's account by default"}`,
    async () => {
      await using uploads = await uploadsFolder()
      await using site = await serve({ uploads: uploads.folder, share_uploads: shared })
      const { body } = await upload(site)
      const path = body.source_url.slice(`${site.home}/uploads/`.length)
      const source = `${uploads.folder}-source`
      await mkdir(`${source}/2024`, { recursive: true })
      await writeFile(`${source}/2024/old.txt`, 'old', { mode: 0o666 })
      await using staged = await stageUploads(source, uploads.folder, {}, fileModes({ share_uploads: shared }))
      await staged.place(site.store)
      const { folder: root } = uploads
      const folders = [await modeOf(root), await modeOf(root, path, '..'), await modeOf(root, '2024')]
      assert.equal(folders, [folder, folder, folder])
      assert.equal([await modeOf(root, path), await modeOf(root, '2024', 'old.txt')], [file, file])
    },
  )
}

permissions('cause a warning if other accounts can open the folder', async () => {
  await using uploads = await uploadsFolder()
  await mkdir(uploads.folder)
  await chmod(uploads.folder, 0o755)
  const lines: string[] = []
  const options = { uploads: uploads.folder, log: 'warn', logTo: (line: string) => void lines.push(line) }
  await using _site = await serve(options)
  assert.match(lines.join(''), /chmod 700/)
  lines.length = 0
  await using _shared = await serve({ ...options, share_uploads: true })
  assert.equal(lines, [])
})

permissions.run()
