import { mkdtempDisposable, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve } from '../../../helpers/site.ts'
import { databases, serveWithUsers, withUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

const LIST = '/svc/v2/media'
const CONCURRENT_REQUESTS = 20

// oxlint-disable-next-line typescript/no-explicit-any -- tests read properties of any JSON body
type Answer = { status: number; body: any }

const image = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 20, g: 80, b: 160 } } })
const PHOTO = await image(900, 600).jpeg().toBuffer()

/** Sends 20 requests concurrently, distributed over the servers. */
const sendConcurrently = (
  sites: readonly SiteWithUsers[],
  send: (site: SiteWithUsers, at: number) => Promise<Response>,
) =>
  Promise.all(
    Array.from({ length: CONCURRENT_REQUESTS }, async (_, at): Promise<Answer> => {
      const response = await send(sites[at % sites.length]!, at)
      return { status: response.status, body: await response.json() }
    }),
  )

function upload(site: SiteWithUsers, path: string, data: Uint8Array, name: string): Promise<Response> {
  const headers = { 'content-type': 'image/jpeg', 'content-disposition': `attachment; filename="${name}"` }
  return site.request(path, {
    method: 'POST',
    headers: { ...headers, ...site.by('admin') },
    body: new Uint8Array(data),
  })
}

const codes = (answers: readonly Answer[]) => [
  ...new Set(answers.map(({ status, body }) => (status < 300 ? String(status) : `${status} ${body.code}`))),
]
const distinct = (answers: readonly Answer[], field: string) => new Set(answers.map(({ body }) => body[field])).size

for (const { name, place: makePlace } of databases) {
  for (const servers of [1, 2]) {
    const concurrent = suite(`concurrent writes to ${servers} of ${servers} servers on ${name}`)
    let sites: SiteWithUsers[]
    let uploads: Awaited<ReturnType<typeof mkdtempDisposable>>

    concurrent.before(async () => {
      const place = await makePlace()
      uploads = await mkdtempDisposable(join(tmpdir(), 'concurrent-'))
      const plugins = { 'login-attempts': { tries: 1_000_000 }, media: { client_resizing: true } }
      const config = { home: 'http://localhost:8080', uploads: uploads.path, plugins }
      const first = await serveWithUsers(async () => place, config)
      const others = servers === 1 ? [] : [withUsers(await serve({ database: place.url, ...config }), first.users)]
      sites = [first, ...others]
    })
    concurrent.after(async () => {
      for (const site of sites.toReversed()) await site[Symbol.asyncDispose]()
      await uploads.remove()
    })
    const files = async () => (await readdir(uploads.path, { recursive: true })).filter((path) => path.endsWith('.jpg'))

    concurrent('S38: store 20 uploads of the same name under different names', async () => {
      const answers = await sendConcurrently(sites, (site) => upload(site, LIST, PHOTO, 'photo.jpg'))
      assert.equal(codes(answers), ['201'])
      for (const field of ['id', 'source_url', 'slug']) assert.is(distinct(answers, field), CONCURRENT_REQUESTS, field)
      for (const { body } of answers) {
        const shown = await fetch(body.source_url.replace(sites[0]!.home, sites[0]!.listening))
        assert.is(shown.status, 200, body.source_url)
      }
      const storedFiles = await files()
      const named = answers.flatMap(({ body }) => [
        body.media_details.file,
        ...Object.values<{ file: string }>(body.media_details.sizes).map(
          ({ file }) => `${body.media_details.file.replace(/[^/]*$/, '')}${file}`,
        ),
      ])
      assert.is(new Set(named).size, new Set(storedFiles).size)
    })

    concurrent('S38: store 20 edits, sideloads and versions of one image without name conflicts', async () => {
      const original = (await (await upload(sites[0]!, LIST, PHOTO, 'original.jpg')).json()) as Answer['body']
      const edit = { src: original.source_url, modifiers: [{ type: 'rotate', args: { angle: 90 } }] }
      const edits = await sendConcurrently(sites, (site) =>
        site.send('POST', `${LIST}/${original.id}/edit`, edit, 'admin'),
      )
      assert.equal(codes(edits), ['201'])
      assert.is(distinct(edits, 'source_url'), CONCURRENT_REQUESTS)
      const small = await image(100, 60).jpeg().toBuffer()
      const path = `${LIST}/${original.id}/sideload?image_size=medium`
      const sideloads = await sendConcurrently(sites, (site) => upload(site, path, small, 'original.jpg'))
      assert.equal(codes(sideloads), ['200'])
      const again = { action: 'create-image-subsizes' }
      const versions = await sendConcurrently(sites, (site) =>
        site.send('POST', `${LIST}/${original.id}/post-process`, again, 'admin'),
      )
      assert.equal(codes(versions), ['200'])
    })

    concurrent('S38: create 20 posts or users with the same slug under different slugs', async () => {
      for (const type of ['posts', 'pages']) {
        const post = { title: 'Same', slug: 'same', status: 'publish' }
        const posts = await sendConcurrently(sites, (site) => site.send('POST', `/svc/v2/${type}`, post, 'admin'))
        assert.equal(codes(posts), ['201'])
        assert.is(distinct(posts, 'slug'), CONCURRENT_REQUESTS)
      }
      const user = (at: number) => ({
        username: `twin${at}`,
        email: `twin${at}@mail.example`,
        name: 'Twin',
        slug: 'twin',
        password: 'a pass phrase of twins',
      })
      const users = await sendConcurrently(sites, (site, at) => site.send('POST', '/svc/v2/users', user(at), 'admin'))
      assert.equal(codes(users), ['201'])
      assert.is(distinct(users, 'slug'), CONCURRENT_REQUESTS)
    })

    concurrent(
      'S38: create one of 20 terms or users of the same name, and return an error for the others',
      async () => {
        const once = async (path: string, body: object, refusal: string) => {
          const answers = await sendConcurrently(sites, (site) => site.send('POST', path, body, 'admin'))
          assert.equal(codes(answers).toSorted(), ['201', refusal].toSorted(), path)
          assert.is(answers.filter(({ status }) => status === 201).length, 1, path)
        }
        await once('/svc/v2/categories', { name: 'Same' }, '400 term_exists')
        await once('/svc/v2/tags', { name: 'Same' }, '400 term_exists')
        await once('/svc/v2/menus', { name: 'Same' }, '400 menu_exists')
        const user = { username: 'same', email: 'same@mail.example', password: 'a pass phrase of one' }
        await once('/svc/v2/users', user, '400 existing_user_login')
      },
    )

    concurrent('S38: keep the changes of 20 requests to options, templates and sticky posts', async () => {
      const settings = await sendConcurrently(sites, (site, at) =>
        site.send('POST', '/svc/v2/settings', { title: `Title ${at}`, posts_per_page: at + 1 }, 'admin'),
      )
      assert.equal(codes(settings), ['200'])
      const sticky = await sendConcurrently(sites, (site, at) =>
        site.send('POST', '/svc/v2/posts', { title: `S${at}`, status: 'publish', sticky: true }, 'admin'),
      )
      assert.equal(codes(sticky), ['201'])
      const stored = await sites[0]!.kernel.services.options.fresh(['sticky_posts'])
      for (const { body } of sticky) assert.ok((stored.sticky_posts as number[]).includes(body.id))
      const template = await sendConcurrently(sites, (site, at) =>
        site.send('POST', '/svc/v2/templates/default//index', { content: `Text ${at}` }, 'admin'),
      )
      assert.equal(codes(template), ['200'])
    })

    concurrent.run()
  }
}
