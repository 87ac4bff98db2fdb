import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { withShuffledImages } from '../../../../plugins/rendering/core-blocks/media/gallery.ts'
import { addPosts } from '../../../helpers/content.ts'
import { query, rendered, template } from '../../../helpers/rendered.ts'
import { serve, type Site } from '../../../helpers/site.ts'
import { addMedia } from '../../content/media/content.ts'

const changed = suite('blocks whose stored HTML is changed')

const wrap = (name: string, attributes: object, inside: string) =>
  `<!-- wp:${name} ${JSON.stringify(attributes)} -->${inside}<!-- /wp:${name} -->`
const cover = (attributes: object) =>
  wrap(
    'cover',
    { useFeaturedImage: true, ...attributes },
    '<div class="wp-block-cover"><span class="wp-block-cover__background"></span><div class="wp-block-cover__inner-container"><p>Words</p></div></div>',
  )
const mediaText = (attributes: object, inside = '') =>
  wrap(
    'media-text',
    { useFeaturedImage: true, ...attributes },
    `<div class="wp-block-media-text"><figure class="wp-block-media-text__media">${inside}</figure><div class="wp-block-media-text__content"><p>Words</p></div></div>`,
  )

/** Stores an image, and returns the attributes of a post that shows it. */
async function featured(site: Site, file: string, alt: string) {
  const [id] = await addMedia(site, { file, alt, metadata: { width: 300, height: 200, file, sizes: {} } })
  return { meta: { _thumbnail_id: id! } }
}

changed('show the featured image of the post in covers, as an image or as a fixed or repeated background', async () => {
  await using site = await serve()
  const post = await featured(site, '2025/01/rose (1).jpg', 'A "red" rose')
  const image = await rendered(site, cover({ focalPoint: { x: 0.25, y: 2 } }), post)
  assert.match(
    image,
    /^<div class="wp-block-cover[^"]*"><img [^>]*class="[^"]*wp-block-cover__image-background" alt="A &quot;red&quot; rose" style="object-position:25% 100%;"[^>]*><span/,
  )
  const fixed = await rendered(site, cover({ hasParallax: true, isRepeated: true }), post)
  assert.match(
    fixed,
    /<div role="img" aria-label="A &quot;red&quot; rose" class="wp-block-cover__image-background has-parallax is-repeated" style="background-position:\s?50% 50%;\s?background-image:\s?url\([^)"]*2025\/01\/rose%20%281%29\.jpg[^)"]*\);?"><\/div><span/,
  )
  assert.not.match(fixed, '<img')
  assert.match(await rendered(site, cover({ alt: 'Own' }), post), 'alt="Own"')
  for (const one of [cover({}), mediaText({})]) assert.not.match(await rendered(site, one), /<img|role="img"/)
  assert.not.match(await rendered(site, cover({ useFeaturedImage: false }), post), '<img')
})

changed('show the featured image next to texts, and keep the link around it', async () => {
  await using site = await serve()
  const post = await featured(site, '2025/01/rose.jpg', 'Rose')
  const linked = await rendered(site, mediaText({}, '<a href="https://a.test/"><img src="/old.jpg"></a>'), post)
  assert.match(
    linked,
    /__media"><a href="https:\/\/a\.test\/"><img [^>]*rose\.jpg"[^>]*alt="Rose"[^>]*><\/a><\/figure>/,
  )
  assert.not.match(linked, 'old.jpg')
  const filled = await rendered(site, mediaText({ imageFill: true, focalPoint: { x: 0, y: 0.5 } }), post)
  assert.match(filled, 'style="object-position:0% 50%;"')
})

changed('show the featured image of each post of a list', async () => {
  await using site = await serve()
  for (const name of ['one', 'two'])
    await addPosts(site.store, { title: name, ...(await featured(site, `2025/01/${name}.jpg`, name)) })
  await addPosts(site.store, { title: 'None' })
  const list = await rendered(site, query({ perPage: 9 }, template(cover({}) + mediaText({}))))
  for (const name of ['one', 'two'])
    assert.is(list.match(new RegExp(`<img [^>]*src="[^"]*/${name}\\.jpg"`, 'g'))?.length, 2, name)
  assert.is(list.match(/<img /g)?.length, 4)
})

changed('show all images of a gallery in an order that depends on a seed only', async () => {
  const parts = Array.from({ length: 20 }, (_, at) =>
    at % 5 === 4 ? `text ${at}` : { name: 'core/image', attributes: { id: at }, inner: [] },
  )
  const orders = Array.from({ length: 20 }, (_, seed) => withShuffledImages(parts, String(seed)))
  for (const [seed, order] of orders.entries()) {
    assert.equal(new Set(order), new Set(parts))
    assert.equal(order, withShuffledImages(parts, String(seed)))
    for (const [at, part] of parts.entries()) if (typeof part === 'string') assert.is(order[at], part)
  }
  assert.is(new Set(orders.map((order) => JSON.stringify(order))).size, orders.length)
})

changed('open the file of an image as a popover, unless the image has a link', async () => {
  await using site = await serve()
  const image = (attributes: object, inside: string) =>
    wrap(
      'image',
      { lightbox: { enabled: true }, ...attributes },
      `<figure class="wp-block-image">${inside}<figcaption>Caption</figcaption></figure>`,
    )
  const [id] = await addMedia(site, { file: '2025/01/large.jpg' })
  const html = await rendered(site, image({ id }, '<img src="https://a.test/small.jpg" alt="A &quot;leaf&quot;"/>'))
  assert.match(
    html,
    /^<figure class="wp-block-image wp-lightbox-container"><img [^>]*small\.jpg"[^>]*><button type="button" class="lightbox-trigger" popovertarget="(lightbox-[\da-f]{12})" aria-haspopup="dialog" aria-label="Enlarge: A &quot;leaf&quot;">.*<div popover id="\1" class="wp-lightbox-overlay" role="dialog" aria-label="[^"]*">.*popovertargetaction="hide".*<img [^>]*2025\/01\/large\.jpg" alt="A &quot;leaf&quot;"[^>]*><\/div><figcaption>Caption<\/figcaption><\/figure>$/s,
  )
  assert.match(await rendered(site, image({}, '<img src="https://a.test/small.jpg" alt=""/>')), 'aria-label="Enlarge"')
  for (const [attributes, inside] of [
    [{}, '<a href="https://a.test/"><img src="https://a.test/small.jpg" alt=""/></a>'],
    [{}, ''],
    [{ lightbox: { enabled: false } }, '<img src="https://a.test/small.jpg" alt=""/>'],
    [{ lightbox: 'yes' }, '<img src="https://a.test/small.jpg" alt=""/>'],
  ] as const)
    assert.not.match(await rendered(site, image(attributes, inside)), /popover|lightbox-container/)
})

const item = (open: boolean, inside: string) =>
  wrap(
    'accordion-item',
    { openByDefault: open },
    `<div class="wp-block-accordion-item">${wrap(
      'accordion-heading',
      {},
      '<h3 class="wp-block-accordion-heading"><button type="button" aria-expanded="false" class="wp-block-accordion-heading__toggle"><span class="wp-block-accordion-heading__toggle-title">Title</span></button></h3>',
    )}${wrap('accordion-panel', {}, `<div role="region" class="wp-block-accordion-panel">${inside}</div>`)}</div>`,
  )
const accordion = (attributes: object, ...items: string[]) =>
  wrap('accordion', attributes, `<div role="group" class="wp-block-accordion">${items.join('')}</div>`)

changed('open and close the items of accordions, also of nested ones, without scripts', async () => {
  await using site = await serve()
  const nested = accordion({ autoclose: true }, item(false, '<p>Deep</p>'), item(false, '<p>Deeper</p>'))
  const html = await rendered(site, accordion({ autoclose: true }, item(true, '<p>First</p>'), item(false, nested)))
  assert.not.match(html, '<button')
  assert.is(html.match(/<details /g)?.length, 4)
  assert.is(html.match(/<\/details>/g)?.length, 4)
  assert.is(html.match(/<summary [^>]*><h3 [^>]*><span class="wp-block-accordion-heading__toggle"><span/g)?.length, 4)
  assert.is(html.match(/ open=""/g)?.length, 1)
  const names = [...html.matchAll(/<details [^>]*name="([^"]+)"/g)].map(([, name]) => name)
  assert.is(names.length, 4)
  assert.is(new Set(names).size, 2)
  const plain = await rendered(site, accordion({}, item(false, '<p>First</p>')))
  assert.not.match(plain, ' name=')
  assert.match(plain, '<details ')
  const alone = wrap('accordion-heading', {}, '<h3><button type="button">Title</button></h3>')
  assert.match(await rendered(site, alone), '<button type="button">')
})

const panel = (attributes: object, inside: string, id = '') =>
  wrap(
    'tab-panel',
    attributes,
    `<section ${id === '' ? '' : `id="${id}" `}role="tabpanel" tabindex="0" class="wp-block-tab-panel">${inside}</section>`,
  )
const tabs = (attributes: object, list: string, ...panels: string[]) =>
  wrap(
    'tabs',
    attributes,
    `<div class="wp-block-tabs">${list}${wrap('tab-panels', {}, `<div class="wp-block-tab-panels">${panels.join('')}</div>`)}</div>`,
  )
const LIST = wrap(
  'tab-list',
  {},
  '<div role="tablist" class="wp-block-tab-list"><button type="button" role="tab">One <em>&amp;</em> only</button><button type="button" role="tab">Two</button></div>',
)

changed('link each tab to its panel, and show the active one', async () => {
  await using site = await serve()
  const html = await rendered(
    site,
    tabs({ activeTabIndex: 1 }, LIST, panel({}, '<p>First</p>'), panel({ label: 'Second' }, '<p>Next</p>', 'second')),
  )
  assert.not.match(html, /role=|<button|tabindex/)
  const links = [...html.matchAll(/<a href="#([^"]+)" class="([^"]+)">(.*?)<\/a>/g)].map(([, ...parts]) => parts)
  assert.equal(
    links.map(([, classes, label]) => [classes, label]),
    [
      ['wp-block-tab-list__tab', 'One <em>&amp;</em> only'],
      ['wp-block-tab-list__tab is-active', 'Two'],
    ],
  )
  const panels = [...html.matchAll(/<section ([^>]*)>/g)].map(([, text]) => text!)
  assert.match(panels[0]!, `id="${links[0]![0]}" aria-label="One &amp; only"`)
  assert.match(panels[1]!, /id="second" class="[^"]*wp-block-tab-panel[^"]* is-active" aria-label="Second"/)
  assert.is(links[1]![0], 'second')
  const written = await rendered(site, tabs({}, '<!-- wp:tab-list /-->', panel({ label: 'A < B' }, '<p>First</p>')))
  assert.match(
    written,
    /<div class="[^"]*wp-block-tab-list[^"]*"><a href="#tab-[^"]*" class="[^"]*is-active">A &lt; B<\/a>/,
  )
  const inside = tabs({}, LIST, panel({}, '<p>Deep</p>'), panel({}, '<p>Deeper</p>'))
  const nested = await rendered(site, tabs({}, LIST, panel({}, inside), panel({ label: 'Other' }, '<p>Last</p>')))
  const ids = [...nested.matchAll(/<section [^>]*id="([^"]+)"/g)].map(([, id]) => id)
  assert.is(new Set(ids).size, 4)
  assert.match(await rendered(site, panel({ label: 'x' }, '<p>Alone</p>')), 'role="tabpanel"')
})

changed('play the tracks of a playlist with the player of the browser', async () => {
  await using site = await serve()
  const track = (attributes: object) => `<!-- wp:playlist-track ${JSON.stringify(attributes)} /-->`
  const html = await rendered(
    site,
    wrap(
      'playlist',
      { caption: 'Two <em>songs</em><script>' },
      `<figure>${track({ src: 'https://a.test/a.mp3', title: 'A "song"', artist: '<b>Rosa</b>' })}${track({ title: 'No file' })}${track({ src: 'javascript:x' })}</figure>`,
    ),
  )
  assert.match(html, /<audio controls preload="none" aria-label="A &quot;song&quot;" src="https:\/\/a\.test\/a\.mp3">/)
  assert.match(html, '__artist">Rosa</span>')
  assert.match(html, '<figcaption class="wp-element-caption">Two <em>songs</em>')
  assert.not.match(html, /script|No file/)
  assert.is(html.match(/<li /g)?.length, 1)
  assert.is(await rendered(site, wrap('playlist', {}, '')), '')
})

changed('name no file of a post that visitors cannot read', async () => {
  await using site = await serve()
  await addPosts(site.store, { id: 50, title: 'Draft', status: 'draft' })
  const [id] = await addMedia(site, { file: '2025/01/secret.jpg', parent_id: 50 })
  const track = `<!-- wp:playlist-track ${JSON.stringify({ id })} /-->`
  assert.is(await rendered(site, wrap('playlist', {}, `<figure>${track}</figure>`)), '')
  const inside = '<figure class="wp-block-image"><img src="https://a.test/small.jpg" alt=""/></figure>'
  const image = await rendered(site, wrap('image', { lightbox: { enabled: true }, id }, inside))
  assert.match(image, 'popovertarget')
  assert.not.match(image, 'secret')
})

changed('write bound values into an image before they enlarge it', async () => {
  await using site = await serve()
  const bound = {
    lightbox: { enabled: true },
    metadata: { bindings: { url: { source: 'core/post-data', args: { field: 'link' } } } },
  }
  const html = await rendered(
    site,
    wrap('image', bound, '<figure class="wp-block-image"><img src="https://a.test/old.jpg" alt=""/></figure>'),
  )
  assert.not.match(html, 'old.jpg')
  assert.match(html, 'popovertarget="lightbox-')
})

changed.run()
