import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../kernel/index.ts'
import { as, serve, startOnly } from '../../helpers/site.ts'
import { removePlugin } from '../../helpers/remove-plugin.ts'

startOnly('content-types')

const types = suite('content types')

const body = (answer: Response) => answer.json() as Promise<{ code: string }>

const events = definePlugin({
  name: 'events',
  needs: ['content-types'],
  apply({ services, hooks }) {
    hooks.rest_api_init.tap('events', () => {
      services.contentTypes.register('event', {
        label: 'Events',
        labels: { singular_name: 'Event' },
        public: true,
        show_in_rest: true,
        rest_base: 'events',
        taxonomies: ['category'],
        capability_type: 'event',
        has_archive: 'calendar',
      })
    })
  },
})

types('are listed if the REST API serves them, without fields for editors', async () => {
  await using site = await serve()
  const listed = await site.json('/svc/v2/types')
  assert.equal(listed.page, {
    description: '',
    hierarchical: true,
    has_archive: false,
    name: 'Pages',
    slug: 'page',
    icon: 'dashicons-admin-page',
    taxonomies: [],
    rest_base: 'pages',
    rest_namespace: 'svc/v2',
    template: [],
    template_lock: false,
    _links: {
      collection: [{ href: `${site.home}/svc-json/svc/v2/types` }],
      'svc:items': [{ href: `${site.home}/svc-json/svc/v2/pages` }],
      curies: [{ name: 'svc', href: 'urn:svc-rest:{rel}', templated: true }],
    },
  })
  assert.is(listed.svc_block.rest_base, 'blocks')
  assert.is(listed.revision, undefined)
})

types('are empty lists if no field is requested', async () => {
  await using site = await serve()
  assert.equal(await site.json('/svc/v2/types?_fields=page'), { page: [] })
  assert.equal(await site.json('/svc/v2/types?_fields=page,name'), { page: { name: 'Pages' } })
  assert.equal(await site.json('/svc/v2/types?_fields=name'), [])
})

types('have names according to the branding', async () => {
  await using site = await serve({ word: 'wp' })
  const listed = await site.json('/wp/v2/types')
  assert.is(listed.wp_block.rest_namespace, 'wp/v2')
})

types('are shown in full to users who may edit their items', async () => {
  await using site = await serve({ add: [events] })
  const post = await site.json('/svc/v2/types/post?context=edit', as('contributor'))
  assert.is(post.capabilities.create_posts, 'edit_posts')
  assert.is(post.supports.comments, true)
  assert.is(post.labels.add_new_item, 'Add Post')
  assert.is(post.viewable, true)
  assert.equal(post.visibility, { show_in_nav_menus: true, show_ui: true })
})

types('have the labels of the revision, also the types of plugins', async () => {
  const shelves = definePlugin({
    name: 'shelves',
    needs: ['content-types'],
    apply({ services }) {
      services.contentTypes.register('event', { labels: { singular_name: 'Event' }, public: true, show_in_rest: true })
    },
  })
  for (const [revision, add, trashed, block, template] of [
    ['6.1', 'Add New Post', undefined, 'Reusable block', undefined],
    ['6.5', 'Add New Post', undefined, 'Pattern', undefined],
    ['6.9', 'Add New Post', 'Post trashed.', 'Pattern', undefined],
    ['latest', 'Add Post', 'Post trashed.', 'Pattern', 'Single item: Event'],
  ] as const) {
    await using site = await serve({ revision, add: [shelves] })
    const listed = await site.json('/svc/v2/types?context=edit', as('administrator'))
    assert.is(listed.post.labels.add_new_item, add, revision)
    assert.is(listed.event.labels.item_trashed, trashed, revision)
    assert.is(listed.svc_block.labels.singular_name, block, revision)
    assert.is(listed.event.labels.template_name, template, revision)
    assert.is(listed.post.labels.template_name, undefined)
    const labels = (type: string) => Object.entries(listed[type].labels as Record<string, string | null>)
    for (const [name, text] of labels('svc_block'))
      if (/^(?:add|edit|new|search|not_found|items|menu)/.test(name))
        assert.match(text ?? '', new RegExp(block, 'i'), name)
  }
})

types('are refused in the context edit to visitors and to users who may not edit their items', async () => {
  await using site = await serve()
  const [list, listed, page] = await Promise.all([
    site.get('/svc/v2/types?context=edit'),
    site.get('/svc/v2/types?context=edit', as('subscriber')),
    site.get('/svc/v2/types/page?context=edit', as('author')),
  ])
  assert.equal([list.status, listed.status, page.status], [401, 403, 403])
  assert.is((await body(list)).code, 'rest_cannot_view')
  assert.is((await body(page)).code, 'rest_forbidden_context')
})

types('are listed in the context edit only if the user may edit their items', async () => {
  await using site = await serve()
  const listed = await site.json('/svc/v2/types?context=edit', as('author'))
  assert.ok('post' in listed)
  assert.not.ok('page' in listed)
})

types('distinguish an unknown type from one that the REST API does not serve', async () => {
  await using site = await serve()
  const unknown = await site.json('/svc/v2/types/nope')
  const hidden = await site.json('/svc/v2/types/revision')
  assert.is(unknown.code, 'rest_type_invalid')
  assert.is(unknown.data.status, 404)
  assert.is(hidden.code, 'rest_cannot_read_type')
  assert.is(hidden.data.status, 401)
})

types('of a plugin are removed with it', async () => {
  await using site = await serve({ add: [events] })
  const event = await site.json('/svc/v2/types/event')
  assert.is(event.name, 'Events')
  assert.is(event.has_archive, 'calendar')
  assert.equal(event.taxonomies, ['category'])
  assert.equal((await site.json('/svc/v2/taxonomies/category')).types, ['post', 'event'])
  await removePlugin(site.kernel, 'events')
  assert.is((await site.get('/svc/v2/types/event')).status, 404)
  assert.equal((await site.json('/svc/v2/taxonomies/category')).types, ['post'])
})

types('can be changed by another plugin until it is removed', async () => {
  const quiet = definePlugin({
    name: 'quiet-pages',
    needs: ['content-types'],
    apply: ({ services }) => void services.contentTypes.change('page', { show_in_rest: false }),
  })
  await using site = await serve({ add: [quiet] })
  assert.is((await site.get('/svc/v2/types/page')).status, 401)
  await removePlugin(site.kernel, 'quiet-pages')
  assert.is((await site.get('/svc/v2/types/page')).status, 200)
})

types('pass the filter register_post_type_args', async () => {
  const renames = definePlugin({
    name: 'renames',
    needs: ['content-types'],
    apply({ hooks }) {
      hooks.register_post_type_args.tap('renames', (spec, name) =>
        name === 'event' ? { ...spec, label: 'Dates' } : spec,
      )
    },
  })
  await using site = await serve({ add: [renames, events] })
  assert.is((await site.json('/svc/v2/types/event')).name, 'Dates')
})

types('refuse names that are invalid in URLs, and changes to unknown types', async () => {
  await using site = await serve()
  const { contentTypes } = site.kernel.services
  assert.throws(() => contentTypes.register('No Name'), /cannot be named/)
  assert.throws(() => contentTypes.change('nope', {}), /register it first/)
})

types('get defaults for everything but the name', async () => {
  await using site = await serve({ add: [events] })
  const { contentTypes } = site.kernel.services
  const event = contentTypes.get('event')!
  assert.is(event.publicly_queryable, true)
  assert.is(event.map_meta_cap, false)
  assert.is(event.capabilities.edit_others_posts, 'edit_others_events')
  assert.is(event.capabilities.create_posts, 'edit_events')
  assert.equal(event.rewrite, { slug: 'event', with_front: true })
  assert.is(contentTypes.supports('event', 'editor'), true)
  assert.is(contentTypes.supports('event', 'constructor'), false)
  assert.is(contentTypes.supports('nope', 'editor'), false)
})

types('show only the requested fields', async () => {
  await using site = await serve()
  assert.equal(await site.json('/svc/v2/types/post?_fields=slug'), { slug: 'post' })
})

types.run()

const statuses = suite('statuses')

statuses('shows visitors the public statuses only', async () => {
  await using site = await serve()
  const listed = await site.json('/svc/v2/statuses')
  assert.equal(Object.keys(listed), ['publish'])
  assert.equal(listed.publish._links.archives, [{ href: `${site.home}/svc-json/svc/v2/posts` }])
})

statuses('shows writers all statuses that posts can have', async () => {
  await using site = await serve()
  const listed = await site.json('/svc/v2/statuses?context=edit', as('contributor'))
  assert.equal(Object.keys(listed), ['publish', 'future', 'draft', 'pending', 'private', 'trash'])
  assert.is(listed.draft.protected, true)
  assert.is(listed.draft.date_floating, true)
  assert.is(listed.trash.show_in_list, false)
  assert.equal(listed.draft._links.archives, [{ href: `${site.home}/svc-json/svc/v2/posts?status=draft` }])
})

statuses('refuses statuses that the user may not see', async () => {
  await using site = await serve()
  const [draft, inherit, unknown, edit, subscriber] = await Promise.all([
    site.json('/svc/v2/statuses/draft'),
    site.json('/svc/v2/statuses/inherit', as('administrator')),
    site.json('/svc/v2/statuses/nope'),
    site.json('/svc/v2/statuses?context=edit'),
    site.json('/svc/v2/statuses/private', as('subscriber')),
  ])
  assert.equal([draft.code, draft.data.status], ['rest_cannot_read_status', 401])
  assert.equal([inherit.code, inherit.data.status], ['rest_cannot_read_status', 403])
  assert.equal([unknown.code, unknown.data.status], ['rest_status_invalid', 404])
  assert.equal([edit.code, edit.data.status], ['rest_cannot_view', 401])
  assert.equal([subscriber.code, subscriber.data.status], ['rest_cannot_read_status', 403])
})

statuses('includes the statuses of a plugin', async () => {
  const archived = definePlugin({
    name: 'archived',
    needs: ['content-types'],
    apply: ({ services }) => void services.statuses.register('archived', { label: 'Archived', public: true }),
  })
  await using site = await serve({ add: [archived] })
  const status = await site.json('/svc/v2/statuses/archived')
  assert.is(status.name, 'Archived')
  assert.is(status.queryable, true)
})

statuses.run()
