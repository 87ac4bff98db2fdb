import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError, type AnyPlugin } from '../../../../kernel/index.ts'
import type { PluginSetting } from '../../../../plugins/library/site-config/index.ts'
import type { Post } from '../../../../plugins/content/posts/index.ts'
import { stopClockFor } from '../../../helpers/clock.ts'
import { addPosts } from '../../../helpers/content.ts'
import { databases, serveWithUsers, type UserIds, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { startOnly } from '../../../helpers/site.ts'
import { addMedia } from './content.ts'

startOnly('media')

const LIST = '/svc/v2/media'

type Login = keyof UserIds
// oxlint-disable-next-line typescript/no-explicit-any -- tests read properties of any JSON body
type Answer = { status: number; body: any; headers: Headers }

/** A site with a separate uploads folder. */
interface MediaSite extends SiteWithUsers {
  /** Folder of the current month, relative to the uploads folder. */
  readonly month: string
  /** Returns the paths of all files and folders in the uploads folder. */
  uploads(): Promise<string[]>
  bytes(path: string): Promise<Buffer>
  count(): Promise<number>
  /** Uploads a file as the body of a request. */
  raw(data: Uint8Array, name: string, login?: Login, headers?: Record<string, string>): Promise<Answer>
  /** Uploads a file in a form. */
  form(data: Uint8Array, name: string, fields?: Record<string, string>, login?: Login): Promise<Answer>
  change(id: number, body: object, login?: Login): Promise<Answer>
  delete(id: number, login?: Login): Promise<Answer>
}

const image = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 80, b: 10 } } })
const PHOTO = await image(1200, 800).jpeg().toBuffer()
const DOT = await image(1, 1).png().toBuffer()

/** Events that the taps below record. */
const events: string[] = []
const extras = definePlugin({
  name: 'test-extras',
  needs: ['posts'],
  after: ['media'],
  apply({ hooks }) {
    hooks.rest_insert_attachment.tap('extras', ({ title }: Post, _: unknown, creating: boolean) => {
      events.push(`insert ${title} ${creating}`)
      if (title === 'refused') throw new RestError('not_this', 'No.', { status: 422 })
    })
    hooks.rest_after_insert_attachment.tap('extras', ({ title }: Post, _: unknown, creating: boolean) => {
      events.push(`after ${title} ${creating}`)
      if (title === 'late') throw new RestError('too_late', 'No.', { status: 422 })
    })
    hooks.rest_delete_attachment.tap('extras', ({ title }: Post) => void events.push(`delete ${title}`))
    hooks.upload_mimes.tap('extras', (types, user) => {
      const allowedTypes = Object.entries(types).filter(([ending]) => ending !== 'zip')
      return { ...Object.fromEntries(allowedTypes), ...(user.id !== 0 && { svg: 'image/svg+xml' }) }
    })
  },
})

for (const { name, place } of databases) {
  const writing = suite(`writing media on ${name}`)
  stopClockFor(writing)

  const start = async (plugins: Record<string, PluginSetting> = {}, add: AnyPlugin[] = []): Promise<MediaSite> => {
    const folder = await mkdtemp(join(tmpdir(), 'media-test-'))
    const site = await serveWithUsers(place, { uploads: folder, plugins, add })
    const answer = async (response: Response): Promise<Answer> => ({
      status: response.status,
      headers: response.headers,
      body: await response.json(),
    })
    const headersOf = (login?: Login) => (login === undefined ? {} : site.by(login))
    const post = (body: NonNullable<RequestInit['body']>, headers: Record<string, string>) =>
      site.request(LIST, { method: 'POST', headers, body }).then(answer)
    return {
      ...site,
      month: new Date(Date.now()).toISOString().slice(0, 7).replace('-', '/'),
      uploads: async () => (await readdir(folder, { recursive: true })).sort(),
      bytes: (path) => readFile(join(folder, path)),
      async count() {
        const rows = site.store.db.selectFrom('posts').select('id').where('type', '=', 'attachment')
        return (await site.store.all(rows)).length
      },
      raw: (data, file, login = 'ed', headers = {}) =>
        post(data as Uint8Array<ArrayBuffer>, {
          'content-type': 'application/octet-stream',
          'content-disposition': `attachment; filename="${file}"`,
          ...headers,
          ...headersOf(login),
        }),
      form(data, file, fields = {}, login = 'ed') {
        const form = new FormData()
        form.append('file', new Blob([data as Uint8Array<ArrayBuffer>]), file)
        for (const [field, value] of Object.entries(fields)) form.append(field, value)
        return post(form, headersOf(login))
      },
      change: (id, body, login = 'ed') => site.send('PUT', `${LIST}/${id}`, body, login).then(answer),
      delete: (id, login = 'ed') => site.send('DELETE', `${LIST}/${id}?force=true`, {}, login).then(answer),
      async [Symbol.asyncDispose]() {
        await site[Symbol.asyncDispose]()
        await rm(folder, { recursive: true })
      },
    }
  }
  const statusAndCode = ({ status, body }: Answer) => [status, body.code]

  writing('stores a file sent as the body, and returns its location', async () => {
    await using site = await start()
    const { status, headers, body } = await site.raw(DOT, 'My dot.png', 'ann')
    assert.is(status, 201)
    assert.is(headers.get('location'), `${site.home}/svc-json${LIST}/${body.id}`)
    assert.is(body.source_url, `${site.home}/uploads/${site.month}/My-dot.png`)
    assert.equal(body.guid, { raw: body.source_url, rendered: body.source_url })
    assert.equal([body.title.raw, body.slug, body.status, body.author], ['My-dot', 'my-dot', 'inherit', site.users.ann])
    assert.equal([body.media_type, body.mime_type, body.post], ['image', 'image/png', null])
    const { width, height, file, filesize, sizes } = body.media_details
    assert.equal([width, height, file, filesize, sizes], [1, 1, `${site.month}/My-dot.png`, DOT.length, {}])
    const served = await site.request(body.source_url)
    assert.is(served.headers.get('content-type'), 'image/png')
    assert.ok(DOT.equals(Buffer.from(await served.arrayBuffer())))
  })

  writing('stores a file of a form with the fields of the form', async () => {
    await using site = await start()
    const [post] = await addPosts(site.store, { title: 'Hello', author_id: site.users.ann })
    const fields = {
      title: 'A photo',
      alt_text: 'Hills & <b>lake</b>\n',
      caption: 'Below <script>alert(1)</script>',
      description: 'About',
      post: String(post),
    }
    const { status, body } = await site.form(PHOTO, 'photo.JPG', fields, 'ann')
    assert.is(status, 201)
    assert.is(body.source_url, `${site.home}/uploads/${site.month}/photo.jpg`)
    assert.equal([body.title.raw, body.alt_text, body.description.raw], ['A photo', 'Hills & lake', 'About'])
    assert.is(body.caption.raw, 'Below alert(1)')
    assert.equal([body.post, body.slug], [post, 'a-photo'])
  })

  writing('stores the focal point and the decorative flag, and shows them only if they are set', async () => {
    await using site = await start()
    const { id, meta, media_details: plain } = (await site.raw(DOT, 'dot.png', 'ann')).body
    assert.equal(meta, [])
    const shown = async () => {
      const { media_details: details, meta: fields } = await site.json(`${LIST}/${id}`)
      assert.equal(fields, [])
      return details
    }
    const point = { x: 0.25, y: 1 }
    const changed = await site.change(id, { focal_point: point, decorative: true }, 'ann')
    assert.equal(changed.body.media_details, { ...plain, focal_point: point, decorative: true })
    assert.equal(await shown(), changed.body.media_details)
    const part = await site.json(`${LIST}/${id}?_fields=media_details.focal_point`)
    assert.equal(part, { media_details: { focal_point: point } })
    assert.equal(await site.json(`${LIST}?lacks_alt_text=true`), [])

    await site.change(id, { title: 'Something else', decorative: false }, 'ann')
    assert.equal(await shown(), { ...plain, focal_point: point })
    assert.equal((await site.json(`${LIST}?lacks_alt_text=true`)).length, 1)
    const refused = async (body: Record<string, unknown>, login: Login = 'ann') => {
      const answer = await site.change(id, body, login)
      return [answer.status, ...Object.values(answer.body.data.params ?? {})]
    }
    assert.equal(await refused({ focal_point: { x: 0.5, y: 1.5 } }), [
      400,
      'focal_point[y] must be between 0 (inclusive) and 1 (inclusive)',
    ])
    assert.equal(await refused({ focal_point: { x: 0.5 } }), [400, 'focal_point lacks the required property y.'])
    assert.equal(await refused({ focal_point: { ...point, z: 1 } }), [400, 'z is not a valid property of Object.'])
    assert.equal(await refused({ focal_point: 'top' }), [400, 'focal_point is not of type object.'])
    assert.equal(await refused({ decorative: 'maybe' }), [400, 'decorative is not of type boolean.'])
    assert.equal(await refused({ focal_point: point }, 'con'), [403])
    await site.change(id, { focal_point: null }, 'ann')
    assert.equal(await shown(), plain)

    const sent = await site.form(DOT, 'other.png', {
      'focal_point[x]': '0.5',
      'focal_point[y]': '0',
      decorative: 'true',
    })
    assert.is(sent.status, 201)
    assert.equal(sent.body.media_details, {
      ...plain,
      ...sent.body.media_details,
      focal_point: { x: 0.5, y: 0 },
      decorative: true,
    })
    const options = await (await site.request(`${LIST}/${id}`, { method: 'OPTIONS' })).text()
    assert.match(options, '"alt_text"')
    assert.not.match(options, /focal_point|decorative|lacks_alt_text/)
    assert.not.match(
      await (await site.request(LIST, { method: 'OPTIONS' })).text(),
      /focal_point|decorative|lacks_alt_text/,
    )
  })

  writing('creates the registered sizes that are smaller than the image', async () => {
    await using site = await start()
    const { body } = await site.raw(PHOTO, 'photo.jpg')
    const { width, height, sizes } = body.media_details
    assert.equal([width, height], [1200, 800])
    assert.equal(body.missing_image_sizes, [])
    const sizeEntries = Object.entries(sizes as Record<string, { file: string; width: number; height: number }>)
    assert.equal(sizeEntries.map(([size, { file }]) => `${size} ${file}`).sort(), [
      'full photo.jpg',
      'large photo-1024x683.jpg',
      'medium photo-300x200.jpg',
      'medium_large photo-768x512.jpg',
      'thumbnail photo-150x150.jpg',
    ])
    for (const [, size] of sizeEntries) {
      const facts = await sharp(await site.bytes(`${site.month}/${size.file}`)).metadata()
      assert.equal([facts.format, facts.width, facts.height], ['jpeg', size.width, size.height])
    }
    assert.equal((await site.uploads()).length, 2 + sizeEntries.length)
    const read = await site.json(`${LIST}/${body.id}?context=edit`, site.by('ed'))
    assert.equal(read.media_details, body.media_details)
  })

  writing('creates versions of every image type that browsers display', async () => {
    await using site = await start()
    for (const format of ['png', 'gif', 'webp', 'avif'] as const) {
      const { status, body } = await site.raw(await image(200, 400).toFormat(format).toBuffer(), `tall.${format}`)
      assert.is(status, 201, format)
      assert.equal([body.mime_type, body.media_details.width], [`image/${format}`, 200])
      assert.equal(Object.keys(body.media_details.sizes).sort(), ['full', 'medium', 'thumbnail'], format)
    }
  })

  writing('S32: displays photos upright, within max_side and without camera metadata', async () => {
    await using site = await start({ media: { max_side: 600 } })
    const exif = { IFD0: { Copyright: 'Somebody at home' } }
    const turned = await image(500, 300).withExif(exif).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    const upright = (await site.raw(turned, 'turned.jpg')).body
    assert.equal([upright.media_details.width, upright.media_details.height], [300, 500])
    assert.is(upright.media_details.file, `${site.month}/turned-rotated.jpg`)
    assert.is(upright.media_details.original_image, 'turned.jpg')
    const shown = await site.bytes(upright.media_details.file)
    assert.equal([shown.includes('Somebody'), turned.includes('Somebody')], [false, true])
    assert.is((await sharp(shown).metadata()).height, 500)

    const large = (await site.raw(PHOTO, 'large.jpg')).body
    assert.equal([large.media_details.width, large.media_details.height], [600, 400])
    assert.is(large.source_url, `${site.home}/uploads/${site.month}/large-scaled.jpg`)
    assert.is(large.media_details.sizes.medium.file, 'large-300x200.jpg')
    await site.delete(upright.id)
    await site.delete(large.id)
    assert.equal(await site.uploads(), [site.month.slice(0, 4), site.month])
  })

  writing('S32: resizes one image at a time, and returns 503 if too many are waiting', async () => {
    await using site = await start()
    const large = await image(700, 700).gif().toBuffer()
    const answers = await Promise.all(Array.from({ length: 30 }, () => site.raw(large, 'large.gif')))
    const stored = answers.filter(({ status }) => status === 201)
    const rejected = answers.filter(({ status }) => status === 503)
    assert.is(stored.length + rejected.length, 30)
    assert.ok(stored.length > 0 && rejected.length > 0, `${stored.length} stored, ${rejected.length} rejected`)
    for (const { body, headers } of rejected)
      assert.equal([body.code, headers.get('retry-after')], ['rest_unavailable', '5'])
    assert.is(await site.count(), stored.length)
    const files = (await site.uploads()).filter((path) => /large(?:-\d+)?\.gif$/.test(path))
    assert.is(files.length, stored.length)
    assert.equal(
      (await site.uploads()).filter((path) => path.includes('upload')),
      [],
    )
    assert.is((await site.raw(PHOTO, 'photo.jpg')).status, 201)
  })

  writing('stores other files unchanged', async () => {
    await using site = await start()
    const text = Buffer.from('one,two\n')
    const { status, body } = await site.form(text, 'table.csv')
    assert.equal([status, body.media_type, body.mime_type], [201, 'file', 'text/csv'])
    assert.equal(body.media_details, { filesize: 8, sizes: {} })
    const pdf = await site.raw(Buffer.from('%PDF-1.7\n'), 'paper.pdf')
    assert.equal([pdf.status, pdf.body.mime_type], [201, 'application/pdf'])
  })

  writing('gives every file a unique name', async () => {
    await using site = await start()
    const answers = await Promise.all(Array.from({ length: 6 }, () => site.raw(PHOTO, 'photo.jpg')))
    assert.equal(new Set(answers.map(({ body }) => body.source_url)).size, 6)
    assert.equal(new Set(answers.map(({ body }) => body.slug)).size, 6)
    const size = await site.raw(await image(20, 20).jpeg().toBuffer(), 'photo-300x200.jpg')
    assert.is(size.body.source_url, `${site.home}/uploads/${site.month}/photo-300x200-1.jpg`)
    const other = await site.raw(PHOTO, 'PHOTO.jpg')
    assert.is(other.body.source_url, `${site.home}/uploads/${site.month}/PHOTO-6.jpg`)
    assert.not.ok((await site.uploads()).some((path) => path.startsWith('.')))
  })

  const NAMES: [disposition: string, stored: string][] = [
    ['attachment; filename="../../etc/passwd.png"', 'passwd.png'],
    ['attachment; filename="..\\\\..\\\\boot.png"', 'boot.png'],
    ['attachment; filename=plain.png', 'plain.png'],
    ['attachment; filename=c d.png ; size=3', 'c-d.png'],
    ['inline; size=3; FileName="a b.png"', 'a-b.png'],
    ['attachment; filename="x.png"; filename*=UTF-8\'\'h%C3%BCgel%0D%0A.png', 'h%C3%BCgel.png'],
    ["attachment; filename*=ISO-8859-1'en'%E9t%E9.png", '%C3%A9t%C3%A9.png'],
    ['attachment; filename="y.png"; filename*=UTF-8\'\'%FF', 'y.png'],
    [`attachment; filename="${Buffer.from('日本.png').toString('latin1')}"`, '%E6%97%A5%E6%9C%AC.png'],
    ['attachment; filename="evil.php.png"', 'evil_php.png'],
    ['attachment; filename=".htaccess.png"', 'htaccess.png'],
    ['attachment; filename="a\\"b<c>;d?e#f%2e%2e.png"', 'abcdef2e2e.png'],
    ['attachment; filename="..."', 'file.png'],
    ['attachment; filename="photo"', 'photo.png'],
    ['attachment; filename="photo.jpg"', 'photo-1.png'],
    [`attachment; filename="${'n'.repeat(400)}.png"`, `${'n'.repeat(150)}.png`],
  ]

  writing('S32: sanitizes every file name that a client sends', async () => {
    await using site = await start()
    for (const [disposition, stored] of NAMES) {
      const { status, body, headers } = await site.raw(DOT, '', 'ed', { 'content-disposition': disposition })
      assert.is(status, 201, disposition)
      assert.is(body.source_url, `${site.home}/uploads/${site.month}/${stored}`, disposition)
      assert.is(headers.get('location'), `${site.home}/svc-json${LIST}/${body.id}`)
      assert.is((await site.request(body.source_url)).status, 200)
      const read = await site.request(`${LIST}/${body.id}`)
      assert.match(read.headers.get('link') ?? '', /^<[!-~]+>; rel="alternate"; type=text\/html$/)
    }
    const formed = await site.form(DOT, '../hügel.png')
    assert.is(formed.body.source_url, `${site.home}/uploads/${site.month}/h%C3%BCgel-1.png`)
  })

  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc32(Buffer.concat([Buffer.from(type), data])))
    return Buffer.concat([length, Buffer.from(type), data, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(30_000, 0)
  header.writeUInt32BE(30_000, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const bomb = Buffer.concat([
    DOT.subarray(0, 8),
    chunk('IHDR', header),
    chunk('IDAT', Buffer.from('eJwDAAAAAAE=', 'base64')),
  ])

  const REFUSED: [name: string, data: Uint8Array, code?: string][] = [
    ['page.html', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['page.txt', Buffer.from('\uFEFF \n<html><script>alert(1)</script>')],
    ['drawing.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
    ['drawing.png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
    [
      'entities.jpg',
      Buffer.from('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><svg>&e;</svg>'),
    ],
    ['evil.php', Buffer.from('<?php 1;')],
    ['evil.php', DOT],
    ['evil.jpg', Buffer.from('<?php 1;')],
    ['mixed.gif', Buffer.from('GIF89a/*<script>alert(1)</script>*/')],
    ['mixed.jpg', Buffer.concat([PHOTO, Buffer.from('<?php system($_GET[0]);')])],
    ['mixed.png', Buffer.concat([DOT, Buffer.from('PK\u0005\u0006'), Buffer.alloc(18)])],
    ['mixed.jpg', Buffer.concat([PHOTO.subarray(0, 20), Buffer.from('%PDF-1.7'), PHOTO.subarray(20)])],
    ['program.exe', Buffer.from('MZ\0\0')],
    ['script.js', Buffer.from('alert(1)')],
    ['paper.pdf', Buffer.from('not at all')],
    ['film.mp4', DOT],
    ['name', Buffer.from('text')],
    ['key.__proto__', Buffer.from('text')],
    ['key.constructor', Buffer.from('text')],
    ['damaged.jpg', PHOTO.subarray(0, 300)],
    ['damaged.png', DOT.subarray(0, 20)],
    ['bomb.png', bomb, 'rest_upload_too_many_pixels'],
  ]

  writing('S32: rejects files of types that users may not upload, and stores no part of them', async () => {
    await using site = await start()
    for (const [file, data, code = 'rest_upload_sideload_error'] of REFUSED) {
      assert.equal(statusAndCode(await site.raw(data, file, 'admin')), [400, code], file)
      assert.equal(statusAndCode(await site.form(data, file, {}, 'admin')), [400, code], file)
    }
    assert.equal([await site.count(), await site.uploads()], [0, []])
  })

  writing('stores a text of many byte order marks without backtracking', async () => {
    await using site = await start()
    const { status, body } = await site.raw(Buffer.from('\uFEFF'.repeat(300)), 'marks.txt', 'admin')
    assert.equal([status, body.mime_type], [201, 'text/plain'])
  })

  writing('S32: allows fewer pixels for image types that need more memory', async () => {
    await using site = await start({ media: { max_pixels: 10_000 } })
    const drawn = (side: number) =>
      sharp({ create: { width: side, height: side, channels: 3, background: { r: 200, g: 30, b: 30 } } })
    const none = 'rest_upload_too_many_pixels'
    for (const [name, side, status, code] of [
      ['photo.png', 100, 201],
      ['photo.png', 101, 400, none],
      ['photo.avif', 70, 201],
      ['photo.avif', 71, 400, none],
    ] as const) {
      const data = await (name.endsWith('png') ? drawn(side).png() : drawn(side).avif()).toBuffer()
      const { status: answered, body } = await site.raw(data, name, 'admin')
      assert.equal([answered, body.code], [status, code], `${name} ${side}`)
    }
  })

  writing('returns a specific code for each missing part of an upload', async () => {
    await using site = await start()
    const post = async (headers: Record<string, string>, body?: RequestInit['body']) => {
      const response = await site.request(LIST, {
        method: 'POST',
        headers: { ...site.by('ed'), ...headers },
        body: body ?? null,
      })
      return statusAndCode({ status: response.status, headers: response.headers, body: await response.json() })
    }
    const disposition = { 'content-disposition': 'attachment; filename="h.png"' }
    const bytes = new Uint8Array(DOT)
    assert.equal(await post({ ...disposition, 'content-type': 'image/png' }), [400, 'rest_upload_no_data'])
    assert.equal(await post(disposition, bytes), [400, 'rest_upload_no_content_type'])
    assert.equal(await post({ 'content-type': 'image/png' }, bytes), [400, 'rest_upload_no_content_disposition'])
    assert.equal(await post({}, new FormData()), [400, 'rest_upload_no_data'])
    assert.equal(await post({ 'content-type': 'application/json' }, '{"title":"x"}'), [
      400,
      'rest_upload_no_content_disposition',
    ])
    for (const wrong of ['inline', 'attachment', 'attachment; filename', 'attachment; filename=""', 'filename=x.png']) {
      const headers = { 'content-type': 'image/png', 'content-disposition': wrong }
      assert.equal(await post(headers, bytes), [400, 'rest_upload_invalid_disposition'], wrong)
    }
    assert.equal(await site.uploads(), [])
  })

  writing('verifies the Content-MD5 header', async () => {
    await using site = await start()
    const hash = createHash('md5').update(DOT)
    const [hex, base64] = [hash.copy().digest('hex'), hash.digest('base64')]
    assert.equal(statusAndCode(await site.raw(DOT, 'h.png', 'ed', { 'content-md5': 'deadbeef' })), [
      412,
      'rest_upload_hash_mismatch',
    ])
    assert.is((await site.raw(DOT, 'h.png', 'ed', { 'content-md5': hex })).status, 201)
    assert.is((await site.raw(DOT, 'h.png', 'ed', { 'content-md5': base64 })).status, 201)
  })

  writing('accepts files only from users who may upload, and only for posts that they may edit', async () => {
    await using site = await start()
    const [post] = await addPosts(site.store, { title: 'Of somebody', author_id: site.users.ed })
    const [file] = await addMedia(site, { author_id: site.users.ann })
    const send = (fields: Record<string, string>, login?: Login) =>
      site.form(DOT, 'dot.png', fields, login).then(statusAndCode)
    const visitor = await site.request(LIST, { method: 'POST', body: 'x', headers: { 'content-type': 'image/png' } })
    assert.is(visitor.status, 401)
    assert.equal(await send({}, 'con'), [403, 'rest_cannot_create'])
    assert.equal(await send({}, 'sub'), [403, 'rest_cannot_create'])
    assert.equal(await send({ post: String(post) }, 'ann'), [403, 'rest_cannot_edit'])
    assert.equal(await send({ author: String(site.users.ed) }, 'ann'), [403, 'rest_cannot_edit_others'])
    assert.equal(await send({ post: '99999' }), [403, 'rest_cannot_edit'])
    assert.equal(await send({ post: String(file) }), [400, 'rest_invalid_param'])
    assert.equal(await send({ post: 'many' }), [400, 'rest_invalid_param'])
    assert.equal(await site.uploads(), [])
    assert.equal(statusAndCode(await site.change(file!, { title: 'Mine' }, 'shy')), [403, 'rest_cannot_edit'])
    assert.equal(statusAndCode(await site.change(file!, { post }, 'ann')), [403, 'rest_cannot_edit'])
    assert.equal(statusAndCode(await site.delete(file!, 'shy')), [403, 'rest_cannot_delete'])
    assert.is((await site.change(file!, { title: 'Mine' }, 'ann')).status, 200)
  })

  writing('changes the texts of a file but not the file', async () => {
    await using site = await start()
    const [post] = await addPosts(site.store, { title: 'Hello' })
    const { id, source_url: url, media_details: details } = (await site.raw(PHOTO, 'photo.jpg')).body
    const { status, body } = await site.change(id, {
      title: { raw: 'New' },
      alt_text: 'Alt',
      caption: { raw: 'Cap' },
      description: 'Desc',
      post,
      source_url: 'http://elsewhere.test/',
      mime_type: 'text/html',
      media_details: { file: '../../x' },
    })
    assert.is(status, 200)
    assert.equal(
      [body.title.raw, body.alt_text, body.caption.raw, body.description.raw, body.post, body.status],
      ['New', 'Alt', 'Cap', 'Desc', post, 'inherit'],
    )
    assert.equal([body.source_url, body.mime_type, body.media_details], [url, 'image/jpeg', details])
    const again = (await site.change(id, { alt_text: '', post: 0, status: 'draft' })).body
    assert.equal([again.alt_text, again.post, again.status, again.caption.raw], ['', null, 'inherit', 'Cap'])
    const whole = await site.json(`${LIST}/${id}?context=edit`, site.by('ed'))
    assert.is((await site.change(id, { ...whole, title: 'Whole' })).body.title.raw, 'Whole')
  })

  writing('deletes a file permanently with all its sizes', async () => {
    await using site = await start()
    const { id, source_url: url } = (await site.raw(PHOTO, 'photo.jpg')).body
    const [post] = await addPosts(site.store, { title: 'Hello', meta: { _thumbnail_id: id } })
    const refused = await site.send('DELETE', `${LIST}/${id}`, {}, 'ed')
    assert.equal([refused.status, ((await refused.json()) as { code: string }).code], [501, 'rest_trash_not_supported'])
    assert.is((await site.request(url)).status, 200)
    const { status, body } = await site.delete(id)
    assert.equal([status, body.deleted, body.previous.source_url], [200, true, url])
    assert.equal(await site.uploads(), [site.month.slice(0, 4), site.month])
    assert.is((await site.request(url)).status, 404)
    assert.is((await site.json(`/svc/v2/posts/${post}`)).featured_media, 0)
  })

  writing('does not delete files of another attachment or outside the uploads folder', async () => {
    await using site = await start()
    const { body } = await site.raw(PHOTO, 'photo.jpg')
    const outside = join(tmpdir(), `${site.users.ed}-${Date.now()}-outside.txt`)
    await writeFile(outside, 'stays')
    const [twin] = await addMedia(site, {
      file: `${site.month}/photo.jpg`,
      metadata: { sizes: { x: { file: '../../../x' } } },
    })
    const [liar] = await addMedia(site, { file: `../${outside.slice(tmpdir().length + 1)}`, metadata: null })
    await site.delete(liar!)
    assert.is(await readFile(outside, 'utf8'), 'stays')
    await rm(outside)
    await site.delete(twin!)
    assert.is((await site.request(body.source_url)).status, 200)
    await site.delete(body.id)
    assert.is((await site.request(body.source_url)).status, 404)
  })

  writing('runs hooks that can reject files and change the allowed types', async () => {
    await using site = await start({}, [extras])
    events.length = 0
    const { id } = (await site.form(DOT, 'dot.png', { title: 'First' })).body
    await site.change(id, { title: 'Second' })
    await site.delete(id)
    assert.equal(events, [
      'insert First true',
      'after First true',
      'insert Second false',
      'after Second false',
      'delete Second',
    ])
    assert.equal(statusAndCode(await site.form(PHOTO, 'photo.jpg', { title: 'refused' })), [422, 'not_this'])
    assert.equal([await site.count(), await site.uploads()], [0, [site.month.slice(0, 4), site.month]])
    // The attachment was already stored, so its file is kept.
    assert.equal(statusAndCode(await site.form(DOT, 'late.png', { title: 'late' })), [422, 'too_late'])
    const [late] = await site.json(LIST)
    assert.is((await site.request(late.source_url)).status, 200)

    assert.equal(statusAndCode(await site.raw(Buffer.from('PK\u0003\u0004'), 'a.zip')), [
      400,
      'rest_upload_sideload_error',
    ])
    const drawing = await site.raw(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'drawing.svg')
    assert.equal([drawing.status, drawing.body.mime_type], [201, 'image/svg+xml'])
    const served = await site.request(drawing.body.source_url)
    assert.is(served.headers.get('content-disposition'), 'attachment')
    assert.match(served.headers.get('content-security-policy') ?? '', /sandbox/)
  })

  writing('S39: stores nothing if writing to the disk fails', async () => {
    await using site = await start()
    const [year = '', month = ''] = site.month.split('/')
    await site.raw(DOT, 'first.png')
    const folder = join(site.kernel.config.uploads, year)
    await rm(join(folder, month), { recursive: true })
    await writeFile(join(folder, month), 'in the way')
    assert.equal(statusAndCode(await site.raw(PHOTO, 'photo.jpg')), [500, 'rest_upload_unknown_error'])
    assert.equal([await site.count(), await site.uploads()], [1, [year, site.month]])
  })

  writing.run()
}
