import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { addPosts } from '../../../helpers/content.ts'
import { rendered } from '../../../helpers/rendered.ts'
import { serve } from '../../../helpers/site.ts'

const paragraph = (text: string) => `<!-- wp:paragraph --><p>${text}</p><!-- /wp:paragraph -->`

const patterns = definePlugin({
  name: 'garden',
  needs: ['block-patterns'],
  apply({ services: { blockPatterns } }) {
    blockPatterns.register('garden/bed', { title: 'Bed', content: paragraph('Roses') })
    blockPatterns.register('garden/loop', {
      title: 'Loop',
      content: `${paragraph('Round')}<!-- wp:pattern {"slug":"garden/other"} /-->`,
    })
    blockPatterns.register('garden/other', {
      title: 'Other',
      content: `${paragraph('About')}<!-- wp:pattern {"slug":"garden/loop"} /-->`,
    })
    blockPatterns.register('garden/twice', {
      title: 'Twice',
      content: '<!-- wp:pattern {"slug":"garden/twice-2"} /--><!-- wp:pattern {"slug":"garden/twice-2"} /-->',
    })
  },
})

const theme = suite('blocks that include content')

theme('render patterns by name, and no pattern inside itself', async () => {
  await using site = await serve({ add: [patterns] })
  const show = (slug: string) => rendered(site, `<!-- wp:pattern {"slug":"${slug}"} /-->`)
  assert.match(await show('garden/bed'), 'Roses')
  assert.is(await show('garden/nothing'), '')
  assert.is(await show('__proto__'), '')
  const loop = await show('garden/loop')
  assert.is(loop.match(/Round/g)?.length, 1)
  assert.is(loop.match(/About/g)?.length, 1)
})

theme('render only published menus', async () => {
  await using site = await serve()
  const type = site.kernel.branding.typeName('navigation')
  const link = (label: string) => `<!-- wp:navigation-link {"label":"${label}","url":"/${label}/"} /-->`
  const [menu, draft] = await addPosts(
    site.store,
    {
      type,
      title: 'Main "menu"',
      content: `${link('one')}<!-- wp:navigation-submenu {"label":"two","url":"/two/"} -->${link('three')}<!-- /wp:navigation-submenu --><!-- wp:home-link /-->`,
    },
    { type, title: 'Draft', status: 'draft', content: link('hidden') },
  )
  const html = await rendered(site, `<!-- wp:navigation {"ref":${menu}} /-->`)
  assert.match(html, /<nav [^>]*aria-label="Main &quot;menu&quot;"/)
  assert.match(html, '<ul class="wp-block-navigation__container wp-block-navigation">')
  assert.match(
    html,
    /<li class="wp-block-navigation-item wp-block-navigation-link"><a class="wp-block-navigation-item__content" {2}href="\/one\/">/,
  )
  assert.match(html, /aria-label="two submenu"/)
  assert.match(html, 'rel="home"')
  assert.match(
    html,
    /<button type="button" popovertarget="(modal-[\da-f]{12})" [^>]*aria-label="Open menu".*<div popover id="\1"/,
  )
  const shown = (options: object) =>
    rendered(site, `<!-- wp:navigation ${JSON.stringify({ ref: menu, ...options })} /-->`)
  assert.not.match(await shown({ overlayMenu: 'never' }), /popover|is-responsive/)
  assert.match(
    await shown({ overlayMenu: 'always' }),
    /container-open always-shown".*__responsive-container hidden-by-default"/,
  )
  assert.match(await shown({ hasIcon: false }), /container-open">Menu<.*container-close">Close</)
  assert.match(await shown({ icon: 'menu' }), /container-open"><svg[^>]*><path d="M4 6h16M4 12h16/)
  assert.match(
    await shown({ overlayTextColor: 'white', customOverlayBackgroundColor: '#123456' }),
    /__responsive-container has-text-color has-white-color has-background" style="background-color: ?#123456;?"/,
  )
  assert.not.match(await shown({ customOverlayTextColor: 'red;background:url(javascript:1)"><b' }), /javascript|<b[ >]/)
  assert.match(await rendered(site, '<!-- wp:navigation /-->'), '/three/')
  assert.is(await rendered(site, `<!-- wp:navigation {"ref":${draft}} /-->`), '')
  assert.is(await rendered(site, '<!-- wp:navigation {"ref":999999} /-->'), '')
})

theme('list published pages as a tree', async () => {
  await using site = await serve()
  const page = { type: 'page' }
  const [top] = await addPosts(site.store, { ...page, title: 'Top <b>page</b>' })
  const [middle] = await addPosts(site.store, { ...page, title: 'Middle', parent_id: top! })
  await addPosts(
    site.store,
    { ...page, title: 'Bottom', parent_id: middle! },
    { ...page, title: 'Secret draft', status: 'draft', parent_id: top! },
    { ...page, title: 'Secret private', status: 'private' },
  )
  const html = await rendered(site, '<!-- wp:page-list /-->')
  assert.match(html, /^<ul class="wp-block-page-list"><li class="wp-block-pages-list__item has-child">/)
  assert.is(html.match(/<li/g)?.length, 3)
  assert.not.match(html, 'Secret')
  const below = await rendered(site, `<!-- wp:page-list {"parentPageID":${middle}} /-->`)
  assert.is(below.match(/<li/g)?.length, 1)
  const many = Array.from({ length: 60 }, (_, at) => ({
    ...page,
    title: `P${at}`,
    parent_id: at % 2 === 0 ? top! : middle!,
  }))
  const cost = async () =>
    (await site.statements(async () => void (await rendered(site, '<!-- wp:page-list /-->')))).length
  const initialCost = await cost()
  await addPosts(site.store, ...many)
  assert.is(await cost(), initialCost)
})

theme('override texts of reusable blocks by the names of inner blocks', async () => {
  await using site = await serve()
  const type = site.kernel.branding.typeName('block')
  const named = (name: string) =>
    JSON.stringify({ metadata: { name, bindings: { __default: { source: 'core/pattern-overrides' } } } })
  const content =
    `<!-- wp:heading ${named('Head')} --><h2 class="wp-block-heading">Old head</h2><!-- /wp:heading -->` +
    `<!-- wp:paragraph ${named('Text')} --><p>Old text</p><!-- /wp:paragraph -->${paragraph('Stays')}`
  const [block] = await addPosts(site.store, { type, title: 'Kept', content })
  const [loop] = await addPosts(site.store, { type, title: 'Loop', content: '' })
  await site.store.run(
    site.store.db
      .updateTable('posts')
      .set({ content: `x<!-- wp:block {"ref":${loop}} /-->` })
      .where('id', '=', loop!),
  )
  const show = (attributes: object) => rendered(site, `<!-- wp:block ${JSON.stringify(attributes)} /-->`)
  assert.match(await show({ ref: block }), 'Old head')
  const changed = await show({
    ref: block,
    content: { Head: { content: 'New <em>head</em>' }, Text: { content: '\u003cscript\u003ebad\u003c/script\u003e' } },
  })
  assert.match(changed, /<h2[^>]*>New <em>head<\/em><\/h2>/)
  assert.match(changed, 'Stays')
  assert.not.match(changed, 'Old')
  assert.not.match(changed, '<script')
  assert.match(
    await show({ ref: block, content: { __proto__: { content: 'x' }, Head: 'text', Text: null } }),
    'Old text',
  )
  assert.is(await show({ ref: loop }), 'x')
})

theme.run()
