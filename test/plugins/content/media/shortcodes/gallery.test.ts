import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { stopClockFor } from '../../../../helpers/clock.ts'
import { addPosts } from '../../../../helpers/content.ts'
import { serve } from '../../../../helpers/site.ts'
import { addMedia, render } from '../content.ts'

const galleries = suite('galleries')
stopClockFor(galleries)

galleries('show the images attached to the post, or the images in ids', async () => {
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
    `<img loading="lazy" decoding="async" width="150" height="150" src="${site.home}/uploads/2025/01/photo-150x150.jpg" ` +
    `class="attachment-thumbnail size-thumbnail" alt="${alt}"${more} />`
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

galleries.run()
