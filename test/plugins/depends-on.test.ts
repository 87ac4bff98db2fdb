import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { describeHooks } from '../../bin/config/index.ts'
import { definePlugin, isPerRequest, registrations, type PluginContext } from '../../kernel/index.ts'
import { collectDependencies, type Dependencies } from '../../plugins/library/caching/index.ts'
import { addPosts } from '../helpers/content.ts'
import { as, serve, type Site } from '../helpers/site.ts'

const depends = suite('dependencies of responses')

/** The parts of an internal response. */
async function dependenciesOf(site: Site, path: string): Promise<Dependencies> {
  return collectDependencies(async (dependencies) => {
    const { status } = await site.kernel.server.dispatch(path)
    assert.is(status, 200, path)
    return dependencies
  })
}

/** A site with post 1 and a third-party plugin. */
async function siteWith(content: string, apply: (plugin: PluginContext) => void): Promise<Site> {
  const needs = ['extra-fields', 'meta', 'shortcodes', 'blocks', 'search']
  const site = await serve({ add: [definePlugin({ name: 'shop', needs, apply })] })
  await addPosts(site.store, { id: 1, title: 'One', content, meta: { price: 3 } })
  return site
}

/** Callbacks that plugins register, by the names that messages have for them. */
const CALLBACKS: readonly {
  callbackName: string
  content?: string
  path?: string
  register: (plugin: PluginContext, hints: { dependsOn?: readonly string[]; cache?: boolean }) => void
}[] = [
  {
    callbackName: 'the field stock',
    register: ({ services }, hints) =>
      services.extraFields.register('post', 'stock', { get_callback: () => 7, ...hints }),
  },
  {
    callbackName: 'the meta field price',
    register: ({ services }, hints) =>
      services.meta.register('post', 'price', {
        type: 'integer',
        single: true,
        show_in_rest: { prepare_callback: (value) => Number(value) * 2, ...hints },
      }),
  },
  {
    callbackName: 'the shortcode stock',
    content: '[stock]',
    register: ({ services }, hints) => services.shortcodes.register('stock', () => '7', hints),
  },
  {
    callbackName: 'the block shop/stock',
    content: '<!-- wp:shop/stock /-->',
    register: ({ services }, hints) => services.blocks.register('shop/stock', { render_callback: () => '7', ...hints }),
  },
  {
    callbackName: 'the search handler place',
    path: '/svc/v2/search?type=place',
    register: ({ hooks }, hints) =>
      hooks.svc_rest_search_handlers.tap('shop', (handlers) => [
        ...handlers,
        {
          type: 'place',
          subtypes: () => [],
          search: () => ({ ids: ['here'], total: 1 }),
          prepare: (id) => ({ id }),
          links: () => ({}),
          ...hints,
        },
      ]),
  },
  {
    callbackName: 'the tap shop on rest_prepare_post',
    register: ({ hooks }, hints) => hooks.rest_prepare.for('post').tap({ name: 'shop', ...hints }, (shown) => shown),
  },
  {
    callbackName: 'the tap shop on the_content',
    content: 'Text.',
    register: ({ hooks }, hints) => hooks.the_content.tap({ name: 'shop', ...hints }, (html) => html),
  },
]

for (const { callbackName, content = '', path = '/svc/v2/posts/1', register } of CALLBACKS) {
  depends(`with ${callbackName} a response is stored, with its tags, unless it has cache: false`, async () => {
    await using silent = await siteWith(content, (plugin) => register(plugin, {}))
    assert.is((await dependenciesOf(silent, path)).refusal, null)
    await using named = await siteWith(content, (plugin) => register(plugin, { dependsOn: ['stock:7'] }))
    const { refusal, tags } = await dependenciesOf(named, path)
    assert.is(refusal, null)
    assert.ok(tags.has('stock:7'))
    await using never = await siteWith(content, (plugin) => register(plugin, { cache: false }))
    assert.is(
      (await dependenciesOf(never, path)).refusal,
      `${callbackName} of ${ownerIn(callbackName)} has cache: false`,
    )
  })
}

/** The plugin that a message names: handlers of searches are found by a filter, which knows no plugin. */
const ownerIn = (callbackName: string) => (callbackName.startsWith('the search handler') ? 'a plugin' : 'shop')

depends('of a hidden field do not prevent caching of a list', async () => {
  await using site = await siteWith('', ({ services, hooks }) => {
    services.extraFields.register('post', 'stock', { get_callback: () => 7, cache: false })
    hooks.rest_prepare.for('post').tap({ name: 'shop', fields: 'stock', cache: false }, (shown) => shown)
  })
  assert.is((await dependenciesOf(site, '/svc/v2/posts?_fields=id,title')).refusal, null)
  assert.match((await dependenciesOf(site, '/svc/v2/posts?_fields=stock')).refusal!, 'the field stock of shop')
})

depends('of default plugins never prevent caching', async () => {
  await using site = await serve()
  await addPosts(site.store, { id: 1, title: 'One', content: 'Text [gallery]' })
  const { hooks } = site.kernel
  for (const path of ['/svc/v2/posts/1', '/svc/v2/posts?_embed', '/svc/v2/search', '/svc/v2/types', '/'])
    assert.is((await dependenciesOf(site, path)).refusal, null, path)
  for (const { name, taps } of describeHooks(site.kernel.registry))
    if (taps.length > 0) assert.not(isPerRequest(hooks[name as 'rest_index']), name)
})

depends('do not change while requests are handled', async () => {
  await using site = await serve()
  await addPosts(site.store, { id: 1, title: 'One', content: 'Text' })
  const sendRequests = async () => {
    for (const path of [
      '/',
      '/svc/v2/posts?_embed',
      '/svc/v2/posts/1',
      '/svc/v2/users',
      '/svc/v2/none',
      '/svc/v2/search',
    ])
      await (await site.get(path)).text()
    await site.request('/svc/v2/posts/1', { method: 'OPTIONS' })
    const headers = { ...as('administrator', 1), 'content-type': 'application/json' }
    await site.request('/svc/v2/posts', { method: 'POST', headers, body: '{"title":"New","status":"publish"}' })
    await site.request('/svc/v2/settings', { method: 'POST', headers, body: '{"title":"Site"}' })
  }
  await sendRequests()
  const before = registrations()
  await sendRequests()
  assert.is(registrations(), before)
})

depends.run()
