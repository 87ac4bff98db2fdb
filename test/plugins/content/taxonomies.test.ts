import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../kernel/index.ts'
import { as, serve } from '../../helpers/site.ts'
import { removePlugin } from '../../helpers/remove-plugin.ts'

const taxonomies = suite('taxonomies')

const genre = definePlugin({
  name: 'genre',
  needs: ['taxonomies'],
  apply({ services }) {
    services.taxonomies.register('genre', ['book', 'post'], {
      label: 'Genres',
      labels: { singular_name: 'Genre' },
      hierarchical: true,
      show_in_rest: true,
    })
  },
})

taxonomies('are listed if the REST API serves them', async () => {
  await using site = await serve()
  const listed = await site.json('/svc/v2/taxonomies')
  assert.equal(listed.post_tag, {
    name: 'Tags',
    slug: 'post_tag',
    description: '',
    types: ['post'],
    hierarchical: false,
    rest_base: 'tags',
    rest_namespace: 'svc/v2',
    _links: {
      collection: [{ href: `${site.home}/svc-json/svc/v2/taxonomies` }],
      'svc:items': [{ href: `${site.home}/svc-json/svc/v2/tags` }],
      curies: [{ name: 'svc', href: 'urn:svc-rest:{rel}', templated: true }],
    },
  })
  assert.is(listed.post_format, undefined)
})

taxonomies('are filtered by content type', async () => {
  await using site = await serve({ add: [genre] })
  assert.equal(Object.keys(await site.json('/svc/v2/taxonomies?type=book')), ['genre'])
  assert.equal(Object.keys(await site.json('/svc/v2/taxonomies?type=post')), ['category', 'post_tag', 'genre'])
  assert.equal(await site.json('/svc/v2/taxonomies?type=nope'), {})
})

taxonomies('show capabilities, labels and visibility to users who may assign terms', async () => {
  await using site = await serve({ add: [genre] })
  const listed = await site.json('/svc/v2/taxonomies?context=edit', as('contributor'))
  assert.is(listed.category.capabilities.edit_terms, 'edit_categories')
  assert.is(listed.category.labels.name_admin_bar, 'category')
  assert.is(listed.post_tag.labels.parent_item, null)
  assert.is(listed.genre.labels.all_items, 'Genres')
  assert.is(listed.genre.visibility.show_ui, true)
  assert.is(listed.nav_menu, undefined)
})

taxonomies('refuse the context edit to users who may not assign terms', async () => {
  await using site = await serve()
  const list = await site.json('/svc/v2/taxonomies?context=edit')
  const one = await site.json('/svc/v2/taxonomies/category?context=edit', as('subscriber'))
  assert.equal([list.code, list.data.status], ['rest_cannot_view', 401])
  assert.equal([one.code, one.data.status], ['rest_forbidden_context', 403])
})

taxonomies('distinguish an unknown taxonomy from one that the REST API does not serve', async () => {
  await using site = await serve()
  const unknown = await site.json('/svc/v2/taxonomies/nope')
  const hidden = await site.json('/svc/v2/taxonomies/post_format')
  assert.equal([unknown.code, unknown.data.status], ['rest_taxonomy_invalid', 404])
  assert.equal([hidden.code, hidden.data.status], ['rest_forbidden', 401])
})

taxonomies('can be attached to a content type before or after either is registered', async () => {
  const shelf = definePlugin({
    name: 'shelf',
    needs: ['taxonomies', 'content-types'],
    apply({ services }) {
      services.taxonomies.attach('shelf', 'page')
      services.taxonomies.register('shelf', [], { show_in_rest: true })
    },
  })
  await using site = await serve({ add: [shelf] })
  assert.equal((await site.json('/svc/v2/types/page')).taxonomies, ['shelf'])
  await removePlugin(site.kernel, 'shelf')
  assert.equal((await site.json('/svc/v2/types/page')).taxonomies, [])
})

taxonomies('have the object types that fields and hooks use', async () => {
  await using site = await serve({ add: [genre] })
  const registry = site.kernel.services.taxonomies
  assert.equal(
    registry.exposed().map(({ objectType }) => objectType),
    ['category', 'tag', 'nav_menu', 'svc_pattern_category', 'genre'],
  )
})

taxonomies('can be changed by a plugin, and refuse invalid specifications', async () => {
  await using site = await serve()
  const registry = site.kernel.services.taxonomies
  const changed = registry.change('post_tag', { label: 'Keywords' })
  assert.is(changed.label, 'Keywords')
  assert.equal(registry.typesOf('post_tag'), ['post'])
  assert.throws(() => registry.change('nope', {}), /register it first/)
  assert.throws(() => registry.register('No Name', 'post'), /cannot be named/)
})

taxonomies.run()
