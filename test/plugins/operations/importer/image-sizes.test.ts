import { mkdir, mkdtempDisposable, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve } from '../../../helpers/site.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { until } from '../../../helpers/until.ts'
import { one } from './importing.ts'

const photo = await sharp({ create: { width: 1200, height: 800, channels: 3, background: 'teal' } })
  .jpeg()
  .toBuffer()

const exported = (metadata: string) => `<rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>Old</title>
  <wp:wxr_version>1.2</wp:wxr_version><wp:base_blog_url>http://old.example</wp:base_blog_url>
  <item><title>Photo</title><wp:post_id>5</wp:post_id><wp:post_date>2024-05-01 10:00:00</wp:post_date>
  <wp:post_date_gmt>2024-05-01 10:00:00</wp:post_date_gmt><wp:post_name>photo</wp:post_name><wp:status>inherit</wp:status>
  <wp:post_type>attachment</wp:post_type>
  <wp:attachment_url>http://old.example/wp-content/uploads/2024/05/photo.jpg</wp:attachment_url>
  <wp:postmeta><wp:meta_key>_wp_attached_file</wp:meta_key><wp:meta_value>2024/05/photo.jpg</wp:meta_value></wp:postmeta>
  ${metadata}</item></channel></rss>`

const wrong = `<wp:postmeta><wp:meta_key>_wp_attachment_metadata</wp:meta_key><wp:meta_value><![CDATA[a:4:{s:5:"width";i:1;s:6:"height";i:1;s:4:"file";s:17:"2024/05/photo.jpg";s:5:"sizes";a:1:{s:4:"tiny";a:3:{s:4:"file";s:15:"photo-10x10.jpg";s:5:"width";i:10;s:6:"height";i:10;}}}]]></wp:meta_value></wp:postmeta>`

for (const { name, place } of databases) {
  const sizes = suite(`sizes of imported images on ${name}`)

  for (const [title, metadata] of [
    ['measures an image whose metadata are wrong, forgets missing sizes and creates those of this site', wrong],
    ['creates the metadata of an image that has none in the export', ''],
  ] as const) {
    sizes(title, async () => {
      await using folder = await mkdtempDisposable(path.join(tmpdir(), 'image-sizes-'))
      await mkdir(path.join(folder.path, 'old/2024/05'), { recursive: true })
      await writeFile(path.join(folder.path, 'old/2024/05/photo.jpg'), photo)
      await using at = await place()
      await using site = await serve({ database: at.url, uploads: path.join(folder.path, 'uploads') })
      const uploads = path.join(folder.path, 'old')
      await site.kernel.services.importer.run({ source: one(exported(metadata)), uploads })
      const details = async () => (await site.json('/svc/v2/media/5')).media_details
      await until(async () => (await details()).width === 1200 && 'thumbnail' in (await details()).sizes)
      const { width, height, file, sizes: versions } = await details()
      assert.equal([width, height, file], [1200, 800, '2024/05/photo.jpg'])
      assert.not('tiny' in versions)
      assert.equal(Object.keys(versions).toSorted(), ['full', 'large', 'medium', 'medium_large', 'thumbnail'])
      for (const { source_url: url } of Object.values<{ source_url: string }>(versions))
        assert.is((await site.request(url)).status, 200, url)
      const files = await readdir(path.join(folder.path, 'uploads/2024/05'))
      assert.is(files.length, 5)
    })
  }

  sizes.run()
}
