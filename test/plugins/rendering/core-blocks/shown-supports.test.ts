import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../../../helpers/content.ts'
import { rendered } from '../../../helpers/rendered.ts'
import { serve } from '../../../helpers/site.ts'
import { addMedia } from '../../content/media/content.ts'

const supports = suite('supports that the server adds when it shows a block')

const group = (attributes: object, inside = 'x') =>
  `<!-- wp:group ${JSON.stringify(attributes)} --><div class="g">${inside}</div><!-- /wp:group -->`

supports('hide a block from all readers, also in excerpts and feeds', async () => {
  await using site = await serve()
  const hidden = { metadata: { blockVisibility: false } }
  const content = `<!-- wp:paragraph --><p>Shown</p><!-- /wp:paragraph -->${group(hidden, '<!-- wp:paragraph --><p>Secret</p><!-- /wp:paragraph -->')}<!-- wp:site-title ${JSON.stringify(hidden)} /-->`
  assert.not.match(await rendered(site, content), /Secret|site-title/)
  const [id] = await addPosts(site.store, { title: 'Hides', content })
  const post = (await (await site.get(`/svc/v2/posts/${id}`)).json()) as { excerpt: { rendered: string } }
  assert.match(post.excerpt.rendered, 'Shown')
  assert.not.match(post.excerpt.rendered, 'Secret')
  assert.not.match(await (await fetch(`${site.home}/feed/`)).text(), 'Secret')
})

supports('hide a block on some screens', async () => {
  await using site = await serve()
  const metadata = { blockVisibility: { viewport: { mobile: false, desktop: true } } }
  const content = group({ metadata })
  assert.match(await rendered(site, content), /class="g wp-block-hidden-mobile /)
  const [id] = await addPosts(site.store, { title: 'Hides', content })
  const page = await (await fetch(`${site.home}/?p=${id}`)).text()
  assert.match(page, /@media \(max-width:480px\)\{\.wp-block-hidden-mobile\{display:none!important\}\}/)
})

supports('keep a sticky group visible', async () => {
  await using site = await serve()
  const style = { position: { type: 'sticky', top: '10px' } }
  assert.match(await rendered(site, group({ style })), /class="g wp-container-[\da-f]{8} is-position-sticky /)
  assert.not.match(await rendered(site, group({ style: { position: { type: 'fixed' } } })), 'is-position')
  const [id] = await addPosts(site.store, { title: 'Sticks', content: group({ style }) })
  const page = await (await fetch(`${site.home}/?p=${id}`)).text()
  assert.match(page, /\.wp-container-[\da-f]{8}\{top:10px;position:sticky;z-index:10\}/)
})

supports('add the background image of a stored block, and refuse unsafe ones', async () => {
  await using site = await serve()
  const image = (url: string, more: object = {}) =>
    rendered(site, group({ style: { background: { backgroundImage: { url }, ...more } } }))
  const shown = await image('https://a.test/b.jpg')
  assert.match(shown, /style="background-image:url\([^)]*https:\/\/a\.test\/b\.jpg[^)]*\);background-size:cover;"/)
  assert.match(shown, 'has-background')
  assert.match(await image('/b.jpg', { backgroundSize: 'contain' }), /background-size:contain/)
  for (const url of ['javascript:alert(1)', "x') ;color:red;(", '"><script>'])
    assert.not.match(await image(url), /javascript|;color|<script/, url)
})

supports('name the attachment of each image in a gallery, and measure images by their file name', async () => {
  await using site = await serve()
  const [id] = await addMedia(site, {})
  const image = `<!-- wp:image {"id":${id}} --><figure><img src="https://old.test/2010/photo.jpg" class="wp-image-${id}"/></figure><!-- /wp:image -->`
  const html = await rendered(site, `<!-- wp:gallery --><figure class="g">${image}</figure><!-- /wp:gallery -->`)
  assert.match(html, `<img loading="lazy" decoding="async" width="1200" height="800" data-id="${id}" src=`)
  assert.not.match(await rendered(site, image.replace('photo.jpg', 'other.jpg')), 'width=')
  assert.not.match(await rendered(site, image), 'data-id')
})

supports('open the chosen archive of a list as a form, without scripts', async () => {
  await using site = await serve()
  await addPosts(site.store, { title: 'Spring', date: '2024-03-02 10:00:00' })
  const html = await rendered(site, '<!-- wp:archives {"displayAsDropdown":true} /-->')
  const [, name, field] = /<select id="[^"]*" name="([^"]*)" form="([^"]*)">/.exec(html)!
  const [, form, action] = /<form id="([^"]*)" method="get" action="([^"]*)">/.exec(html)!
  assert.is(field, form)
  const [, value] = /<option value='([^']+)'> March 2024 <\/option>/.exec(html)!
  assert.match(html, '<button type="submit"')
  const chosen = (url: string) => fetch(`${action!}?${name!}=${encodeURIComponent(url)}`)
  const page = await chosen(value!)
  assert.is(page.status, 200)
  assert.is(page.url, value)
  assert.match(await page.text(), 'Spring')
  for (const wrong of ['https://other.test/', `${action!}?${name!}=x`, 'x'])
    assert.is((await chosen(wrong)).status, 404, wrong)
  const categories = await rendered(site, '<!-- wp:categories {"displayAsDropdown":true} /-->')
  assert.match(categories, /<select {2}name='category_name' id='[^']*' class='postform' form='[^']*'>/)
  for (const none of ['archive-dropdown=', 'category_name=-1'])
    assert.is((await fetch(`${action!}?${none}`)).status, 200, none)
})

supports.run()
