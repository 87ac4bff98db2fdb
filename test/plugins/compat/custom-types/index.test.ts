import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { writePhp } from '../../../../plugins/compat/php-values.ts'
import type { Store } from '../../../../plugins/storage/store/index.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { as, serve } from '../../../helpers/site.ts'
import { filePlace, kindsOf, postgresPlace } from '../../../helpers/stores.ts'

const customTypes = suite('custom types')

const PLUGINS = { 'custom-types': true } as const

const BOOK = {
  name: 'book',
  label: 'Books',
  singular_label: 'Book',
  public: 'true',
  show_in_rest: 'true',
  rest_base: 'books',
  has_archive: 'true',
  has_archive_string: 'library',
  hierarchical: 'false',
  rewrite: 'true',
  rewrite_slug: 'library',
  menu_icon: 'dashicons-book',
  supports: ['title', 'editor'],
  custom_supports: 'shelf-marks, loans',
  taxonomies: ['post_tag'],
  labels: { add_new_item: 'Add a book', edit_item: '' },
}
const NOTE = { ...BOOK, name: 'secret_note', label: 'Notes', show_in_rest: 'false', rest_base: '' }
const GENRE = {
  name: 'genre',
  label: 'Genres',
  public: 'true',
  hierarchical: 'true',
  show_in_rest: 'true',
  rest_base: 'genres',
  rest_namespace: '',
  show_in_quick_edit: '',
  object_types: ['book'],
}

const kinds = kindsOf([{ name: 'SQLite', make: filePlace }], (server) => ({
  name: 'PostgreSQL',
  make: () => postgresPlace(server),
}))

/** Stores options and posts on a site, whose next start reads them. */
async function prepare(
  url: string,
  options: Readonly<Record<string, unknown>>,
  work?: (store: Store) => Promise<void>,
) {
  await using site = await serve({ database: url, plugins: PLUGINS })
  for (const [name, value] of Object.entries(options)) await site.kernel.services.options.set(name, value)
  await work?.(site.store)
}

/** Stores a post with a definition of Advanced Custom Fields. */
const addDefinition = (store: Store, type: string, settings: unknown, status = 'publish') =>
  addPosts(store, { type, status, title: `A ${type}`, content: writePhp(settings) })

for (const { name, make } of kinds) {
  customTypes(`serve types and taxonomies of Custom Post Type UI, on ${name}`, async () => {
    await using place = await make()
    await prepare(place.url, {
      cptui_post_types: { book: BOOK, secret_note: NOTE },
      cptui_taxonomies: { genre: GENRE },
    })
    await using site = await serve({ database: place.url, plugins: PLUGINS })
    const book = await site.json('/svc/v2/types/book?context=edit', as('administrator'))
    assert.is(book.name, 'Books')
    assert.is(book.has_archive, 'library')
    assert.is(book.icon, 'dashicons-book')
    assert.is(book.labels.add_new_item, 'Add a book')
    assert.is(book.labels.edit_item, 'Edit Post')
    assert.equal(Object.keys(book.supports).sort(), ['autosave', 'editor', 'loans', 'shelf-marks', 'title'])
    assert.equal(book.taxonomies, ['post_tag', 'genre'])
    assert.is((await site.get('/svc/v2/types/secret_note', as('administrator'))).status, 403)
    const genre = await site.json('/svc/v2/taxonomies/genre?context=edit', as('administrator'))
    assert.is(genre.rest_namespace, null)
    assert.is(genre.visibility.show_in_quick_edit, false)
    assert.match(genre._links['svc:items'][0].href, '/svc/v2/genres')
    assert.is((await site.get('/svc/v2/genres')).status, 200)
    const [id] = await addPosts(site.store, { type: 'book', title: 'One', slug: 'one' })
    assert.is((await site.json(`/svc/v2/books/${id}`)).link, `${site.home}/library/one/`)
  })

  customTypes(`serve types and taxonomies of Advanced Custom Fields, on ${name}`, async () => {
    await using place = await make()
    const recipe = {
      post_type: 'recipe',
      labels: { name: 'Recipes', singular_name: 'Recipe' },
      public: true,
      show_in_rest: true,
      rest_base: 'recipes',
      rest_namespace: 'wp/v2',
      supports: ['title'],
      has_archive: true,
      has_archive_slug: 'all-recipes',
      rewrite: { permalink_rewrite: 'custom_permalink', slug: 'dish', with_front: true },
    }
    const cuisine = {
      taxonomy: 'cuisine',
      object_type: ['recipe'],
      labels: { name: 'Cuisines', singular_name: 'Cuisine' },
      hierarchical: true,
      show_in_rest: true,
      rest_base: 'cuisines',
      capabilities: { manage_terms: 'manage_options' },
      default_term: { default_term_enabled: true, default_term_name: 'Other', default_term_slug: 'other' },
    }
    await prepare(place.url, {}, async (store) => {
      await addDefinition(store, 'acf-post-type', recipe)
      await addDefinition(store, 'acf-post-type', { ...recipe, post_type: 'old_recipe' }, 'acf-disabled')
      await addDefinition(store, 'acf-taxonomy', cuisine)
      await addPosts(store, { type: 'acf-post-type', content: 'not serialized' })
    })
    await using site = await serve({ database: place.url, plugins: PLUGINS, log: 'error' })
    const types = await site.json('/svc/v2/types')
    assert.is(types.recipe.has_archive, 'all-recipes')
    assert.is(types.recipe.rest_namespace, 'svc/v2')
    assert.equal(types.recipe.taxonomies, ['cuisine'])
    assert.not('old_recipe' in types)
    const edited = await site.json('/svc/v2/taxonomies/cuisine?context=edit', as('administrator'))
    assert.is(edited.capabilities.manage_terms, 'manage_options')
    const created = await site.request('/svc/v2/recipes', {
      method: 'POST',
      headers: { ...as('administrator'), 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Soup', slug: 'soup', status: 'publish' }),
    })
    const soup = (await created.json()) as { link: string; cuisines: number[] }
    assert.is(soup.link, `${site.home}/dish/soup/`)
    const [term] = await site.json('/svc/v2/cuisines')
    assert.equal([soup.cuisines, term.slug], [[term.id], 'other'])
  })

  customTypes(`derive drafts of undefined types, which the owner confirms, on ${name}`, async () => {
    await using place = await make()
    await prepare(place.url, {}, async (store) => {
      const genre = await addTerm(store, { taxonomy: 'style', name: 'Bold' })
      const [parent] = await addPosts(store, { type: 'case_study', title: 'One', content: 'Text', terms: [genre] })
      await addPosts(store, { type: 'case_study', title: 'Two', parent_id: parent! })
      await addPosts(store, { type: 'acf-field-group', title: 'Group' }, { type: 'revision', title: 'R' })
      await addPosts(store, { type: 'post', title: 'A post' })
    })
    {
      await using site = await serve({ database: place.url, plugins: PLUGINS })
      const { customTypes: service } = site.kernel.services
      const drafts = await service.drafts()
      assert.equal(
        drafts.map(({ kind, name: draft, count }) => [kind, draft, count]),
        [
          ['type', 'case_study', 2],
          ['taxonomy', 'style', 1],
        ],
      )
      assert.is(drafts[0]!.values['label'], 'Case study')
      assert.is(drafts[0]!.values['hierarchical'], 'true')
      assert.equal(drafts[1]!.values['object_types'], ['case_study'])
      assert.is((await site.get('/svc/v2/types/case_study')).status, 404)
      await service.confirm(['case_study', 'style'])
      assert.equal([...(await service.stored('type')).keys()], ['case_study'])
    }
    await using site = await serve({ database: place.url, plugins: PLUGINS })
    assert.equal(await site.kernel.services.customTypes.drafts(), [])
    const studies = await site.json('/svc/v2/case_study?orderby=title&order=asc')
    assert.equal(
      studies.map(({ title, style }: { title: { rendered: string }; style: number[] }) => [
        title.rendered,
        style.length,
      ]),
      [
        ['One', 1],
        ['Two', 0],
      ],
    )
  })
}

customTypes('ask for new workers when a definition changes', async () => {
  await using site = await serve({ plugins: PLUGINS })
  const asked = Promise.withResolvers<string>()
  site.kernel.onRestartRequest = asked.resolve
  await site.kernel.services.customTypes.save('type', 'event', { label: 'Events' })
  assert.is(await asked.promise, 'content types or taxonomies were changed')
})

customTypes('leave out definitions whose names a plugin has or that are invalid', async () => {
  await using place = await filePlace()
  await prepare(place.url, {
    cptui_post_types: {
      post: { ...BOOK, name: 'post', label: 'Mine' },
      'Not Valid': { ...BOOK, label: 'Wrong' },
      shelf: { ...BOOK, name: 'shelf', rest_base: 'shelves', rewrite_slug: 'shelf' },
    },
  })
  await using site = await serve({ database: place.url, plugins: PLUGINS, log: 'error' })
  const types = await site.json('/svc/v2/types')
  assert.is(types.post.name, 'Posts')
  assert.is(types.shelf.name, 'Books')
  const { customTypes: service } = site.kernel.services
  const refused = async (name: string) =>
    service.save('type', name, BOOK).then(
      () => 'saved',
      ({ message }: Error) => message,
    )
  assert.match(await refused('post'), 'A plugin registers the name "post"')
  assert.match(await refused('No'), '"No" is not a valid name')
  await service.remove('type', 'shelf')
  assert.not((await service.stored('type')).has('shelf'))
})

customTypes('let only administrators hide the advertisement', async () => {
  await using site = await serve({ plugins: PLUGINS })
  const send = (headers = {}) => site.request('/cptui/v1/dismiss-pro-upsell', { method: 'POST', headers })
  assert.is((await send()).status, 401)
  assert.is((await send(as('editor'))).status, 403)
  assert.equal(await (await send(as('administrator'))).json(), { dismissed: true })
})

customTypes.run()
