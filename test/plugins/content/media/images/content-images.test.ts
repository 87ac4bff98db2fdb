import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestCache } from '../../../../../kernel/index.ts'
import { stopClockFor } from '../../../../helpers/clock.ts'
import { serve, startOnly } from '../../../../helpers/site.ts'
import { addMedia, render } from '../content.ts'

startOnly('media')

const images = suite('images in content')
stopClockFor(images)

const SRCSET = (home: string) =>
  `srcset="${home}/uploads/2025/01/photo.jpg 1200w, ${home}/uploads/2025/01/photo-300x200.jpg 300w, ` +
  `${home}/uploads/2025/01/photo-1024x683.jpg 1024w"`

images('get decoding and loading attributes unless they have them', async () => {
  await using site = await serve()
  assert.is(
    await render(site, '<img src="/a.png" alt="" width="2" height="3" />'),
    '<p><img loading="lazy" decoding="async" src="/a.png" alt="" width="2" height="3" /></p>\n',
  )
  assert.is(await render(site, '<img src="/a.png">'), '<p><img decoding="async" src="/a.png"></p>\n')
  const own = '<img src="/a.png" width=2 height=3 loading="eager" decoding="sync">'
  assert.is(await render(site, own), `<p>${own}</p>\n`)
})

images('get srcset, sizes and dimensions if their class names an attachment', async () => {
  await using site = await serve()
  const [id] = await addMedia(site, {})
  const { home } = site
  const src = `${home}/uploads/2025/01/photo.jpg`
  assert.is(
    await render(site, `<img src="${src}?w=600" class="big wp-image-${id}" width="600" height="400">`),
    `<p><img loading="lazy" decoding="async" src="${src}?w=600" class="big wp-image-${id}" width="600" height="400" ` +
      `${SRCSET(home)} sizes="auto, (max-width: 600px) 100vw, 600px" /></p>\n`,
  )
  assert.is(
    await render(site, `<img src="${src}" class="wp-image-${id}"/>`),
    `<p><img loading="lazy" decoding="async" width="1200" height="800" src="${src}" class="wp-image-${id}" ` +
      `${SRCSET(home)} sizes="auto, (max-width: 1200px) 100vw, 1200px" /></p>\n`,
  )
  const other = `<img src="${home}/other.jpg" class="wp-image-${id}">`
  assert.is(await render(site, other), `<p>${other.replace('<img', '<img decoding="async"')}</p>\n`)
})

images('get dimensions and are loaded lazily if their original is smaller than every size', async () => {
  await using site = await serve()
  const metadata = { width: 150, height: 150, file: '2025/01/photo.jpg', sizes: {} }
  const [id] = await addMedia(site, { metadata })
  const src = `${site.home}/uploads/2025/01/photo.jpg`
  assert.is(
    await render(site, `<img src="${src}" class="wp-image-${id}"/>`),
    `<p><img loading="lazy" decoding="async" width="150" height="150" src="${src}" class="wp-image-${id}"/></p>\n`,
  )
})

images('of several contents load in one statement', async () => {
  await using site = await serve()
  const ids = await addMedia(site, ...Array.from({ length: 10 }, () => ({})))
  const statements: string[] = []
  const stop = site.store.onStatement(({ sql }) => statements.push(sql))
  const scope = new RequestCache()
  const { contentRendering: rendering } = site.kernel.services
  const post = (id: number) => ({
    id: 5000 + id,
    type: 'post',
    status: 'publish',
    title: '',
    excerpt: '',
    content: `<img src="${site.home}/uploads/2025/01/photo.jpg" class="wp-image-${id}" />`,
  })
  await Promise.all(ids.map(async (id) => rendering.content(post(id), scope)))
  stop()
  assert.is(statements.length, 1)
})

images('and frames with dimensions are loaded lazily', async () => {
  await using site = await serve()
  const sized = '<iframe src="https://a.test/" width="4" height="3"></iframe>'
  assert.is(await render(site, sized), `<p>${sized.replace('<iframe', '<iframe loading="lazy"')}</p>\n`)
  for (const frame of [sized.replace('width="4"', ''), sized.replace('src', 'loading="eager" src')]) {
    assert.is(await render(site, frame), `<p>${frame}</p>\n`)
  }
})

images.run()
