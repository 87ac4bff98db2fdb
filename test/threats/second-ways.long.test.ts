import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers, type SiteWithUsers } from '../helpers/site-with-users.ts'
import { add, requestAs, LOGINS, type Json, type Login } from './request-as.ts'

// Every way to write a file: uploads, edits, versions that clients make, fonts.

const MEDIA = '/svc/v2/media'
const IMAGE = await sharp({ create: { width: 300, height: 200, channels: 3, background: { r: 9, g: 99, b: 9 } } })
  .png()
  .toBuffer()

/** All files below a folder with their contents, as one text. */
async function filesOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const shown = await Promise.all(files.map(async (path) => `${path} ${(await readFile(path)).toString('base64')}`))
  return shown.toSorted().join('\n')
}

/** Metadata and rows that files have in the database. */
async function rowsOf({ store }: SiteWithUsers): Promise<string> {
  const posts = await store.all(
    store.db.selectFrom('posts').select(['id', 'title', 'parent_id', 'author_id']).orderBy('id'),
    [],
  )
  const meta = await store.all(store.db.selectFrom('post_meta').selectAll().orderBy('id'), [])
  return JSON.stringify([posts, meta])
}

/** A request that writes a file, with the bytes of one or with JSON. */
interface Attempt {
  readonly method: string
  readonly path: string
  readonly body: Uint8Array | object
}

async function send(site: SiteWithUsers, login: Login, { method, path, body }: Attempt, name = 'photo.png') {
  const isFile = body instanceof Uint8Array
  const file = { 'content-type': 'image/png', 'content-disposition': `attachment; filename="${name}"` }
  const headers = {
    ...(isFile ? file : { 'content-type': 'application/json' }),
    ...(login === 'visitor' ? {} : site.by(login)),
  }
  const response = await site.request(path, {
    method,
    headers,
    body: isFile ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text) }
}

for (const { name, place } of databases) {
  const fileRoutes = suite(`routes that write files on ${name}`)

  const start = async (uploads: string) =>
    serveWithUsers(place, { uploads, plugins: { media: { client_resizing: true } } })

  fileRoutes('S46: require the permission to change the attachment below which they are', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'ways-'))
    await using site = await start(folder.path)
    const photo = (await send(site, 'ed', { method: 'POST', path: MEDIA, body: IMAGE })).body
    const { source_url: src, id } = photo
    const draft = await add(site, { title: 'Draft', status: 'draft', author_id: site.users.ed })
    const rotate = { src, modifiers: [{ type: 'rotate', args: { angle: 90 } }] }
    // A body that each route takes from a user who may.
    const bodies: Readonly<Record<string, Uint8Array | object>> = {
      '': { title: 'Taken over', alt_text: 'Taken over' },
      edit: rotate,
      finalize: { sub_sizes: [] },
      'post-process': { action: 'create-image-subsizes' },
      'sideload?image_size=medium': IMAGE,
    }
    // The routes of the server, so that a route that is added is missing here.
    const { routes } = (await (await site.get('/')).json()) as { routes: Record<string, { methods: string[] }> }
    const below = Object.entries(routes).flatMap(([route, { methods }]) => {
      const [, last] = /^\/svc\/v2\/media\/\(\?P<id>[^/]*\)(?:\/([\w-]+))?$/.exec(route) ?? []
      const isOf = route.startsWith(`${MEDIA}/(?P<id>`) && methods.some((method) => method !== 'GET')
      return isOf ? [last ?? ''] : []
    })
    assert.equal(new Set(below), new Set(Object.keys(bodies).map((path) => path.split('?')[0])))
    const attempts = Object.entries(bodies).flatMap(([path, body]): Attempt[] =>
      (path === '' ? ['POST', 'PUT', 'PATCH'] : ['POST']).map((method) => ({
        method,
        path: `${MEDIA}/${id}${path === '' ? '' : `/${path}`}`,
        body,
      })),
    )
    attempts.push({ method: 'DELETE', path: `${MEDIA}/${id}?force=true`, body: {} })
    const [files, rows] = [await filesOf(folder.path), await rowsOf(site)]
    for (const login of LOGINS.filter((one) => one !== 'ed' && one !== 'admin')) {
      for (const attempt of attempts) {
        const { status, body } = await send(site, login, attempt)
        const about = `${attempt.method} ${attempt.path} by ${login}: ${JSON.stringify(body)}`
        assert.is(status, login === 'visitor' ? 401 : 403, about)
        assert.is(await filesOf(folder.path), files, about)
        assert.is(await rowsOf(site), rows, about)
      }
      // Nor does a new file get below a post that the user may not change.
      const under = await send(site, login, { method: 'POST', path: `${MEDIA}?post=${draft}`, body: IMAGE })
      assert.is(under.status, login === 'visitor' ? 401 : 403, login)
    }
    assert.is(await filesOf(folder.path), files)
    for (const attempt of attempts)
      assert.ok((await send(site, 'ed', attempt)).status < 300, JSON.stringify(attempt.path))
  })

  fileRoutes('S46: write fonts only for users who can edit the theme', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'ways-'))
    await using site = await start(folder.path)
    const { routes } = (await (await site.get('/')).json()) as { routes: Record<string, { methods: string[] }> }
    const writing = Object.entries(routes).filter(
      ([route, { methods }]) => /font/.test(route) && methods.some((method) => method !== 'GET'),
    )
    assert.ok(writing.length >= 4)
    const [files, rows] = [await filesOf(folder.path), await rowsOf(site)]
    const family = JSON.stringify({ name: 'Own', slug: 'own', fontFamily: 'Own' })
    const face = JSON.stringify({ fontFamily: 'Own', src: 'https://fonts.example/own.woff2' })
    for (const [route, { methods }] of writing) {
      const path = route.replaceAll(/\(\?P<\w+>[^)]*\)/g, '1')
      for (const login of ['visitor', 'sub', 'con', 'ann', 'ed'] as const)
        for (const method of methods.filter((one) => one !== 'GET')) {
          const { status } = await requestAs(site, login, method, path, {
            font_family_settings: family,
            font_face_settings: face,
          })
          assert.ok([400, 401, 403, 404].includes(status), `${method} ${path} by ${login}: ${status}`)
        }
    }
    assert.is(await filesOf(folder.path), files)
    assert.is(await rowsOf(site), rows)
  })

  fileRoutes('S50: never store a script as an image, with any file name and type', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'ways-'))
    await using site = await start(folder.path)
    const photo = (await send(site, 'ann', { method: 'POST', path: MEDIA, body: IMAGE })).body
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>')
    const html = Buffer.from('<!doctype html><script>alert(1)</script>')
    const targets = [MEDIA, `${MEDIA}/${photo.id}/sideload?image_size=medium`]
    const types = [
      'image/svg+xml',
      'image/svg',
      'IMAGE/SVG+XML; charset=utf-8',
      'image/png',
      'image/x',
      'image/',
      'text/plain',
    ]
    const names = [
      'a.svg',
      'a.SVG',
      'a.svgz',
      'a.svg.png',
      'a.png.svg',
      'a.svg.',
      'a.svg ',
      'a.svg%00.png',
      'a.html',
      'a.xhtml',
      'a.png.html',
    ]
    const files = await filesOf(folder.path)
    for (const path of targets)
      for (const type of types)
        for (const file of names)
          for (const data of [svg, html]) {
            const headers = {
              'content-type': type,
              'content-disposition': `attachment; filename="${file}"`,
              ...site.by('ann'),
            }
            const response = await site.request(path, { method: 'POST', headers, body: new Uint8Array(data) })
            const { source_url: url, code } = (await response.json()) as Json
            const about = `${path} ${type} ${file}: ${response.status} ${String(code)}`
            if (response.status >= 300) continue
            // What is stored all the same is sent as plain data.
            const sent = await site.request(url)
            assert.not.match(sent.headers.get('content-type') ?? '', /svg|html|xml/, about)
            assert.is(sent.headers.get('x-content-type-options'), 'nosniff', about)
          }
    assert.is(await filesOf(folder.path), files)
  })

  fileRoutes('S50, S52: write only inside the uploads folder, with any file name', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'ways-'))
    const uploads = join(folder.path, 'site', 'uploads')
    await using site = await start(uploads)
    const names = [
      '../../x.png',
      '..\\..\\x.png',
      '/etc/x.png',
      'C:\\x.png',
      '.htaccess',
      '.png',
      '..png',
      'a/../../../x.png',
      '%2e%2e%2fx.png',
      'a\u0000.png',
      'con.png',
      'x.png/.',
      'x.php.png',
      'x.js.png',
      'x.ts',
      'x.mjs',
      'package.json',
      'svc.config.json',
      'plugin.ts.png',
      'a\'b"c.png',
      '-rf.png',
      `${'x'.repeat(400)}.png`,
      '\u202egnp.x',
      'ü/ü.png',
    ]
    const stored: string[] = []
    for (const file of names) {
      const form = new FormData()
      form.set('file', new Blob([new Uint8Array(IMAGE)], { type: 'image/png' }), file)
      const response = await site.request(MEDIA, { method: 'POST', headers: site.by('admin'), body: form })
      const body = (await response.json()) as Json
      if (response.status === 201) stored.push(body.source_url)
      else assert.ok(response.status < 500, `${file}: ${response.status}`)
      const raw = encodeURIComponent(file)
      const headers = {
        'content-type': 'image/png',
        'content-disposition': `attachment; filename*=UTF-8''${raw}`,
        ...site.by('admin'),
      }
      const other = await site.request(MEDIA, { method: 'POST', headers, body: new Uint8Array(IMAGE) })
      assert.ok(other.status < 500, `${file}: ${other.status}`)
      await other.body?.cancel()
    }
    assert.ok(stored.length > 5)
    for (const url of stored) {
      assert.match(new URL(url).pathname, /^\/uploads\/\d{4}\/\d{2}\/[^/]+\.png$/)
      assert.not.match(url, /\.\.|%2e|%2f|%00|\.(?:php|js|ts|mjs|json)$/i)
    }
    const outside = (await readdir(folder.path, { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile() && !entry.parentPath.startsWith(join(uploads, '2')),
    )
    assert.equal(
      outside
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.path.length))
        .filter((path) => !/\.svc|\.lock|\.pid|writable/.test(path)),
      [],
    )
  })

  fileRoutes.run()
}
