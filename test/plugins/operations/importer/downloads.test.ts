import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ImportProgress } from '../../../../plugins/operations/importer/index.ts'
import { serve, type Site } from '../../../helpers/site.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { receive, type Receiver } from '../../foundation/outgoing/asking.ts'
import { one } from './importing.ts'
import { noteLines } from '../../../../plugins/operations/importer/report.ts'

const ALLOWED = { allow: ['127.0.0.1:*'] }
const image = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
  .png()
  .toBuffer()

for (const { name, place } of databases) {
  const downloads = suite(`downloads of an import: ${name}`)

  downloads('downloads missing files and image sizes, and failed files in a second run', async () => {
    let isUp = false
    await using old = await receive((request, response) => {
      if (request.url!.includes('late') && !isUp) response.writeHead(503).end('later')
      else response.end(request.url!.endsWith('.txt') ? 'a text' : image)
    })
    await using here = await siteWith(place)
    const run = () =>
      here.importText(exportOf(old, ['2024/05/a b.png', '2024/05/late.png', '2024/notes.txt'], ['a b-10x10.png']))
    const progress: ImportProgress[] = []
    const first = await here.importText(
      exportOf(old, ['2024/05/a b.png', '2024/05/late.png', '2024/notes.txt'], ['a b-10x10.png']),
      { onProgress: (at: ImportProgress) => progress.push(at) },
    )
    const reason = 'the old site responded 503'
    assert.equal(first.counts['files'], {
      imported: 3,
      alreadyHere: 0,
      skipped: { [reason]: 1 },
      phrases: { [reason]: { text: 'the old site responded {status}', values: { status: 503 } } },
    })
    assert.ok(noteLines(first).some((note) => note.includes('late.png')))
    assert.equal(progress.at(-1)!.files, { done: 4, missing: 4 })
    assert.equal(await here.files(), ['2024/05/a b-10x10.png', '2024/05/a b.png', '2024/notes.txt'])
    assert.equal(await readFile(path.join(here.folder, '2024/05/a b.png')), image)
    assert.ok(old.requestLines.includes('GET /wp-content/uploads/2024/05/a%20b-10x10.png'))
    const [listed] = await here.site.json('/svc/v2/media?search=a%20b')
    assert.is((await here.site.request(listed.source_url)).status, 200)

    isUp = true
    old.requestLines.length = 0
    const second = await run()
    assert.equal(second.counts['files'], { imported: 1, alreadyHere: 3, skipped: {} })
    assert.equal(old.requestLines, ['GET /wp-content/uploads/2024/05/late.png'])
    old.requestLines.length = 0
    assert.equal((await run()).counts['files'], { imported: 0, alreadyHere: 4, skipped: {} })
    assert.equal(old.requestLines, [])
  })

  downloads('S32, S36: accepts only files that an upload may be, and continues after a failed file', async () => {
    const answers: Record<string, RequestListener> = {
      'page.png': (_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><p>Log in</p>'),
      'script.png': (_, response) => response.end(Buffer.concat([image, Buffer.from('<script>1</script>')])),
      'shell.php': (_, response) => response.end('<?php'),
      'drawing.svg': (_, response) => response.end('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      'large.txt': (_, response) => response.end('a'.repeat(200_000)),
      'gone.png': (_, response) => response.writeHead(404).end('gone'),
      'cut.png': (_, response) => {
        response.setHeader('content-length', 1000)
        response.write(image)
        response.destroy()
      },
      'hangs.png': () => {},
      'elsewhere.png': (_, response) => response.writeHead(302, { location: 'http://10.0.0.1/x.png' }).end(),
      'good.png': (_, response) => response.end(image),
    }
    await using old = await receive((request, response) => answers[path.basename(request.url!)]!(request, response))
    await using here = await siteWith(place, 100_000)
    await writeFile(path.join(here.folder, 'mine.png'), 'mine')
    const names = [...Object.keys(answers), 'mine.png', '../out.png', '.hidden.png', 'a/../../out.png']
    const report = await here.importText(exportOf(old, names), {
      download: { allow: [`127.0.0.1:${old.port}`], timeout: 1000, retries: 0 },
    })
    assert.equal(await here.files(), ['good.png', 'mine.png'])
    assert.is(await readFile(path.join(here.folder, 'mine.png'), 'utf8'), 'mine')
    const { imported, alreadyHere, skipped } = report.counts['files']!
    assert.equal([imported, alreadyHere], [1, 1])
    assert.is(
      Object.values(skipped).reduce((sum, count) => sum + count, 0),
      Object.keys(answers).length - 1,
    )
    const reasons = Object.keys(skipped).join('\n')
    for (const reason of [
      /does not match the extension/,
      /contains HTML or code/,
      /\.php are not allowed/,
      /\.svg are not allowed/,
      /larger than 100000/,
      /responded 404/,
      /took longer than 1000/,
      /10\.0\.0\.1:80 are refused/,
      /not as long|closed the connection/,
    ])
      assert.match(reasons, reason)
    assert.not.ok(old.requestLines.some((line) => /mine|hidden|out\.png/.test(line)))
  })

  downloads('sends no more requests to a server that keeps failing', async () => {
    await using old = await receive((_, response) => response.destroy())
    await using here = await siteWith(place)
    const names = Array.from({ length: 60 }, (_, index) => `${index}.png`)
    const report = await here.importText(exportOf(old, names))
    assert.is(
      Object.values(report.counts['files']!.skipped).reduce((sum, count) => sum + count, 0),
      60,
    )
    assert.ok(old.requestLines.length < 15, String(old.requestLines.length))
  })

  downloads(
    'S36: requests private addresses only if they are allowed, and nothing if outgoing requests are switched off',
    async () => {
      await using old = await receive((_, response) => response.end(image))
      await using here = await siteWith(place)
      const report = await here.importText(exportOf(old, ['a.png']), { download: {} })
      assert.match(Object.keys(report.counts['files']!.skipped).join(), /are refused/)
      assert.is(old.connections(), 0)
      const code = (plugins: object, allow: string[]) =>
        siteWith(place, undefined, plugins).then(async (other) => {
          await using off = other
          return await off.importText(exportOf(old, ['a.png']), { download: { allow } }).then(
            () => 'imported',
            (error: { code: string }) => error.code,
          )
        })
      assert.is(await code({ outgoing: false, webhooks: false, 'url-details': false }, []), 'IMPORT_DOWNLOAD_OFF')
      assert.is(await code({}, ['10.0.0.0/99']), 'OUTGOING_ALLOW_INVALID')
    },
  )

  downloads(
    'continues a file where an interrupted download ended, if the old site still has this version',
    async () => {
      const texts = { 'a.txt': 'abcdefghij'.repeat(1000), 'b.txt': '0123456789'.repeat(1000) }
      const versions: Record<string, string> = { 'a.txt': '"1"', 'b.txt': '"1"' }
      let isCut = true
      const ranges: string[] = []
      await using old = await receive((request, response) => {
        const name = path.basename(request.url!) as keyof typeof texts
        const { range = '', 'if-range': version } = request.headers
        const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range)!
        ranges.push(`${name} ${from} ${String(version ?? '')}`)
        if (isCut && Number(from) >= 4096) return response.destroy()
        const text = Buffer.from(versions[name] === '"1"' ? texts[name] : texts[name].toUpperCase())
        response.setHeader('etag', versions[name]!)
        if (version !== undefined && version !== versions[name]) return response.end(text)
        const part = text.subarray(Number(from), Number(to) + 1)
        response.setHeader('content-range', `bytes ${from}-${Number(from) + part.length - 1}/${text.length}`)
        return response.writeHead(206).end(part)
      })
      await using here = await siteWith(place, 4096)
      const text = exportOf(old, ['a.txt', 'b.txt'])
      const first = await here.importText(text)
      assert.is(first.counts['files']!.imported, 0)
      isCut = false
      versions['a.txt'] = '"2"'
      // The changed file is sent whole, so it needs room.
      ranges.length = 0
      const second = await here.importText(text, { download: { ...ALLOWED, retries: 0 } })
      assert.equal(ranges.toSorted(), ['a.txt 4096 "1"', 'b.txt 4096 "1"', 'b.txt 8192 "1"'])
      assert.is(await readFile(path.join(here.folder, 'b.txt'), 'utf8'), texts['b.txt'])
      assert.match(Object.keys(second.counts['files']!.skipped).join(), 'larger than 4096 bytes')
    },
  )

  downloads('repeats requests that failed for a temporary reason, and refuses a wrong checksum', async () => {
    const attempts = new Map<string, number>()
    await using old = await receive((request, response) => {
      const name = path.basename(request.url!)
      const attempt = (attempts.get(name) ?? 0) + 1
      attempts.set(name, attempt)
      if (name === 'md5.txt') response.setHeader('content-md5', 'AAAAAAAAAAAAAAAAAAAAAA==')
      if (name === 'sha.txt') response.setHeader('repr-digest', 'sha-256=:AAAA:')
      if (name === 'good.txt') response.setHeader('content-md5', createHash('md5').update('a text').digest('base64'))
      if (name === 'busy.txt' && attempt < 3) return response.writeHead(429, { 'retry-after': '0' }).end()
      if (name === 'broken.txt' && attempt < 2) return response.destroy()
      if (name === 'gone.txt') return response.writeHead(410).end()
      return response.end('a text')
    })
    await using here = await siteWith(place)
    const names = ['busy.txt', 'broken.txt', 'gone.txt', 'md5.txt', 'sha.txt', 'good.txt']
    const report = await here.importText(exportOf(old, names), { download: { ...ALLOWED, pause: 1 } })
    assert.equal(await here.files(), ['broken.txt', 'busy.txt', 'good.txt'])
    assert.equal(report.counts['files']!.skipped, {
      'the old site responded 410': 1,
      'the file does not match its checksum': 2,
    })
    assert.is(attempts.get('busy.txt'), 3)
    assert.is(attempts.get('gone.txt'), 1)
  })

  downloads('is rejected with the reason of its signal, and keeps the content for a second run', async () => {
    const cancel = new AbortController()
    await using old = await receive((_, response) => {
      if (cancel.signal.aborted) return response.end('a text')
      cancel.abort(new Error('enough'))
      // Without the signal, the next attempt would come after a minute.
      return response.writeHead(503, { 'retry-after': '60' }).end()
    })
    await using here = await siteWith(place)
    const text = exportOf(old, ['a.txt', 'b.txt', 'c.txt'])
    const progress: ImportProgress[] = []
    const options = { onProgress: (at: ImportProgress) => progress.push(at) }
    const { signal } = cancel
    await here.importText(text, { ...options, download: { ...ALLOWED, signal } }).then(
      () => assert.unreachable(),
      (error: Error) => assert.is(error.message, 'enough'),
    )
    assert.ok(progress.every(({ files, isStored }) => isStored === true || files === undefined))
    assert.is(progress.at(-1)!.isStored, true)
    assert.is((await here.site.json('/svc/v2/media')).length, 3)
    assert.equal((await here.importText(text)).counts['files'], { imported: 3, alreadyHere: 0, skipped: {} })
  })

  downloads.run()
}

/** An export of a site with attachments. @param versions image sizes of the first attachment */
function exportOf(old: Receiver, names: readonly string[], versions: readonly string[] = []): string {
  const sizes = versions.map(
    (file, index) => `s:${`v${index}`.length}:"v${index}";a:1:{s:4:"file";s:${file.length}:"${file}";}`,
  )
  const metadata = `a:1:{s:5:"sizes";a:${sizes.length}:{${sizes.join('')}}}`
  const items = names.map((name, index) => {
    const url = `${old.url}/wp-content/uploads/${name.split('/').map(encodeURIComponent).join('/')}`
    const meta = (key: string, value: string) =>
      `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value><![CDATA[${value}]]></wp:meta_value></wp:postmeta>`
    return `<item><title>${name}</title><guid isPermaLink="false">${old.url}/?p=${index + 1}</guid>
      <wp:post_id>${index + 1}</wp:post_id><wp:post_date>2024-05-01 10:00:00</wp:post_date>
      <wp:post_date_gmt>2024-05-01 10:00:00</wp:post_date_gmt><wp:post_name>file-${index}</wp:post_name>
      <wp:status>inherit</wp:status><wp:post_type>attachment</wp:post_type><wp:attachment_url>${url}</wp:attachment_url>
      ${meta('_wp_attached_file', name)}${index === 0 && versions.length > 0 ? meta('_wp_attachment_metadata', metadata) : ''}</item>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
    <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/"
      xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>Old</title>
      <link>${old.url}</link><wp:wxr_version>1.2</wp:wxr_version><wp:base_site_url>${old.url}</wp:base_site_url>
      <wp:base_blog_url>${old.url}</wp:base_blog_url>${items.join('\n')}</channel></rss>`
}

/** A site with an uploads folder. @param body maximum bytes of an upload */
async function siteWith(place: (typeof databases)[number]['place'], body?: number, plugins: object = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'downloads-test-'))
  const at = await place()
  const site: Site = await serve({
    database: at.url,
    uploads: folder,
    plugins: { ...plugins },
    ...(body !== undefined && { limits: { bodyLimit: body } }),
  })
  return {
    site,
    folder,
    importText: (text: string, options: object = {}) =>
      site.kernel.services.importer.run({ source: one(text), download: { ...ALLOWED, retries: 0 }, ...options }),
    /** All files of the folder, including hidden ones. */
    async files(): Promise<string[]> {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
        .sort()
    },
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await at[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}
