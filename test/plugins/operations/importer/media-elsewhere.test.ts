import { mkdtempDisposable, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { rewriterOf } from '../../../../plugins/operations/importer/old-sites/media-urls.ts'
import { serve, type Site } from '../../../helpers/site.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { receive } from '../../foundation/outgoing/asking.ts'
import { one } from './importing.ts'

const image = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
  .png()
  .toBuffer()

interface Photo {
  id: number
  url: string
  /** Value of the meta with the path of the file. */
  file?: string
  date?: string
}

const head = `<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
  xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>T</title><wp:wxr_version>1.2</wp:wxr_version>
  <wp:base_site_url>http://hoster.example</wp:base_site_url><wp:base_blog_url>http://old.example</wp:base_blog_url>`

const photoItem = ({ id, url, file, date = '2020-01-01' }: Photo) => `<item><title>photo</title>
  <wp:post_id>${id}</wp:post_id><wp:post_date>${date} 10:00:00</wp:post_date><wp:post_date_gmt>${date} 10:00:00</wp:post_date_gmt>
  <wp:post_name>photo-${id}</wp:post_name><wp:status>inherit</wp:status><wp:post_type>attachment</wp:post_type>
  <wp:attachment_url>${url}</wp:attachment_url>${
    file === undefined
      ? ''
      : `<wp:postmeta><wp:meta_key>_wp_attached_file</wp:meta_key><wp:meta_value>${file}</wp:meta_value></wp:postmeta>`
  }</item>`

const storyItem = (content: string, meta = '') => `<item><title>Story</title>
  <content:encoded><![CDATA[${content}]]></content:encoded><wp:post_id>4</wp:post_id>
  <wp:post_date>2020-01-01 10:00:00</wp:post_date><wp:post_date_gmt>2020-01-01 10:00:00</wp:post_date_gmt>
  <wp:post_name>story</wp:post_name><wp:status>publish</wp:status><wp:post_type>post</wp:post_type>
  <wp:postmeta><wp:meta_key>hero</wp:meta_key><wp:meta_value>${meta}</wp:meta_value></wp:postmeta></item>`

const exported = (...items: string[]) => one(`${head}${items.join('\n')}</channel></rss>`)

/** Content and meta of the story. */
async function story(site: Site): Promise<{ content: string; hero: string }> {
  const { store } = site.kernel.services
  const post = await store.first(store.db.selectFrom('posts').select('content').where('id', '=', 4))
  const meta = store.db.selectFrom('post_meta').select('value').where('post_id', '=', 4).where('key', '=', 'hero')
  return { content: post!.content, hero: (await store.first(meta))?.value ?? '' }
}

for (const { name, place } of databases) {
  const elsewhere = suite(`media on other hosts, on ${name}`)

  elsewhere('are downloaded, stored by month, and replaced in texts that come before and after them', async () => {
    await using old = await receive((_request, response) => response.end(image))
    await using folder = await mkdtempDisposable(path.join(tmpdir(), 'media-elsewhere-'))
    await using at = await place()
    await using site = await serve({ database: at.url, uploads: folder.path })
    const { host } = new URL(old.url)
    const content = `<img class="wp-image-3" src="${old.url}/2012/05/photo.png?w=300" alt="" />
      <a href="https://${host}/2012/05/photo-150x150.png">small</a> //${host}/files/a%20b.png ${old.url}/page/`
    const photos = [
      photoItem({
        id: 3,
        url: `${old.url}/2012/05/photo.png`,
        file: '/home/hoster/blogs.dir/1/files/2012/05/photo.png',
      }),
      photoItem({ id: 5, url: `${old.url}/files/a%20b.png`, date: '2021-07-02' }),
      photoItem({ id: 6, url: `${old.url}/other/a%20b.png`, date: '2021-07-03' }),
    ]
    const report = await site.kernel.services.importer.run({
      source: exported(storyItem(content, `${old.url}/2012/05/photo.png`), ...photos),
      download: { allow: [host], retries: 0 },
    })
    assert.equal(report.counts['files'], { imported: 3, alreadyHere: 0, skipped: {} })
    const files = (await readdir(folder.path, { recursive: true })).filter((file) => file.endsWith('.png'))
    assert.equal(files.toSorted(), ['2012/05/photo.png', '2021/07/a b-6.png', '2021/07/a b.png'])
    const uploads = `${site.home}/uploads`
    const shown = await story(site)
    assert.match(shown.content, `src="${uploads}/2012/05/photo.png" alt`)
    assert.match(shown.content, `<a href="${uploads}/2012/05/photo.png">small`)
    assert.match(shown.content, `${uploads.replace(/^https?:/, '')}/2021/07/a%20b.png ${old.url}/page/`)
    assert.is(shown.hero, `${uploads}/2012/05/photo.png`)
    assert.is((await site.request(`${uploads}/2021/07/a%20b.png`)).status, 200)
    assert.is(old.requestLines.length, 3)
  })

  elsewhere('are replaced in the texts of another file of the export, in both orders', async () => {
    const photos = photoItem({ id: 3, url: 'http://files.hoster.test/a/photo.png' })
    const text = storyItem('<img src="https://files.hoster.test/a/photo.png">')
    for (const order of [
      [photos, text],
      [text, photos],
    ]) {
      await using at = await place()
      await using site = await serve({ database: at.url })
      for (const items of order) await site.kernel.services.importer.run({ source: exported(items) })
      const { content } = await story(site)
      assert.is(content, `<img src="${site.home}/uploads/2020/01/photo.png">`)
      const again = await site.kernel.services.importer.run({ source: exported(text) })
      assert.is(again.counts['post items']!.alreadyHere, 1)
      assert.is((await story(site)).content, content)
    }
  })

  elsewhere('keep their URLs if URLs are not rewritten', async () => {
    await using at = await place()
    await using site = await serve({ database: at.url })
    const items = [
      photoItem({ id: 3, url: 'http://files.hoster.test/photo.png' }),
      storyItem('http://files.hoster.test/photo.png'),
    ]
    await site.kernel.services.importer.run({ source: exported(...items), rewrite: false })
    assert.is((await story(site)).content, 'http://files.hoster.test/photo.png')
  })

  elsewhere.run()
}

const forms = suite('URLs of media on other hosts')

forms('are replaced in every form, but not within longer names', () => {
  const files = new Map([['cdn.test/a/b.png', '2020/01/b.png']])
  const rewrite = rewriterOf(['cdn.test'], files, 'https://new.test/uploads')
  const file = 'https://new.test/uploads/2020/01/b.png'
  for (const url of ['http://cdn.test/a/b.png', 'https://CDN.test/a/b.png?w=3&h=4', 'http://cdn.test/a/b-300x200.png'])
    assert.is(rewrite(`"${url}"`), `"${file}"`, url)
  assert.is(rewrite('"http:\\/\\/cdn.test\\/a\\/b.png"'), `"${file.replaceAll('/', '\\/')}"`)
  assert.is(rewrite('//cdn.test/a/b.png'), file.slice('https:'.length))
  for (const url of [
    'http://mycdn.test/a/b.png',
    'http://cdn.test/a/b.png.html',
    'https://x.test/http://cdn.test/a/b.png',
  ])
    assert.is(rewrite(url), url)
})

forms.run()
