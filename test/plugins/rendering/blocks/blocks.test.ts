import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import type { RenderedPost } from '../../../../plugins/rendering/content-rendering/index.ts'
import { addPosts } from '../../../helpers/content.ts'
import { as, serve } from '../../../helpers/site.ts'
import { removePlugin } from '../../../helpers/remove-plugin.ts'

const blocks = suite('blocks')

const shop = definePlugin({
  name: 'shop',
  needs: ['blocks'],
  apply({ services }) {
    services.blocks.register('shop/price', {
      title: 'Price',
      attributes: { amount: { type: 'integer', default: 1 }, unit: { type: 'string', enum: ['euro', 'crown'] } },
      uses_context: ['shop/sale'],
      render_callback: ({ amount, unit = 'coin' }, content, { context }) =>
        `<b>${String(amount)} ${String(unit)}${context['shop/sale'] === true ? '!' : ''}</b>${content}`,
    })
    services.blocks.register('shop/shelf', {
      attributes: { sale: { type: 'boolean', default: false } },
      provides_context: { 'shop/sale': 'sale' },
    })
    services.blocks.register('shop/broken', {
      render_callback() {
        throw new Error('Nothing left.')
      },
    })
  },
})

function post(content: string): RenderedPost {
  return { id: 9999, type: 'post', status: 'publish', title: '', content, excerpt: '' }
}

async function codeOf(response: Response): Promise<string> {
  return ((await response.json()) as { code: string }).code
}

blocks('are rendered by the callback of their type, with validated attributes', async () => {
  await using site = await serve({ add: [shop] })
  const { contentRendering: rendering } = site.kernel.services
  const render = (content: string) => rendering.content(post(content))
  assert.is(await render('<!-- wp:shop/price /-->'), '<b>1 coin</b>')
  assert.is(await render('<!-- wp:shop/price {"amount":"3","unit":"euro"} /-->'), '<b>3 euro</b>')
  assert.is(await render('<!-- wp:shop/price {"amount":"many","unit":"pound"} /-->'), '<b>1 coin</b>')
  assert.is(
    await render('<!-- wp:shop/price -->"in" <!-- wp:shop/price /--><!-- /wp:shop/price -->'),
    '<b>1 coin</b>&#8220;in&#8221; <b>1 coin</b>',
  )
  assert.is(
    await render('<!-- wp:shop/shelf {"sale":true} --><i><!-- wp:shop/price /--></i><!-- /wp:shop/shelf -->'),
    '<i><b>1 coin!</b></i>',
  )
})

blocks('of type shortcode contain text as typed', async () => {
  await using site = await serve()
  const html = (content: string) =>
    site.kernel.services.contentRendering.content(post(`<!-- wp:shortcode -->\n${content}\n<!-- /wp:shortcode -->`))
  assert.is(await html('one "and"\ntwo'), '<p>one &#8220;and&#8221;<br />\ntwo</p>\n')
  assert.is(await html('[caption]<i>one</i>[/caption]'), '<i>one</i>\n')
})

blocks('that fail are omitted without affecting others', async () => {
  await using site = await serve({ add: [shop] })
  const html = await site.kernel.services.contentRendering.content(
    post('<!-- wp:shop/broken /-->a<!-- wp:shop/price /-->'),
  )
  assert.is(html, 'a<b>1 coin</b>')
})

blocks('can be reused in many places if they are public', async () => {
  await using site = await serve()
  const { store, kernel } = site
  const type = kernel.branding.typeName('block')
  const [shown, hidden, shut, inner] = await addPosts(
    store,
    { type, content: '<!-- wp:paragraph --><p>Kept</p><!-- /wp:paragraph -->' },
    { type, content: 'draft', status: 'draft' },
    { type, content: 'shut', password: 'word' },
    { content: 'a post' },
  )
  const [outer] = await addPosts(store, { type, content: `(<!-- wp:block {"ref":${shown}} /-->)` })
  const [loop] = await addPosts(store, { type, content: '' })
  await store.run(
    store.db
      .updateTable('posts')
      .set({ content: `[<!-- wp:block {"ref":${loop}} /-->]` })
      .where('id', '=', loop!),
  )
  const render = (...refs: unknown[]) =>
    kernel.services.contentRendering.content(
      post(refs.map((ref) => `<!-- wp:block {"ref":${JSON.stringify(ref)}} /-->`).join('')),
    )
  const paragraph = '<p class="wp-block-paragraph">Kept</p>'
  assert.is(await render(shown, outer, shown), `${paragraph}(${paragraph})${paragraph}`)
  assert.is(await render(hidden, shut, inner, 'x', 0, 123456), '')
  assert.is(await render(loop), '[]')
})

blocks('that include each other are limited', async () => {
  await using site = await serve()
  const type = site.kernel.branding.typeName('block')
  let [id] = await addPosts(site.store, { type, content: 'x' })
  for (let level = 0; level < 6; level++) {
    ;[id] = await addPosts(site.store, { type, content: `<!-- wp:block {"ref":${id}} /-->`.repeat(10) })
  }
  const html = await site.kernel.services.contentRendering.content(post(`<!-- wp:block {"ref":${id}} /-->`))
  assert.ok(html.length <= 200)
})

blocks('supply text for excerpts if their type allows it', async () => {
  await using site = await serve({ add: [shop] })
  const { contentRendering: rendering } = site.kernel.services
  const content =
    '<!-- wp:group --><div><!-- wp:paragraph --><p>One</p><!-- /wp:paragraph --></div><!-- /wp:group -->' +
    '<!-- wp:code --><pre>two</pre><!-- /wp:code --><!-- wp:shop/price /-->' +
    '<!-- wp:list --><ul><!-- wp:list-item --><li>three</li><!-- /wp:list-item --></ul><!-- /wp:list -->four'
  assert.is(await rendering.excerpt(post(content)), '<p>One four</p>\n')
  site.kernel.hooks.excerpt_allowed_blocks.tap('test', (names) => [...names, 'core/code'])
  assert.is(await rendering.excerpt(post(content)), '<p>One two four</p>\n')
})

blocks('have a route that renders one for users who can edit posts', async () => {
  await using site = await serve({ add: [shop] })
  const route = '/svc/v2/block-renderer/shop/price'
  const editor = as('editor')
  assert.equal(await site.json(`${route}?context=edit&attributes[amount]=2`, editor), { rendered: '<b>2 coin</b>' })
  const bad = await site.json(`${route}?context=edit&attributes[amount]=two`, editor)
  assert.equal([bad.code, Object.keys(bad.data.params)], ['rest_invalid_param', ['attributes']])
  const undeclared = await site.json(`${route}?context=edit&attributes[colour]=red`, editor)
  assert.is(undeclared.code, 'rest_invalid_param')
  for (const query of ['?context=view', '']) {
    const view = await site.json(`${route}${query}`, editor)
    assert.equal([view.code, Object.keys(view.data.params)], ['rest_invalid_param', ['context']], query)
  }
  const visitor = await site.get(`${route}?context=edit`)
  assert.equal([visitor.status, await codeOf(visitor)], [401, 'block_cannot_read'])
  assert.is((await site.get(`${route}?context=edit`, as('subscriber'))).status, 403)
  assert.is((await site.json(`${route}?context=edit&post_id=77`, editor)).code, 'block_cannot_read')
  const unknown = await site.get('/svc/v2/block-renderer/shop/none?context=edit', editor)
  assert.equal([unknown.status, await codeOf(unknown)], [404, 'block_invalid'])
  const posted = await site.request(route, {
    method: 'POST',
    headers: { ...editor, 'content-type': 'application/json' },
    body: JSON.stringify({ context: 'edit', attributes: { amount: 5 } }),
  })
  assert.equal(await posted.json(), { rendered: '<b>5 coin</b>' })
})

blocks('have a route that lists their types for users who can edit posts', async () => {
  await using site = await serve({ add: [shop] })
  const editor = as('editor')
  const names = (list: { name: string }[]) => list.map(({ name }) => name)
  assert.equal(names(await site.json('/svc/v2/block-types', editor)).includes('core/block'), true)
  const own = ['shop/price', 'shop/shelf', 'shop/broken']
  assert.equal(names(await site.json('/svc/v2/block-types/shop', editor)), own)
  assert.equal(names(await site.json('/svc/v2/block-types?namespace=shop', editor)), own)
  const price = await site.json('/svc/v2/block-types/shop/price', editor)
  assert.equal([price.title, price.is_dynamic, price.supports], ['Price', true, []])
  assert.equal(Object.keys(price.attributes), ['amount', 'unit', 'lock', 'className', 'metadata', 'style'])
  assert.is((await site.json('/svc/v2/block-types/shop/none', editor)).code, 'rest_block_type_invalid')
  assert.is((await site.get('/svc/v2/block-types')).status, 401)
  assert.is((await site.json('/svc/v2/block-types', as('subscriber'))).code, 'rest_block_type_cannot_view')
})

blocks('are removed together with their plugin, and need a valid name', async () => {
  await using site = await serve({ add: [shop] })
  const { blocks: types } = site.kernel.services
  assert.throws(() => types.register('Price', {}), /is not a valid name/)
  assert.ok(types.get('shop/price'))
  await removePlugin(site.kernel, 'shop')
  assert.is(types.get('shop/price'), undefined)
})

blocks.run()
