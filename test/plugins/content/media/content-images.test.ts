import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestCache } from '../../../../kernel/index.ts'
import type { RenderedPost } from '../../../../plugins/rendering/rendering/index.ts'
import { stopClockFor } from '../../../helpers/clock.ts'
import { addPosts } from '../../../helpers/content.ts'
import { serve, type Site } from '../../../helpers/site.ts'
import { unsafeHtml } from '../../../xss/unsafe.ts'
import { addMedia } from './content.ts'

const images = suite('images in content')
stopClockFor(images)

function render({ kernel }: Site, content: string, id = 9999): Promise<string> {
  const post: RenderedPost = { id, type: 'post', status: 'publish', title: '', content, excerpt: '' }
  return Promise.resolve(kernel.services.rendering.content(post))
}

const CHOICES = (home: string) =>
  `srcset="${home}/uploads/2025/01/photo.jpg 1200w, ${home}/uploads/2025/01/photo-300x200.jpg 300w, ` +
  `${home}/uploads/2025/01/photo-1024x683.jpg 1024w"`

images('may be decoded and loaded late, which their own attributes decide first', async () => {
  await using site = await serve()
  assert.is(
    await render(site, '<img src="/a.png" alt="" width="2" height="3" />'),
    '<p><img decoding="async" loading="lazy" src="/a.png" alt="" width="2" height="3" /></p>\n',
  )
  assert.is(await render(site, '<img src="/a.png">'), '<p><img decoding="async" src="/a.png"></p>\n')
  const own = '<img src="/a.png" width=2 height=3 loading="eager" decoding="sync">'
  assert.is(await render(site, own), `<p>${own}</p>\n`)
})

images('that name themselves offer their other versions and their size', async () => {
  await using site = await serve()
  const [id] = await addMedia(site, {})
  const { home } = site
  const src = `${home}/uploads/2025/01/photo.jpg`
  assert.is(
    await render(site, `<img src="${src}?w=600" class="big wp-image-${id}" width="600" height="400">`),
    `<p><img decoding="async" loading="lazy" src="${src}?w=600" class="big wp-image-${id}" width="600" height="400" ` +
      `${CHOICES(home)} sizes="(max-width: 600px) 100vw, 600px" /></p>\n`,
  )
  assert.is(
    await render(site, `<img src="${src}" class="wp-image-${id}"/>`),
    `<p><img decoding="async" loading="lazy" width="1200" height="800" src="${src}" class="wp-image-${id}" ` +
      `${CHOICES(home)} sizes="(max-width: 1200px) 100vw, 1200px" /></p>\n`,
  )
  const other = `<img src="${home}/other.jpg" class="wp-image-${id}">`
  assert.is(await render(site, other), `<p>${other.replace('<img', '<img decoding="async"')}</p>\n`)
})

images('of many contents are read in one statement', async () => {
  await using site = await serve()
  const ids = await addMedia(site, ...Array.from({ length: 10 }, () => ({})))
  const counted: string[] = []
  const stop = site.store.onStatement(({ sql }) => counted.push(sql))
  const scope = new RequestCache()
  const { rendering } = site.kernel.services
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
  assert.is(counted.length, 1)
})

images('are not alone: frames of a known size are loaded late', async () => {
  await using site = await serve()
  const sized = '<iframe src="https://a.test/" width="4" height="3"></iframe>'
  assert.is(await render(site, sized), `<p>${sized.replace('<iframe', '<iframe loading="lazy"')}</p>\n`)
  for (const frame of [sized.replace('width="4"', ''), sized.replace('src', 'loading="eager" src')]) {
    assert.is(await render(site, frame), `<p>${frame}</p>\n`)
  }
})

images('have a caption', async () => {
  await using site = await serve()
  const image = '<a href="/b"><img src="/a.png" alt="" /></a>'
  const shown = image.replace('<img', '<img decoding="async"')
  assert.is(
    await render(site, `[caption id="attachment_5" align="alignleft" width="300"]${image} It's <b>red</b>[/caption]`),
    '<figure id="attachment_5" aria-describedby="caption-attachment-5" style="width: 300px" ' +
      `class="wp-caption alignleft">${shown}<figcaption id="caption-attachment-5" class="wp-caption-text">` +
      'It&#8217;s <b>red</b></figcaption></figure>\n',
  )
  assert.is(await render(site, `[caption]${image} words[/caption]`), `${shown} words\n`)
  assert.not.match(await render(site, `[caption id='x"><script>' width="1"]${image} a[/caption]`), '<script>')
  assert.match(await render(site, `[wp_caption width="300" caption="x"]${image}[/wp_caption]`), '>x</figcaption>')
})

images('S31: have a caption that holds what posts may hold, whoever wrote it, and breaks out of nothing', async () => {
  await using site = await serve()
  const image = '<img src="/a.png" alt="a > b" />'
  const caption = async (words: string) => {
    const html = await render(site, `[caption width="1" caption='${words}']${image}[/caption]`)
    return /<figcaption[^>]*>(.*)<\/figcaption>/.exec(html)?.[1]
  }
  assert.is(await caption('<b onclick=x>k</b><script>x</script>'), '<b>k</b>x')
  assert.is(await caption('<a href="javascript:x">k</a> <i>l</i>'), '<a>k</a> <i>l</i>')
  for (const words of ['<img alt="', '<b>k', 'k</figcaption><b>']) {
    const html = await render(site, `[caption width="1" caption='${words}'] ">k<img src="/a.png">[/caption]`)
    assert.equal(unsafeHtml(html, site.home), [], html)
  }
  assert.match(await render(site, `[caption width="1"]${image} k[/caption]`), /alt="a > b" \/><figcaption[^>]*>k</)
})

images('attached to a post are its gallery', async () => {
  await using site = await serve()
  const [parent] = (await addPosts(site.store, { title: 'Trip' })) as [number]
  const [second, first] = (await addMedia(
    site,
    { parent_id: parent, menu_order: 2, title: 'Two', alt: 'A "sea"' },
    { parent_id: parent, menu_order: 1, title: 'One', excerpt: "It's one" },
    { parent_id: parent, mime_type: 'application/pdf' },
  )) as [number, number]
  const html = await render(site, '[gallery columns="2" link="file"]', parent)
  const file = `${site.home}/uploads/2025/01/photo.jpg`
  const image = (alt: string, more = '') =>
    `<img width="150" height="150" src="${site.home}/uploads/2025/01/photo-150x150.jpg" ` +
    `class="attachment-thumbnail size-thumbnail" alt="${alt}" decoding="async" loading="lazy"${more} />`
  const item = (inside: string, caption = '') =>
    `<figure class='gallery-item'>\n\t\t\t<div class='gallery-icon landscape'>\n\t\t\t\t` +
    `<a href='${file}'>${inside}</a>\n\t\t\t</div>${caption}</figure>`
  const id = `gallery-1-${first}`
  assert.is(
    html,
    `<div id='gallery-1' class='gallery galleryid-${parent} gallery-columns-2 gallery-size-thumbnail'>` +
      item(
        image('', ` aria-describedby="${id}"`),
        `\n\t\t\t\t<figcaption class='wp-caption-text gallery-caption' id='${id}'>\n\t\t\t\tIt&#8217;s one\n\t\t\t\t</figcaption>`,
      ) +
      `${item(image('A &quot;sea&quot;'))}\n\t\t</div>\n\n`,
  )
  const order = async (attributes: string) =>
    [...(await render(site, `[gallery link="none" ${attributes}]`, parent)).matchAll(/alt="(.*?)"/g)].map(
      ([, alt]) => alt,
    )
  assert.equal(await order(`ids="${second},${first},${parent},77"`), ['A &quot;sea&quot;', ''])
  assert.equal(await order('order="DESC"'), ['A &quot;sea&quot;', ''])
  assert.equal(await order(`exclude="${second}"`), [''])
  assert.equal(await order('orderby="title"'), ['', 'A &quot;sea&quot;'])
  assert.is((await order('orderby="rand"')).length, 2)
  assert.is(await render(site, '[gallery]', 12345), '\n')
})

images('are not alone: there is a player for sound', async () => {
  await using site = await serve()
  const html = await render(site, '[audio src="https://a.test/b.mp3?x=1" loop="on"]')
  assert.match(html, '<audio class="wp-audio-shortcode" id="audio-9999-1" loop="1" preload="none"')
  assert.match(html, '<source type="audio/mpeg" src="https://a.test/b.mp3?x=1&amp;_=1" />')
  assert.is(await render(site, '[audio javascript:alert(1)]'), '\n')
  assert.is(await render(site, '[audio /b.txt]'), '<a class="wp-embedded-audio" href="/b.txt">/b.txt</a>\n')
})

images('are not alone: files of one sound in many kinds are one player', async () => {
  await using site = await serve()
  const html = await render(site, '[audio ogg="/b.ogg" mp3="/b.mp3" wav="javascript:x.wav"]')
  assert.match(html, '<source type="audio/mpeg" src="/b.mp3?_=1" /><source type="audio/ogg" src="/b.ogg?_=1" />')
  assert.match(html, '/><a href="/b.mp3">/b.mp3</a></audio>')
})

images('are not alone: there is a player for films', async () => {
  await using site = await serve()
  assert.is(
    await render(site, '[video src="https://a.test/b.mp4" webm="/b.webm" poster="/b.jpg" autoplay="1" loop="on"]'),
    '<div style="width: 640px;" class="wp-video">' +
      "<!--[if lt IE 9]><script>document.createElement('video');</script><![endif]-->\n" +
      '<video class="wp-video-shortcode" id="video-9999-1" width="640" height="360" poster="/b.jpg" loop="1" ' +
      'autoplay="1" preload="metadata" controls="controls"><source type="video/mp4" src="https://a.test/b.mp4?_=1" />' +
      '<source type="video/webm" src="/b.webm?_=1" /><a href="https://a.test/b.mp4">https://a.test/b.mp4</a></video>' +
      '</div>\n',
  )
  assert.match(await render(site, '[video width="400" height="-3" mp4="/b.mp4"]'), ' width="400" height="360" preload')
  assert.not.match(await render(site, '[video mp4="/b.mp4" poster="javascript:x"]'), 'poster')
  assert.is(await render(site, '[video javascript:alert(1)]'), '\n')
  assert.is(await render(site, '[video /b.mov]'), '<a class="wp-embedded-video" href="/b.mov">/b.mov</a>\n')
})

images.run()
