import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { query, rendered, template } from '../../../helpers/rendered.ts'
import { as, serve, type Site } from '../../../helpers/site.ts'

const markup = suite('markup that themes and clients of WordPress know')

const block = (name: string, values: object = {}) => `<!-- wp:${name} ${JSON.stringify(values)} /-->`

/** Renders a block alone, as editors preview it. */
async function preview(site: Site, name: string, values: object = {}, post?: number): Promise<string> {
  const body = JSON.stringify({ attributes: values, ...(post !== undefined && { post_id: post }) })
  const headers = { ...as('editor'), 'content-type': 'application/json' }
  const url = `${site.home}/svc-json/svc/v2/block-renderer/core/${name}?context=edit`
  const response = await fetch(url, { method: 'POST', headers, body })
  return ((await response.json()) as { rendered: string }).rendered
}

markup('of archives, by type and as a drop-down', async () => {
  await using site = await serve()
  await addPosts(
    site.store,
    { title: 'A <em>day</em>', date: '2024-03-02 10:00:00' },
    { title: '', date: '2024-02-29 10:00:00', slug: 'untitled' },
  )
  const shown = async (values: object) => (await preview(site, 'archives', values)).replaceAll(site.home, '')
  for (const [type, line] of [
    ['', "<a href='/2024/03/'>March 2024</a>"],
    ['monthly', "<a href='/2024/02/'>February 2024</a>"],
    ['yearly', "<a href='/2024/'>2024</a>"],
    ['daily', "<a href='/2024/02/29/'>February 29, 2024</a>"],
    ['weekly', "<a href='/?m=2024&#038;w=9'>February 26, 2024&#8211;March 3, 2024</a>"],
    ['postbypost', '>A day</a>'],
  ] as const)
    assert.match(await shown({ type }), line, type)
  const [, untitled] = /\/untitled\/'>([^<]*)<\/a>/.exec(await shown({ type: 'alpha' }))!
  assert.match(untitled!, /^\d+$/)
  assert.match(await shown({ type: 'hourly' }), '<div class="wp-block-archives-list wp-block-archives">No archives')
  const list = await shown({ displayAsDropdown: true, showPostCounts: true })
  assert.match(list, '<label for="wp-block-archives-1" class="wp-block-archives__label">Archives</label>\n\t\t<select')
  assert.match(
    list,
    '<select id="wp-block-archives-1" name="archive-dropdown" form="wp-block-archives__form-1">\n\t\t<option value="">Select Month</option>\t<',
  )
  assert.match(list, "\t<option value='/2024/03/'> March 2024 &nbsp;(1)</option>\n")
})

markup('of terms as a drop-down, with the level of each', async () => {
  await using site = await serve()
  const above = await addTerm(site.store, { taxonomy: 'category', name: 'Above', count: 2 })
  await addTerm(site.store, { taxonomy: 'category', name: 'Below', parent_id: above, count: 1 })
  const values = { displayAsDropdown: true, showHierarchy: true, showPostCounts: true }
  const html = await rendered(site, block('categories', values))
  assert.match(html, '<label class="wp-block-categories__label" for="wp-block-categories-1">Categories</label>')
  assert.match(
    html,
    "<select  name='category_name' id='wp-block-categories-1' class='postform' form='wp-block-categories__form-1'>\n\t<option value='-1'>",
  )
  assert.match(html, '\t<option class="level-0" value="above">Above&nbsp;&nbsp;(2)</option>\n')
  assert.match(html, '\t<option class="level-1" value="below">&nbsp;&nbsp;&nbsp;Below&nbsp;&nbsp;(1)</option>\n')
})

markup('of search forms, with the styles of each element', async () => {
  await using site = await serve()
  const style = { border: { radius: '5px', width: '2px', color: '#123456' }, color: { background: '#fff' } }
  const inside = await rendered(
    site,
    block('search', { label: '', buttonPosition: 'button-inside', style, fontSize: 'large' }),
  )
  assert.match(inside, '<label class="wp-block-search__label screen-reader-text"')
  assert.match(
    inside,
    '__inside-wrapper has-border-color"  style="border-width: 2px; border-color: #123456; border-radius: calc(5px + 4px)">',
  )
  assert.match(inside, 'required  style="border-radius: 5px"/>')
  assert.match(inside, '<input class="wp-block-search__input has-large-font-size"')
  assert.match(inside, 'type="submit"  style="border-radius: 5px; background-color: #fff">')
  const outside = await rendered(site, block('search', { style, width: 50, widthUnit: 'px' }))
  assert.match(outside, '<div class="wp-block-search__inside-wrapper"  style="width: 50px">')
  assert.match(outside, '<input class="wp-block-search__input has-border-color"')
  assert.match(outside, 'style="border-width: 2px; border-color: #123456; border-radius: 5px"/>')
  const only = await rendered(site, block('search', { buttonPosition: 'button-only', width: 50, widthUnit: 'px' }))
  assert.match(only, '__button-only wp-block-search__searchfield-hidden wp-block-search__text-button')
  assert.not.match(only, 'width: 50px')
})

markup('of avatars, which are not loaded lazily in the content of posts', async () => {
  await using site = await serve()
  await site.store.run(site.store.db.insertInto('users').values({ id: 1, login: 'ada', name: 'Ada', slug: 'ada' }))
  const [id] = await addPosts(site.store, { title: 'A', author_id: 1 })
  const style = { border: { radius: '4px' } }
  const alone = await preview(site, 'avatar', { size: 40, style }, id)
  assert.match(alone, `height='40' width='40'  style="border-radius:4px;" loading='lazy' decoding='async'/>`)
  assert.match(await preview(site, 'avatar', { size: 40 }, id), "width='40' loading='lazy' decoding='async'/>")
  const linked = { size: 40, style, isLink: true }
  const content = await rendered(site, block('avatar', linked), { author_id: 1 })
  assert.match(content, /target="_self" {2}class="wp-block-avatar__link"><img alt='/)
  assert.match(content, `height='40' width='40'  style="border-radius:4px;"/>`)
  const opened = await rendered(site, block('avatar', { ...linked, linkTarget: '_blank' }), { author_id: 1 })
  assert.match(opened, /target="_blank" aria-label="\([^"]+ author archive, opens in a new tab\)" class=/)
})

markup('of links to neighbouring posts, by label and title', async () => {
  await using site = await serve()
  await addPosts(site.store, { title: 'Older one', date: '2020-01-01 00:00:00' })
  const shown = async (values: object) => {
    const html = await rendered(site, block('post-navigation-link', { type: 'previous', ...values }))
    return html.replaceAll(/<a [^>]*>/g, '<a>')
  }
  const label = (text: string) => `<span class="post-navigation-link__label">${text}</span> `
  const title = '<span class="post-navigation-link__title">Older one</span>'
  for (const [values, line] of [
    [{}, '<a>Previous</a>'],
    [{ label: 'Back' }, '<a>Back</a>'],
    [{ showTitle: true }, '<a>Older one</a>'],
    [{ showTitle: true, label: 'Back' }, `${label('Back')}<a>Older one</a>`],
    [{ showTitle: true, linkLabel: true }, `<a>${label('Previous:')}${title}</a>`],
    [{ showTitle: true, linkLabel: true, label: 'Back' }, `<a>${label('Back')}${title}</a>`],
  ] as const)
    assert.match(await shown(values), `wp-block-post-navigation-link">${line}</div>`)
})

markup('of the date of the last change, bound or as older editors stored it', async () => {
  await using site = await serve()
  const changed = { date: '2024-01-01 10:00:00', modified: '2024-02-01 10:00:00' }
  const bindings = { datetime: { source: 'core/post-data', args: { field: 'modified' } } }
  for (const values of [{ displayType: 'modified' }, { metadata: { bindings } }]) {
    const html = await rendered(site, block('post-date', values), changed)
    assert.match(html, '<div class="wp-block-post-date__modified-date wp-block-post-date"><time datetime="2024-02-01')
    const same = { date: '2024-01-01 10:00:00', modified: '2024-01-01 10:00:00' }
    assert.is((await rendered(site, block('post-date', values), same)).trim(), '')
  }
  assert.match(
    await rendered(site, block('post-date'), changed),
    '<div class="wp-block-post-date"><time datetime="2024-01-01',
  )
})

markup('of contents in lists, which end at the more tag', async () => {
  await using site = await serve()
  const paragraph = (text: string) => `<!-- wp:paragraph --><p>${text}</p><!-- /wp:paragraph -->`
  const more = (text: string) => `<!-- wp:more -->\n<!--more${text}-->\n<!-- /wp:more -->`
  const [id] = await addPosts(
    site.store,
    { title: 'Long & "quoted"', content: `${paragraph('First')}${more('')}${paragraph('Rest')}` },
    { title: 'Named', content: `${paragraph('Start')}${more(' Go <b>on</b>')}${paragraph('End')}` },
    { title: 'Plain', content: 'Plain start<!--more-->Plain end' },
  )
  const html = await rendered(site, query({ perPage: 10 }, template(block('post-content'))))
  assert.match(html, 'First')
  assert.not.match(html, /Rest|End|Plain end/)
  assert.match(html, '#more-' + id)
  assert.match(
    html,
    'class="more-link"><span aria-label="Continue reading Long &#038; &#8220;quoted&#8221;">(more&hellip;)',
  )
  assert.match(html, 'aria-label="Continue reading Named">Go on</span></a>')
  assert.match(await preview(site, 'post-content', {}, id), 'class="more-link"')
  const page = await (await fetch(`${site.home}/?p=${id}`)).text()
  assert.match(page, `<span id="more-${id}"></span>`)
  assert.match(page, 'Rest')
})

markup('of feeds that cannot be shown', async () => {
  await using site = await serve()
  const notice = '<div class="components-placeholder"><div class="notice notice-error">'
  for (const feedURL of ['', 'feed', 'ftp://a.test/'])
    assert.match(await rendered(site, block('rss', { feedURL })), `${notice}An error has occurred`, feedURL)
  for (const feedURL of [site.home, `${site.home}/`])
    assert.match(await rendered(site, block('rss', { feedURL })), `${notice}The RSS block cannot show`, feedURL)
})

markup('of empty tag clouds: a note in previews, and nothing for readers', async () => {
  await using site = await serve()
  for (const values of [{}, { taxonomy: 'unknown' }]) {
    const note = '<p class="wp-block-tag-cloud">There&#8217;s no content to show here yet.</p>'
    assert.is(await preview(site, 'tag-cloud', values), note)
    assert.is((await rendered(site, block('tag-cloud', values))).trim(), '')
  }
})

markup('of comments without excerpts, as older editors stored them', async () => {
  await using site = await serve()
  const html = await rendered(site, block('latest-comments', { displayExcerpt: false }))
  assert.match(html, 'has-avatars has-dates no-comments')
  assert.match(await rendered(site, block('latest-comments')), 'has-excerpts')
})

markup.run()
