import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../../kernel/index.ts'
import { browse } from '../../../../helpers/browser.ts'
import { addPosts, type TestPost } from '../../../../helpers/content.ts'
import { as, serveOn, type ServeOptions } from '../../../../helpers/site.ts'
import { places } from '../../../../helpers/stores.ts'
import { addMedia, type TestMedia } from '../content.ts'

const PHOTO = '2025/01/photo.jpg'
/** The author of everything that the tests add. */
const AUTHOR = as('author', 1)
const EDITOR = as('editor', 50)

for (const { name, make } of places) {
  const access = suite(`access to media files on ${name}`)

  /** A site with files on the disk. */
  const start = async (files: readonly string[] = [PHOTO], options: ServeOptions = {}) => {
    const folder = await mkdtemp(join(tmpdir(), 'media-test-'))
    for (const file of files) {
      await mkdir(dirname(join(folder, file)), { recursive: true })
      await writeFile(join(folder, file), 'bytes')
    }
    const site = await serveOn(await make(), { uploads: folder, ...options })
    const fetchFile = (file: string, headers: Record<string, string> = {}, method = 'GET') =>
      fetch(`${site.home}/uploads/${file}`, { headers, method })
    return {
      site,
      fetchFile,
      status: async (file: string, headers?: Record<string, string>) => (await fetchFile(file, headers)).status,
      /** Adds a post and an attachment below it. */
      async attach(post: TestPost, media: TestMedia = {}) {
        const [parent] = (await addPosts(site.store, post)) as [number]
        const [id] = (await addMedia(site, { parent_id: parent, author_id: 1, ...media })) as [number]
        return { parent, id }
      },
      async [Symbol.asyncDispose]() {
        await site[Symbol.asyncDispose]()
        await rm(folder, { recursive: true })
      },
    }
  }

  access(
    'is public for files attached to a published object or to none, and for files without an attachment',
    async () => {
      await using at = await start([PHOTO, '2025/01/other.jpg', '2025/01/loose.jpg'])
      await at.attach({})
      await addMedia(at.site, { file: '2025/01/other.jpg' })
      for (const file of [PHOTO, '2025/01/other.jpg', '2025/01/loose.jpg']) {
        const answer = await at.fetchFile(file)
        assert.equal([answer.status, answer.headers.get('cache-control')], [200, 'public, max-age=2592000'], file)
      }
    },
  )

  access('S8: requires access to the unpublished post that a file is attached to', async () => {
    for (const status of ['draft', 'pending', 'future', 'private', 'trash', 'auto-draft']) {
      await using at = await start()
      await at.attach({ status, author_id: 1 })
      assert.is(await at.status(PHOTO), 404, status)
      assert.is(await at.status(PHOTO, as('subscriber', 60)), 404, status)
      assert.is(await at.status(PHOTO, as('author', 61)), 404, status)
      const answer = await at.fetchFile(PHOTO, EDITOR)
      assert.equal([answer.status, answer.headers.get('cache-control')], [200, 'private, no-store'], status)
      assert.is(await at.status(PHOTO, AUTHOR), 200, status)
    }
  })

  access('S8: is restricted for private and trashed attachments', async () => {
    for (const status of ['private', 'trash']) {
      await using at = await start()
      await at.attach({}, { status })
      assert.equal([await at.status(PHOTO), await at.status(PHOTO, EDITOR)], [404, 200], status)
    }
  })

  const remove = ({ site }: Awaited<ReturnType<typeof start>>, path: string) =>
    site.request(`/svc/v2/${path}`, { method: 'DELETE', headers: as('administrator', 50) })

  access('S8: stays restricted after the unpublished parent is deleted', async () => {
    const small = '2025/01/photo-300x200.jpg'
    for (const status of ['draft', 'pending', 'future', 'private', 'auto-draft']) {
      for (const steps of status === 'auto-draft' ? [['?force=true']] : [['?force=true'], ['', '?force=true']]) {
        await using at = await start([PHOTO, small])
        const { site } = at
        const { parent, id } = await at.attach({ status, author_id: 1 })
        for (const step of steps) assert.is((await remove(at, `posts/${parent}${step}`)).status, 200, status)
        for (const file of [PHOTO, small]) {
          assert.equal([await at.status(file), await at.status(file, as('author', 61))], [404, 404], status)
          assert.equal([await at.status(file, AUTHOR), await at.status(file, EDITOR)], [200, 200], status)
        }
        assert.is((await site.get(`/svc/v2/media/${id}`)).status, 401, status)
        assert.equal(await site.json('/svc/v2/media'), [], status)
        const { status: now, post } = await site.json(`/svc/v2/media/${id}`, EDITOR)
        assert.equal([now, post], ['private', null], status)
      }
    }
  })

  access('stays public after a public parent is deleted', async () => {
    for (const password of ['', 'word']) {
      for (const steps of [['?force=true'], ['', '?force=true']]) {
        await using at = await start()
        const { parent, id } = await at.attach({ password })
        for (const step of steps) assert.is((await remove(at, `posts/${parent}${step}`)).status, 200)
        assert.is(await at.status(PHOTO), 200)
        assert.equal((await at.site.json(`/svc/v2/media/${id}`)).status, 'inherit')
      }
    }
  })

  access('S8: is restricted if the type or an ancestor of the parent is not public', async () => {
    await using at = await start([PHOTO, '2025/01/deep.jpg'])
    const { site } = at
    const { id: middle } = await at.attach({ status: 'private' })
    const [deep] = (await addMedia(site, { parent_id: middle, author_id: 1, file: '2025/01/deep.jpg' })) as [number]
    assert.is((await remove(at, `media/${middle}?force=true`)).status, 200)
    assert.is(await at.status('2025/01/deep.jpg'), 404)
    assert.is((await site.json(`/svc/v2/media/${deep}`, EDITOR)).status, 'private')
    const [page] = (await addPosts(site.store, { type: 'page', status: 'private' })) as [number]
    const [child] = (await addPosts(site.store, { type: 'page', parent_id: page })) as [number]
    assert.is((await remove(at, `pages/${page}?force=true`)).status, 200)
    assert.is((await site.json(`/svc/v2/pages/${child}`)).status, 'publish', 'has a status of its own')
  })

  access('runs transition_post_status for files that become private with their deleted parent', async () => {
    const transitions: unknown[] = []
    const listener = definePlugin({
      name: 'listener',
      needs: ['posts'],
      apply({ hooks }) {
        hooks.transition_post_status.tap('listener', (to, from, { type, parent_id: parent }) => {
          transitions.push([type, from, to, parent])
        })
      },
    })
    await using at = await start([PHOTO], { add: [listener] })
    const { parent } = await at.attach({ status: 'draft' })
    await remove(at, `posts/${parent}?force=true`)
    assert.equal(transitions, [['attachment', 'inherit', 'private', 0]])
  })

  access('is public after an editor detaches a file from a private post', async () => {
    await using at = await start()
    const { id } = await at.attach({ status: 'private' })
    const body = JSON.stringify({ post: 0 })
    const headers = { 'content-type': 'application/json', ...EDITOR }
    assert.is((await at.site.request(`/svc/v2/media/${id}`, { method: 'POST', headers, body })).status, 200)
    assert.is(await at.status(PHOTO), 200)
  })

  access('returns the same 404 for restricted and missing files', async () => {
    await using at = await start()
    await at.attach({ status: 'draft' })
    const responseOf = async (file: string, headers = {}, method = 'GET') => {
      const answer = await at.fetchFile(file, headers, method)
      const shown = [...answer.headers].filter(([header]) => header !== 'date' && header !== 'x-request-id')
      return [answer.status, await answer.text(), shown]
    }
    const nothing = '2025/01/nothing.jpg'
    assert.equal(await responseOf(PHOTO), await responseOf(nothing))
    for (const [headers, method] of [
      [{}, 'HEAD'],
      [{}, 'DELETE'],
      [{ range: 'bytes=0-1' }, 'GET'],
    ] as const) {
      assert.equal(await responseOf(PHOTO, headers, method), await responseOf(nothing, headers, method), method)
    }
    const state = (await at.fetchFile(PHOTO, EDITOR)).headers.get('etag')!
    assert.equal(await responseOf(PHOTO, { 'if-none-match': state }), await responseOf(nothing))
  })

  access('applies to all versions and URLs of a file', async () => {
    const files = [
      PHOTO,
      '2025/01/photo-300x200.jpg',
      '2025/01/photo-1024x683.jpg',
      '2025/01/photo-scaled.jpg',
      '2025/01/photo-rotated.jpg',
      '2025/01/photo-e1700000000.jpg',
      '2025/01/photo-e1700000000-300x200.jpg',
    ]
    for (const file of [
      PHOTO,
      '2025/01/photo-scaled.jpg',
      '2025/01/photo-rotated.jpg',
      '2025/01/photo-e1700000000.jpg',
    ]) {
      await using at = await start(files)
      await at.attach({ status: 'draft' }, { file })
      const versions = file.includes('-e') ? files : files.filter((one) => !one.includes('-e'))
      for (const version of versions) assert.is(await at.status(version), 404, `${version} of ${file}`)
      for (const below of ['wp-content/uploads', 'wp-content/uploads/sites/3'])
        assert.is((await fetch(`${at.site.home}/${below}/${PHOTO}`)).status, 404)
      assert.is((await fetch(`${at.site.home}/uploads/2025%2f01/photo%2ejpg`)).status, 404)
    }
    await using at = await start(['2025/01/paper.pdf', '2025/01/paper-pdf.jpg', '2025/01/paper-pdf-212x300.jpg'])
    await at.attach({ status: 'private' }, { file: '2025/01/paper.pdf', mime_type: 'application/pdf' })
    for (const file of ['paper.pdf', 'paper-pdf.jpg', 'paper-pdf-212x300.jpg'])
      assert.is(await at.status(`2025/01/${file}`), 404, file)
  })

  access('is public for files that published content shows, regardless of their parent', async () => {
    const shows: [what: string, site: (parts: Awaited<ReturnType<typeof start>>, id: number) => Promise<unknown>][] = [
      ['featured', ({ site }, id) => addPosts(site.store, { meta: { _thumbnail_id: id } })],
      ['icon', ({ site }, id) => site.kernel.services.options.set('site_icon', id)],
      ['logo', ({ site }, id) => site.kernel.services.options.set('site_logo', id)],
      ['content', ({ site }) => addPosts(site.store, { content: `<img src="${site.home}/uploads/${PHOTO}">` })],
      [
        'version',
        ({ site }) => addPosts(site.store, { type: 'page', content: '<a href="/uploads/2025/01/photo-300x200.jpg">' }),
      ],
      ['locked', ({ site }) => addPosts(site.store, { content: `"/uploads/${PHOTO}"`, password: 'word' })],
    ]
    for (const [label, show] of shows) {
      await using at = await start([PHOTO, '2025/01/photo-300x200.jpg'])
      const { id } = await at.attach({ status: 'trash' })
      await show(at, id)
      for (const file of [PHOTO, '2025/01/photo-300x200.jpg'])
        assert.equal([await at.status(file), file], [200, file], label)
    }
  })

  access('is not public for content that only contains a similar name', async () => {
    await using at = await start()
    const { id } = await at.attach({ status: 'draft', content: `<img src="/uploads/${PHOTO}">` })
    await addPosts(
      at.site.store,
      { status: 'private', meta: { _thumbnail_id: id } },
      { status: 'draft', content: `/uploads/${PHOTO}` },
      { type: 'revision', status: 'inherit', content: `/uploads/${PHOTO}` },
      ...['photo-1.jpg', 'photos.jpg', 'photo.jpge', 'photo.png', 'photo-e1.png'].map((file) => ({
        content: `"/uploads/2025/01/${file}"`,
      })),
      { content: '/uploads/2024/01/photo.jpg and 2025/01/photo' },
    )
    assert.is(await at.status(PHOTO), 404)
  })

  access('S8: is not made public by authors who cannot read the file', async () => {
    for (const [role, status] of [
      ['author', 404],
      ['editor', 200],
    ] as const) {
      for (const shows of ['content', 'featured'] as const) {
        await using at = await start()
        const { id } = await at.attach({ status: 'draft' })
        const person = { login: 'p', name: 'P', slug: 'p', email: 'p@mail.example', password: 'x', roles: [role] }
        const { id: author_id } = await at.site.kernel.services.users.create(person)
        assert.is.not(author_id, id)
        const post = shows === 'content' ? { content: `"/uploads/${PHOTO}"` } : { meta: { _thumbnail_id: id } }
        // Attachments of the first user's post do not belong to the second user.
        await at.site.store.run(at.site.store.db.updateTable('posts').set({ author_id: 77 }).where('id', '>', 0))
        await addPosts(at.site.store, { ...post, author_id })
        assert.is(await at.status(PHOTO), status, `${role} ${shows}`)
      }
    }
  })

  access('changes immediately when the post is published or unpublished', async () => {
    await using at = await start()
    const { parent } = await at.attach({ status: 'draft' })
    const set = (status: string) =>
      at.site.request(`/svc/v2/posts/${parent}`, {
        method: 'POST',
        headers: { ...EDITOR, 'content-type': 'application/json' },
        body: JSON.stringify({ status }),
      })
    assert.is(await at.status(PHOTO), 404)
    assert.is((await set('publish')).status, 200)
    assert.is(await at.status(PHOTO), 200)
    assert.is((await set('private')).status, 200)
    assert.is(await at.status(PHOTO), 404)
  })

  access('identifies users by the cookie that browsers send with images', async () => {
    await using at = await start()
    await at.attach({ status: 'draft' })
    const role = { name: 'Ed', slug: 'ed', email: 'ed@mail.example', roles: ['editor'] }
    await at.site.kernel.services.users.create({ login: 'ed', password: 'pass phrase of ed', ...role })
    const browser = browse(at.site)
    assert.is((await browser.open(`/uploads/${PHOTO}`)).status, 404)
    await browser.logIn('ed', 'pass phrase of ed')
    assert.is((await browser.open(`/uploads/${PHOTO}`)).status, 200)
  })

  access('is public for all files if private_files is off', async () => {
    await using at = await start([PHOTO], { plugins: { media: { private_files: false } } })
    await at.attach({ status: 'private' })
    const answer = await at.fetchFile(PHOTO)
    assert.equal([answer.status, answer.headers.get('cache-control')], [200, 'public, max-age=2592000'])
  })

  access('S10: includes public images and images of the same post in galleries', async () => {
    await using at = await start()
    const { id: open } = await at.attach({}, { alt: 'open' })
    const { id: hidden } = await at.attach({ status: 'draft' }, { alt: 'shut' })
    const [own] = (await addPosts(at.site.store, { status: 'draft', author_id: 1 })) as [number]
    const [mine] = (await addMedia(at.site, { parent_id: own, alt: 'mine' })) as [number]
    const content = `[gallery ids="${open},${hidden},${mine}"]`
    const [other] = (await addPosts(at.site.store, { content })) as [number]
    await at.site.store.run(at.site.store.db.updateTable('posts').set({ content }).where('id', '=', own))
    const shown = async (path: string, headers = {}) => {
      const { content: text } = await at.site.json(path, headers)
      return [...(text.rendered as string).matchAll(/alt="(\w*)"/g)].map(([, alt]) => alt)
    }
    assert.equal(await shown(`/svc/v2/posts/${other}`), ['open'])
    assert.equal(await shown(`/svc/v2/posts/${other}`, EDITOR), ['open'])
    assert.equal(await shown(`/svc/v2/posts/${own}`, AUTHOR), ['open', 'mine'])
  })

  access(
    'S8: is restricted immediately when the file moves to a post that the author of the showing content cannot read',
    async () => {
      await using at = await start()
      const { site } = at
      const { users } = site.kernel.services
      const user = (login: string) => users.create({ login, email: `${login}@mail.example`, roles: ['author'] })
      const [{ id: ann }, { id: bob }] = [await user('ann'), await user('bob')]
      const { id } = await at.attach({ status: 'private', author_id: ann }, { author_id: 99 })
      const [others] = await addPosts(site.store, { status: 'private', author_id: bob })
      await addPosts(site.store, { author_id: ann, meta: { _thumbnail_id: id } })
      assert.is(await at.status(PHOTO), 200)
      const moved = site.store.db.updateTable('posts').set({ parent_id: others! }).where('id', '=', id)
      await site.store.run(moved)
      assert.is(await at.status(PHOTO), 404)
    },
  )

  access.run()
}
