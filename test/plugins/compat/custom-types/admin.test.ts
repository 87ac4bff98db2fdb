import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { act, enter, pageOf, sendFields } from '../../../helpers/admin-lists.ts'
import { as, serve } from '../../../helpers/site.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'

const list = '/svc-admin/content-types'
const addType = `${list}/add/type`
const plugins = { 'custom-types': true } as const

/** The fields of a form with a type, as a browser sends them. */
const BOOK = [
  ['do', 'save'],
  ['name', 'book'],
  ['label', 'Books & more'],
  ['singular_label', 'Book'],
  ['labels', 'add_new_item: Add a book: now\nnot_found: None'],
  ['public', '1'],
  ['publicly_queryable', '1'],
  ['show_ui', '1'],
  ['show_in_rest', '1'],
  ['rest_base', 'library/books'],
  ['has_archive', '1'],
  ['rewrite', '1'],
  ['rewrite_slug', 'bücher'],
  ['menu_position', '5'],
  ['supports[]', 'title'],
  ['supports[]', 'editor'],
  ['custom_supports', 'loans'],
  ['taxonomies[]', 'post_tag'],
] as const
const GENRE = [
  ['do', 'save'],
  ['name', 'genre'],
  ['label', 'Genres'],
  ['singular_label', 'Genre'],
  ['public', '1'],
  ['hierarchical', '1'],
  ['show_in_rest', '1'],
  ['object_types[]', 'book'],
  ['object_types[]', 'post'],
] as const
const changed = (name: string, value: string) =>
  BOOK.map((pair) => (pair[0] === name ? ([name, value] as const) : pair))

for (const { name, place } of databases) {
  const types = suite(`content types in the admin on ${name}`)

  types('are added, edited and deleted, and served by the next workers', async () => {
    await using shared = await place()
    const here = async () => ({ ...shared, [Symbol.asyncDispose]: async () => {} })
    {
      await using site = await serveWithUsers(here, { plugins })
      const asked = Promise.withResolvers<string>()
      site.kernel.onRestartRequest = asked.resolve
      const admin = await enter(site, 'admin')
      assert.match(await pageOf(admin, list), 'No content types yet.')
      assert.match(await act(admin, addType, BOOK), 'Saved.')
      assert.is(await asked.promise, 'content types or taxonomies were changed')
      await act(admin, `${list}/add/taxonomy`, GENRE)
      const { options } = site.kernel.services
      const stored = await options.get<Record<string, Record<string, unknown>>>('cptui_post_types')
      const { name: slug, label, public: isPublic, hierarchical, supports, taxonomies, labels } = stored!['book']!
      assert.equal(
        { slug, label, isPublic, hierarchical, supports, taxonomies, labels },
        {
          slug: 'book',
          label: 'Books & more',
          isPublic: 'true',
          hierarchical: 'false',
          supports: ['title', 'editor'],
          taxonomies: ['post_tag'],
          labels: { add_new_item: 'Add a book: now', not_found: 'None' },
        },
      )
    }
    await using site = await serve({ database: shared.url, plugins })
    const book = await site.json('/svc/v2/types/book?context=edit', as('administrator'))
    assert.is(book.rest_base, 'library/books')
    assert.is(book.labels.add_new_item, 'Add a book: now')
    assert.equal(Object.keys(book.supports).sort(), ['autosave', 'editor', 'loans', 'title'])
    assert.equal(book.taxonomies, ['post_tag', 'genre'])
    assert.is((await site.get('/svc/v2/library/books')).status, 200)
    assert.is((await site.get('/svc/v2/genre')).status, 200)
    const admin = await enter(site as never, 'admin')
    const menu = await pageOf(admin, '/svc-admin/')
    assert.ok(menu.indexOf('content/page"') < menu.indexOf('content/book"'))
    assert.ok(menu.indexOf('content/book"') < menu.indexOf('svc-admin/comments"'))
    // Values that the form lacks stay, and the name stays, too.
    const { options } = site.kernel.services
    const before = await options.get<Record<string, object>>('cptui_post_types')
    await options.set('cptui_post_types', { book: { ...before!['book'], capability_type: 'page' } })
    const form = await pageOf(admin, `${list}/type/book`)
    assert.match(form, 'value="Books &#38; more"')
    assert.match(form, /name="name"[^>]*disabled/)
    await act(admin, `${list}/type/book`, changed('label', 'Volumes'))
    const { book: after } = (await options.get<Record<string, Record<string, unknown>>>('cptui_post_types'))!
    assert.equal([after!['name'], after!['label'], after!['capability_type']], ['book', 'Volumes', 'page'])
    await act(admin, list, [
      ['do', 'delete'],
      ['kind', 'taxonomy'],
      ['name', 'genre'],
    ])
    assert.equal(await options.get('cptui_taxonomies'), {})
    assert.is((await admin.open(`${list}/taxonomy/genre`)).status, 404)
  })

  types('are refused with an error at each wrong field, and the form keeps its values', async () => {
    await using site = await serveWithUsers(place, { plugins })
    const admin = await enter(site, 'admin')
    const refusals: readonly (readonly [field: string, value: string, message: RegExp])[] = [
      ['name', 'Not Valid', /not a valid name/],
      ['name', 'post', /A plugin registers the name/],
      ['label', ' ', /Enter a name\./],
      ['rest_base', 'my books', /lower-case letters/],
      ['rest_base', 'posts', /Another route/],
      ['rest_base', 'users', /Another route/],
      ['rewrite_slug', 'a?b', /Use letters/],
      ['menu_position', 'top', /Enter a number\./],
      ['labels', 'no colon', /Begin each line/],
    ]
    for (const [field, value, message] of refusals) {
      const response = await sendFields(admin, addType, changed(field, value))
      const text = await response.text()
      assert.is(response.status, 400, `${field} ${value}`)
      const error = new RegExp(`id="field-${field}-error"[^<]*`).exec(text)?.[0] ?? ''
      assert.match(error, message)
      assert.match(text, new RegExp(`name="${field}"[^>]*aria-describedby="[^"]*field-${field}-error"`))
      assert.match(text, 'value="loans"')
      assert.match(text, /name="rewrite"[^>]*/)
      if (value.trim() !== '') assert.match(text, value)
    }
    const withoutTypes = GENRE.filter(([field]) => field !== 'object_types[]')
    const refused = await sendFields(admin, `${list}/add/taxonomy`, withoutTypes)
    assert.match(await refused.text(), 'Select at least one content type.')
    await act(admin, addType, BOOK)
    const again = await sendFields(admin, addType, BOOK)
    assert.match(await again.text(), 'This name is in use.')
  })

  types('need an administrator and a nonce', async () => {
    await using site = await serveWithUsers(place, { plugins })
    const editor = await enter(site, 'ed')
    for (const path of [list, addType]) assert.is((await editor.open(path)).status, 403)
    assert.is((await editor.send(addType, Object.fromEntries(BOOK))).status, 403)
    const admin = await enter(site, 'admin')
    assert.is((await admin.send(addType, Object.fromEntries(BOOK))).status, 403)
    assert.is(await site.kernel.services.options.get('cptui_post_types'), undefined)
    for (const path of [`${list}/add/other`, `${list}/type/none`]) assert.is((await admin.open(path)).status, 404)
  })

  types.run()
}
