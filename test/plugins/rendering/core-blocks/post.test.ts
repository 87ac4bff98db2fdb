import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache, VISITOR } from '../../../../kernel/index.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { query, rendered, renderedOf, template } from '../../../helpers/rendered.ts'
import { as, serve, startOnly } from '../../../helpers/site.ts'

startOnly('content-rendering', 'core-blocks')

const EVIL = `"><script>alert(1)</script><img src=x onerror=alert(2)>`

const post = suite('post blocks')

post('escape attributes and titles', async () => {
  await using site = await serve()
  const term = await addTerm(site.store, { taxonomy: 'category', name: EVIL, slug: 'evil' })
  const blocks = [
    ['post-title', { isLink: true, rel: EVIL, linkTarget: EVIL, level: 9 }],
    ['read-more', { content: EVIL, linkTarget: EVIL }],
    ['post-date', { format: EVIL, isLink: true }],
    ['post-author', { byline: EVIL, textAlign: EVIL, avatarSize: 1e9 }],
    ['post-author-name', { isLink: true, linkTarget: EVIL }],
    ['avatar', { isLink: true, linkTarget: EVIL, size: -5 }],
    ['post-terms', { term: 'category', prefix: EVIL, separator: EVIL, suffix: EVIL }],
    ['post-excerpt', { moreText: EVIL }],
    ['post-navigation-link', { type: EVIL, label: EVIL, arrow: EVIL, showTitle: true, taxonomy: '__proto__' }],
    ['post-time-to-read', { displayMode: EVIL, averageReadingSpeed: -1 }],
    ['breadcrumbs', { separator: EVIL }],
    ['home-link', { label: EVIL }],
    ['navigation-link', { label: EVIL, url: 'javascript:alert(3)', rel: EVIL, title: EVIL, description: EVIL }],
    ['navigation-submenu', { label: EVIL, url: ' java\tscript:alert(3)' }],
    ['navigation', { ariaLabel: EVIL }],
    ['post-content', { tagName: 'script' }],
    ['comments-title', { level: 'x' }],
    ['query-title', { type: 'post-type', level: 99 }],
    ['template-part', { slug: EVIL, theme: EVIL, tagName: 'script' }],
    ['pattern', { slug: EVIL }],
  ] as const
  const json = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')
  const content = blocks
    .map(([name, attributes]) => `<!-- wp:${name} ${json({ className: EVIL, anchor: EVIL, ...attributes })} /-->`)
    .join('')
  await addPosts(site.store, { title: 'After', date: '2025-01-01 00:00:00' })
  const html = await rendered(site, content, { title: 'Plain', excerpt: 'words', terms: [term] })
  assert.match(html, 'wp-block-post-title')
  assert.match(html, 'wp-block-post-navigation-link')
  assert.not.match(html, '<script')
  assert.not.match(html, /<[^<>"']*(?:"[^"]*"|'[^']*')*[^<>"']*\sonerror/)
  assert.not.match(html, /href="[^"]*script:/i)
})

post('hide drafts, private posts and the texts of other protected posts', async () => {
  await using site = await serve()
  const [before] = await addPosts(
    site.store,
    { title: 'Published before', date: '2024-01-01 10:00:00' },
    { title: 'Draft between', status: 'draft', date: '2024-02-01 10:00:00' },
    { title: 'Private between', status: 'private', date: '2024-02-02 10:00:00' },
  )
  const [hidden] = await addPosts(site.store, { type: 'page', title: 'Hidden page', status: 'draft' })
  const [page] = await addPosts(site.store, {
    type: 'page',
    title: 'Below',
    parent_id: hidden!,
    content: '<!-- wp:breadcrumbs /--><!-- wp:page-list /-->',
  })
  const links =
    '<!-- wp:post-navigation-link {"type":"previous","showTitle":true} /--><!-- wp:post-navigation-link {"showTitle":true} /-->' +
    `<!-- wp:navigation-link {"label":"To a draft","kind":"post-type","type":"page","id":${hidden},"url":"/secret/"} /-->` +
    `<!-- wp:navigation-link {"label":"To a post","kind":"post-type","type":"post","id":${before}} /-->`
  const html = await rendered(site, links, { date: '2024-03-01 10:00:00' })
  assert.match(html, 'Published before')
  assert.match(html, 'To a post')
  for (const word of ['Draft', 'Private', 'draft', 'secret']) assert.not.match(html, word)
  const response = await site.get(`/svc/v2/pages/${page}?_fields=content.rendered`)
  assert.not.match(await response.text(), 'Hidden page')
})

post('are rendered for the requested post, for users who can edit it', async () => {
  await using site = await serve()
  const [draft] = await addPosts(site.store, { title: 'Mine', status: 'draft', author_id: 100 })
  const path = `/svc/v2/block-renderer/core/post-title?context=edit&post_id=${draft}`
  const html = ((await (await site.get(path, as('author'))).json()) as { rendered: string }).rendered
  assert.match(html, 'Mine')
  assert.is((await site.get(path, as('contributor', 101))).status, 403)
  assert.is((await site.get(path)).status, 401)
  for (const parameter of ['attributes[level]=x', 'attributes[nothing]=1', 'attributes[isLink]=maybe'])
    assert.is((await site.get(`${path}&${parameter}`, as('author'))).status, 400)
})

post('show each footnote once, linked to its reference', async () => {
  await using site = await serve()
  const notes = [
    { id: 'a-1', content: 'A <em>note</em>' },
    { id: '"><script>', content: '<script>alert(1)</script>safe' },
    { id: 'b', content: 12 },
    null,
  ]
  const html = await rendered(site, '<!-- wp:footnotes /-->', { meta: { footnotes: JSON.stringify(notes) } })
  assert.match(html, '<ol class="wp-block-footnotes"><li id="a-1">A <em>note</em> <a href="#a-1-link"')
  assert.match(html, 'safe')
  assert.not.match(html, '<script')
  for (const broken of ['', '{', '{}', '5', '[[]]'])
    assert.not.match(await rendered(site, '<!-- wp:footnotes /-->', { meta: { footnotes: broken } }), '<ol')
})

post('bind values of public meta and of the post', async () => {
  const meta = definePlugin({
    name: 'garden',
    needs: ['meta'],
    apply({ services }) {
      services.meta.register('post', 'plant', { type: 'string', single: true, show_in_rest: true })
      services.meta.register('post', 'hidden', { type: 'string', single: true })
    },
  })
  await using site = await serve({ add: [meta] })
  const bound = (source: string, args: object, attribute = 'content') =>
    JSON.stringify({ metadata: { bindings: { [attribute]: { source, args } } } })
  const paragraph = (key: string) =>
    `<!-- wp:paragraph ${bound('core/post-meta', { key })} --><p>written</p><!-- /wp:paragraph -->`
  const values = { meta: { plant: '<b>Rose</b><script>alert(1)</script>', hidden: 'nobody', _secret: 'nobody' } }
  const html = await rendered(site, paragraph('plant'), values)
  assert.match(html, /<p[^>]*><b>Rose<\/b>/)
  assert.not.match(html, '<script')
  for (const key of ['hidden', '_secret', 'nothing', '__proto__'])
    assert.match(await rendered(site, paragraph(key), values), 'written')
  const date = `<!-- wp:post-date ${bound('core/post-data', { field: 'modified' }, 'datetime')} /-->`
  assert.match(await rendered(site, date, { modified: '2030-01-02 03:04:05' }), 'January 2, 2030')
  assert.not.match(await rendered(site, date), '<time')
  const button =
    `<!-- wp:button ${bound('core/post-meta', { key: 'plant' }, 'url')} --><div class="wp-block-button">` +
    '<a class="wp-block-button__link" href="/old/">Go</a></div><!-- /wp:button -->'
  assert.match(await rendered(site, button, { meta: { plant: '/new/' } }), 'href="/new/"')
  assert.match(await rendered(site, button, { meta: { plant: 'javascript:alert(1)' } }), 'href=""')
})

post('are rendered again after the data they show has changed', async () => {
  await using site = await serve()
  const [page] = await addPosts(site.store, {
    title: 'Shown',
    content: '<!-- wp:post-title /--><!-- wp:post-author-name /-->',
  })
  const first = await renderedOf(site, page!)
  assert.match(first, 'Shown')
  const { posts } = site.kernel.services
  await posts.update(page!, { title: 'Renamed' }, { user: VISITOR, scope: new RequestCache() })
  assert.match(await renderedOf(site, page!), 'Renamed')
})

post('fall back to the first image of the content, with the border of the block', async () => {
  await using site = await serve()
  const attributes = {
    useFirstImageFromPost: true,
    borderColor: 'base',
    style: { border: { radius: '5px', width: '2px;position:fixed' }, shadow: '1px 1px red' },
  }
  const image = `<!-- wp:post-featured-image ${JSON.stringify(attributes)} /-->`
  const own =
    '<p>x</p><img onerror="x()" class="big" src="https://site.test/a.png?a=1&b=2" alt="A &quot;b&quot;"><img src="/b.png">'
  assert.match(
    await rendered(site, image + own),
    '<img src="https://site.test/a.png?a=1&amp;b=2" class="wp-post-image has-border-color has-base-border-color" ' +
      'alt="A &quot;b&quot;" style="object-fit:cover;border-radius:5px;border-width:2px;box-shadow:1px 1px red;" ',
  )
  assert.not.match(await rendered(site, image), '<figure')
  assert.not.match(await rendered(site, `${image}<img src="javascript:x()">`), '<figure')
  const [shut] = await addPosts(site.store, { title: 'Shut', password: 'word', content: '<img src="/secret.png">' })
  const listed = query({ perPage: 5 }, template(`<!-- wp:post-title /-->${image}`))
  const html = await rendered(site, listed)
  assert.match(html, 'Protected: Shut')
  assert.not.match(html, 'secret.png', String(shut))
})

post('keep the focal point of a featured image visible', async () => {
  await using site = await serve()
  const { meta } = site.kernel.services
  const [image] = await addPosts(site.store, { type: 'attachment', status: 'inherit', mime_type: 'image/jpeg' })
  const content = '<!-- wp:post-featured-image /-->'
  const [page] = await addPosts(site.store, { title: 'Shown', content })
  const write = (id: number, key: string, value: unknown) => meta.write('post', id, key, [value], new RequestCache())
  await write(image!, '_attached_file', '2025/01/leaf.jpg')
  await write(page!, '_thumbnail_id', image)
  assert.not.match(await renderedOf(site, page!), 'object-position')
  await write(image!, '_attachment_focal_point', { x: 0.25, y: 0.805 })
  assert.match(await renderedOf(site, page!), /style="[^"]*object-position:25% 80\.5%;"/)
  await write(image!, '_attachment_focal_point', { x: '0;color:red', y: 2 })
  assert.not.match(await renderedOf(site, page!), 'object-position')
})

post.run()
