import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../plugins/public.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { until } from '../../../helpers/until.ts'
import { startOnly } from '../../../helpers/site.ts'

startOnly('media')

const PHOTO = await sharp({ create: { width: 1200, height: 800, channels: 3, background: '#285' } })
  .jpeg()
  .toBuffer()

const theme = definePlugin({
  name: 'large-images',
  needs: ['media'],
  apply({ services }) {
    services.imageSizes.register('large', { width: 700, height: 0, crop: false })
  },
})

interface Stored {
  readonly id: number
  readonly source_url: string
  readonly missing_image_sizes: readonly string[]
  readonly media_details: { readonly sizes: Readonly<Record<string, { width: number; height: number }>> }
}

for (const { name, place } of databases) {
  const sizes = suite(`settings of image sizes on ${name}`)

  const upload = async (site: SiteWithUsers): Promise<Stored> => {
    const headers = {
      ...site.by('ed'),
      'content-type': 'image/jpeg',
      'content-disposition': 'attachment; filename="a.jpg"',
    }
    const response = await site.request('/svc/v2/media', { method: 'POST', headers, body: new Uint8Array(PHOTO) })
    assert.is(response.status, 201, await response.clone().text())
    return (await response.json()) as Stored
  }
  const dimensions = ({ media_details: { sizes: all } }: Stored, size: string) =>
    all[size] === undefined ? null : [all[size].width, all[size].height]

  sizes('apply to new uploads, and to the missing sizes of earlier ones', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'size-settings-'))
    await using site = await serveWithUsers(place, { uploads: folder.path })
    const { options } = site.kernel.services
    const before = await upload(site)
    assert.equal(
      ['thumbnail', 'medium', 'large'].map((size) => dimensions(before, size)),
      [
        [150, 150],
        [300, 200],
        [1024, 683],
      ],
    )
    assert.match(before.source_url, /\/\d{4}\/\d\d\/a\.jpg$/)

    await options.set('thumbnail_size_w', 90)
    // Imports can store numbers and checkboxes as text.
    await options.set('thumbnail_size_h', '120')
    await options.set('medium_size_w', 0)
    await options.set('medium_size_h', 0)
    await options.set('large_size_w', 600)
    await options.set('large_size_h', 0)
    const cropped = await upload(site)
    assert.equal(
      ['thumbnail', 'medium', 'large'].map((size) => dimensions(cropped, size)),
      [[90, 120], null, [600, 400]],
    )
    await options.set('thumbnail_crop', '0')
    await options.set('uploads_use_yearmonth_folders', false)
    const fitted = await upload(site)
    assert.equal(dimensions(fitted, 'thumbnail'), [90, 60])
    assert.match(fitted.source_url, /\/uploads\/a(-1)?\.jpg$/)
    assert.is((await fetch(fitted.source_url)).status, 200)

    // Cached responses and the index follow the settings.
    const missing = async () =>
      ((await site.json(`/svc/v2/media/${fitted.id}?context=edit`, site.by('ed'))) as Stored).missing_image_sizes
    assert.equal(await missing(), [])
    await options.set('medium_size_w', 250)
    await until(async () => (await missing()).join() === 'medium')
    const index = (await site.json('/', site.by('ed'))) as { image_sizes: Record<string, unknown> }
    assert.equal(index.image_sizes['medium'], { width: 250, height: 0, crop: false })
  })

  sizes('do not change a size that a plugin has replaced', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'size-settings-'))
    await using site = await serveWithUsers(place, { uploads: folder.path, add: [theme] })
    const { options } = site.kernel.services
    await options.set('large_size_w', 500)
    await options.set('medium_size_w', 200)
    const stored = await upload(site)
    assert.equal(
      [dimensions(stored, 'large'), dimensions(stored, 'medium')],
      [
        [700, 467],
        [200, 133],
      ],
    )
  })

  sizes.run()
}
