import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../../../helpers/content.ts'
import { databases, serveWithUsers, type SiteWithUsers, type UserIds } from '../../../helpers/site-with-users.ts'
import { startOnly } from '../../../helpers/site.ts'

startOnly('media')

const LIST = '/svc/v2/media'
type Login = keyof UserIds
// oxlint-disable-next-line typescript/no-explicit-any -- tests read properties of any JSON body
type Answer = { status: number; body: any }

const image = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 10, g: 80, b: 200 } } })
const PHOTO = await image(900, 600).png().toBuffer()
const SMALL = await image(300, 200).png().toBuffer()
const rotate = { modifiers: [{ type: 'rotate', args: { angle: 90 } }] }

interface EditingSite extends SiteWithUsers {
  files(): Promise<string[]>
  upload(data: Buffer, name: string, path?: string, login?: Login): Promise<Answer>
  sendAndRead(method: string, path: string, body: unknown, login?: Login): Promise<Answer>
}

for (const { name, place } of databases) {
  const editing = suite(`image editing on ${name}`)

  const start = async (clientResizing = true, allow: string[] = []): Promise<EditingSite> => {
    const folder = await mkdtemp(join(tmpdir(), 'media-editing-'))
    const plugins = { media: { client_resizing: clientResizing }, outgoing: { allow } }
    const site = await serveWithUsers(place, { uploads: folder, plugins })
    const read = async (response: Response): Promise<Answer> => ({
      status: response.status,
      body: await response.json(),
    })
    return {
      ...site,
      files: async () =>
        (await readdir(folder, { recursive: true, withFileTypes: true }))
          .filter((entry) => entry.isFile())
          .map((entry) => entry.name)
          .sort(),
      async upload(data, file, path = LIST, login = 'ann') {
        const headers = {
          'content-type': 'image/png',
          'content-disposition': `attachment; filename="${file}"`,
          ...site.by(login),
        }
        return read(await site.request(path, { method: 'POST', headers, body: data as Uint8Array<ArrayBuffer> }))
      },
      sendAndRead: async (method, path, body, login) => read(await site.send(method, path, body, login)),
      async [Symbol.asyncDispose]() {
        await site[Symbol.asyncDispose]()
        await rm(folder, { recursive: true })
      },
    }
  }

  editing('stores rotated, cropped and flipped copies, and does not change the original', async () => {
    await using site = await start()
    const { body: photo } = await site.upload(PHOTO, 'lake.png')
    const src = photo.source_url
    const edit = (body: object) => site.sendAndRead('POST', `${LIST}/${photo.id}/edit`, { src, ...body }, 'ann')
    const turned = await edit({ ...rotate, title: 'Turned', alt_text: 'A <b>lake</b>' })
    assert.is(turned.status, 201)
    const { width, height, parent_image: parent } = turned.body.media_details
    assert.equal([width, height, parent.attachment_id], [600, 900, photo.id])
    assert.equal([turned.body.title.rendered, turned.body.alt_text], ['Turned', 'A lake'])
    const crop = (left: number, top: number, w: number, h: number) => ({
      type: 'crop',
      args: { left, top, width: w, height: h },
    })
    const flip = { type: 'flip', args: { flip: { horizontal: true, vertical: false } } }
    const cropped = await edit({ modifiers: [crop(0, 0, 50, 50), flip] })
    assert.equal([cropped.body.media_details.width, cropped.body.media_details.height], [450, 300])
    assert.equal((await edit({ modifiers: [crop(100, 0, 50, 50)] })).body.code, 'rest_image_crop_failed')
    assert.equal((await edit({ modifiers: [crop(0, 0, 9_000, 9_000)] })).body.code, 'rest_upload_too_many_pixels')
    assert.equal((await edit({})).body.code, 'rest_image_not_edited')
    const foreign = await edit({ src: 'https://elsewhere.test/a.png', ...rotate })
    assert.equal([foreign.status, foreign.body.code], [404, 'rest_unknown_attachment'])
    const still = await site.sendAndRead('GET', `${LIST}/${photo.id}`, undefined)
    assert.equal([still.body.media_details.width, still.body.source_url], [900, src])
    // Failed edits leave no files.
    assert.is((await site.files()).filter((file) => file.startsWith('lake-edited') && !/\d+x\d+/.test(file)).length, 2)
  })

  editing('requires the right to edit the image', async () => {
    await using site = await start()
    const { body: photo } = await site.upload(PHOTO, 'lake.png', LIST, 'ed')
    const paths = [
      ['edit', { src: photo.source_url, ...rotate }, 'rest_cannot_edit_image'],
      ['finalize', { sub_sizes: [] }, 'rest_cannot_edit_image'],
      ['sideload?image_size=medium', {}, 'rest_cannot_edit_image'],
      ['post-process', { action: 'create-image-subsizes' }, 'rest_cannot_edit'],
    ] as const
    for (const [path, body, code] of paths) {
      for (const [login, status] of [
        [undefined, 401],
        ['sub', 403],
        ['con', 403],
        ['ann', 403],
      ] as const) {
        const answer = await site.sendAndRead('POST', `${LIST}/${photo.id}/${path}`, body, login)
        const expected = login === 'ann' ? 'rest_cannot_edit' : code
        assert.equal([answer.status, answer.body.code], [status, expected], `${path} ${login}`)
      }
      assert.is((await site.sendAndRead('POST', `${LIST}/9999/${path}`, body, 'ed')).status, 404)
    }
    // The copy cannot be attached to posts of other users either.
    const [post] = await addPosts(site.store, { title: 'Others', author_id: site.users.ed })
    const { body: own } = await site.upload(PHOTO, 'own.png')
    const attached = await site.sendAndRead(
      'POST',
      `${LIST}/${own.id}/edit`,
      { src: own.source_url, ...rotate, post },
      'ann',
    )
    assert.is(attached.status, 403)
  })

  editing('restricts copies and versions of a restricted image like the image', async () => {
    await using site = await start()
    const [draft] = await addPosts(site.store, { title: 'Draft', status: 'draft', author_id: site.users.ann })
    const { body: photo } = await site.upload(PHOTO, 'secret.png', `${LIST}?post=${draft}`)
    const src = photo.source_url
    const { status, body } = await site.sendAndRead('POST', `${LIST}/${photo.id}/edit`, { src, ...rotate }, 'ann')
    assert.equal([status, body.post], [201, draft])
    assert.is((await site.request(`${LIST}/${body.id}`)).status, 401)
    assert.is((await site.request(body.source_url)).status, 404)
    // Later versions are restricted too, regardless of their names.
    const sent = await site.upload(SMALL, 'other-name.png', `${LIST}/${photo.id}/sideload?image_size=medium`)
    const url = src.replace('secret.png', sent.body.file)
    assert.is((await site.request(url)).status, 404)
    assert.is((await site.request(url, { headers: site.by('ann') })).status, 200)
  })

  editing('adds versions that a client created, and deletes them with the image', async () => {
    await using site = await start()
    const { body: photo } = await site.upload(PHOTO, 'lake.png', `${LIST}?generate_sub_sizes=false`)
    assert.equal(photo.missing_image_sizes, ['thumbnail', 'medium', 'medium_large'])
    const path = `${LIST}/${photo.id}`
    const sent = await site.upload(SMALL, 'lake-300x200.png', `${path}/sideload?image_size=medium`)
    assert.equal(sent, {
      status: 200,
      body: {
        image_size: 'medium',
        width: 300,
        height: 200,
        filesize: SMALL.length,
        file: 'lake-300x200-1.png',
        mime_type: 'image/png',
      },
    })
    const whole = await site.upload(PHOTO, 'better.png', `${path}/sideload?image_size=scaled`)
    assert.is(whole.body.original_image, 'lake.png')
    const finalize = (...sizes: object[]) => site.sendAndRead('POST', `${path}/finalize`, { sub_sizes: sizes }, 'ann')
    for (const file of ['never-sent.png', '../lake-300x200-1.png', '../../config.json', 'lake.png']) {
      const { status, body } = await finalize({ ...sent.body, file })
      assert.equal([status, body.code], [400, 'rest_invalid_sub_size_file'], file)
    }
    const { status, body } = await finalize(sent.body, whole.body)
    assert.is(status, 200)
    assert.equal([body.filename, body.media_details.original_image], ['lake.png', 'lake.png'])
    assert.equal(body.missing_image_sizes, ['thumbnail', 'medium_large'])
    assert.match(body.media_details.sizes.medium.source_url, /lake-300x200-1\.png$/)
    assert.is((await site.request(body.media_details.sizes.medium.source_url)).status, 200)
    const processed = await site.sendAndRead('POST', `${path}/post-process`, { action: 'create-image-subsizes' }, 'ann')
    assert.equal([processed.status, processed.body.missing_image_sizes], [200, []])
    assert.is((await site.request(processed.body.media_details.sizes.thumbnail.source_url)).status, 200)
    await site.send('DELETE', `${path}?force=true`, {}, 'ann')
    assert.equal(await site.files(), [])
  })

  editing('deletes replaced files with the image, and edits the replacement of an image', async () => {
    await using site = await start()
    const { body: photo } = await site.upload(PHOTO, 'lake.png')
    const path = `${LIST}/${photo.id}`
    const send = (data: Buffer, file: string, size: string) =>
      site.upload(data, file, `${path}/sideload?image_size=${size}`)
    await send(await image(150, 150).png().toBuffer(), 'own.png', 'thumbnail')
    await send(await image(600, 400).jpeg().toBuffer(), 'other.jpg', 'scaled')
    await send(await image(500, 300).png().toBuffer(), 'third.png', 'scaled')
    const show = async (image_size: string, file: string) =>
      site.sendAndRead('POST', `${path}/finalize`, { sub_sizes: [{ image_size, file }] }, 'ann')
    const folder = photo.media_details.file.replace(/[^/]*$/, '')
    assert.is((await show('thumbnail', 'own.png')).status, 200)
    const { body: replaced } = await show('scaled', `${folder}other.jpg`)
    assert.match(replaced.source_url, /other\.jpg$/)
    const change = { src: replaced.source_url, ...rotate }
    const edited = await site.sendAndRead('POST', `${path}/edit`, change, 'ann')
    assert.equal([edited.status, edited.body.mime_type], [201, 'image/jpeg'])
    assert.is(
      (await site.sendAndRead('POST', `${path}/post-process`, { action: 'create-image-subsizes' }, 'ann')).status,
      200,
    )
    assert.is((await show('scaled', `${folder}third.png`)).status, 200)
    for (const { id } of [photo, edited.body]) {
      assert.is((await site.sendAndRead('DELETE', `${LIST}/${id}?force=true`, {}, 'ann')).status, 200)
    }
    assert.equal(await site.files(), [])
  })

  editing('rejects versions that are too large, not an image, or of an unknown size', async () => {
    await using site = await start()
    const { body: photo } = await site.upload(PHOTO, 'lake.png', `${LIST}?generate_sub_sizes=false`)
    const sideload = async (data: Buffer, file: string, size: string) => {
      const { status, body } = await site.upload(data, file, `${LIST}/${photo.id}/sideload?${size}`)
      return [status, body.code]
    }
    assert.equal(await sideload(PHOTO, 'a.png', 'image_size=medium'), [400, 'rest_upload_dimension_mismatch'])
    assert.equal(await sideload(SMALL, 'a.png', 'image_size=huge'), [400, 'rest_upload_unknown_size'])
    assert.equal(await sideload(SMALL, 'a.png', ''), [400, 'rest_missing_callback_param'])
    assert.equal(await sideload(Buffer.from('text'), 'a.txt', 'image_size=medium'), [400, 'rest_upload_invalid_image'])
    const broken = Buffer.concat([SMALL.subarray(0, 60), Buffer.alloc(40)])
    assert.equal(await sideload(broken, 'a.png', 'image_size=medium'), [400, 'rest_upload_sideload_error'])
    assert.equal(await site.files(), ['lake.png'])
    const finalize = await site.sendAndRead(
      'POST',
      `${LIST}/${photo.id}/finalize`,
      { sub_sizes: [{ image_size: 'huge', file: 'lake.png' }] },
      'ann',
    )
    assert.equal([finalize.status, finalize.body.code], [400, 'rest_invalid_param'])
  })

  editing('has no routes for client-side resizing unless client_resizing is on', async () => {
    await using site = await start(false)
    const { body: photo } = await site.upload(PHOTO, 'lake.png', `${LIST}?generate_sub_sizes=false`)
    assert.equal(photo.missing_image_sizes, [])
    assert.is((await site.sendAndRead('POST', `${LIST}/${photo.id}/finalize`, {}, 'ann')).status, 404)
  })

  editing('fetches images by URL only from public or allowed hosts', async () => {
    const server = createServer(({ url }, response) => {
      if (url === '/moved') response.writeHead(302, { location: 'http://10.0.0.1/a.png' }).end()
      else if (url === '/page.html') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>no image</p>')
      else response.writeHead(url === '/lake.png' ? 200 : 404).end(url === '/lake.png' ? SMALL : '')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      await using site = await start(true, [host])
      const fetched = await site.sendAndRead('POST', LIST, { url: `http://${host}/lake.png`, title: 'Fetched' }, 'ann')
      assert.equal([fetched.status, fetched.body.title.raw, fetched.body.filename], [201, 'Fetched', 'lake.png'])
      const refusals = { '/moved': 400, '/page.html': 400, '/gone.png': 400 }
      for (const [path, status] of Object.entries(refusals)) {
        assert.is((await site.sendAndRead('POST', LIST, { url: `http://${host}${path}` }, 'ann')).status, status, path)
      }
      for (const url of ['http://10.0.0.1/a.png', 'ftp://a.test/a.png', 'http://169.254.169.254/', 'no', site.home]) {
        const { status, body } = await site.sendAndRead('POST', LIST, { url }, 'ann')
        assert.equal([status, body.code], [400, 'rest_invalid_param'], url)
      }
      assert.is((await site.sendAndRead('POST', LIST, { url: `http://${host}/lake.png` }, 'con')).status, 403)
      assert.is((await site.sendAndRead('POST', LIST, { url: `http://${host}/lake.png` })).status, 401)
      assert.is((await site.files()).length, 2)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })

  editing.run()
}
