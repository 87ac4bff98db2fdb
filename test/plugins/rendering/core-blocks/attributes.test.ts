import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import CORE_TYPES from '../../../../plugins/rendering/core-blocks/block-types.json' with { type: 'json' }
import { RENDERED } from '../../../../plugins/rendering/core-blocks/rendered.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { query, rendered, template } from '../../../helpers/rendered.ts'
import { serve } from '../../../helpers/site.ts'
import { SUPPORTED } from './attribute-lines.ts'
import { RENDERED_LINES } from './attribute-table.ts'
import { STORED_LINES } from './static-attributes.ts'

const attributes = suite('attributes of blocks')

/** The core block types of 7.1, with their attributes. */
const TYPES = CORE_TYPES as unknown as Readonly<
  Record<string, { attributes?: object; supports?: { typography?: { textAlign?: boolean } } }>
>

const block = (name: string, values: object) => `<!-- wp:${name} ${JSON.stringify(values)} /-->`

/** Without titles, dates and counts, which change with each stored post. */
const withoutLists = (html: string) => html.replace(/>[^<]+</g, '><').replace(/(?:href|datetime|src)="[^"]*"/g, '')

attributes('align texts with textAlign, as an attribute and as a style', async () => {
  await using site = await serve()
  const { options } = site.kernel.services
  await options.set('title', 'Site')
  await options.set('description', 'Tagline')
  await site.store.run(site.store.db.insertInto('users').values({ id: 1, login: 'ada', name: 'Ada', slug: 'ada' }))
  const category = await addTerm(site.store, { taxonomy: 'category', name: 'News' })
  await addPosts(site.store, { title: 'Before', date: '2020-01-01 00:00:00' })
  for (const [name, more] of [
    ['post-title', {}],
    ['post-date', {}],
    ['post-excerpt', {}],
    ['post-author', {}],
    ['post-author-name', {}],
    ['post-navigation-link', { type: 'previous' }],
    ['post-time-to-read', {}],
    ['site-title', {}],
    ['site-tagline', {}],
    ['post-terms', { term: 'category' }],
    ['read-more', {}],
    ['loginout', {}],
  ] as const) {
    const post = { excerpt: 'An excerpt', content: '', terms: [category] }
    const first = (html: string) => /^\s*<[^>]*>/.exec(html)?.[0] ?? ''
    const plain = first(await rendered(site, block(name, more), post))
    assert.is.not(plain, '', name)
    const old = first(await rendered(site, block(name, { ...more, textAlign: 'right' }), post))
    assert.match(old, /class="[^"]*\bhas-text-align-right\b/, name)
    const style = { typography: { textAlign: 'center' } }
    if (TYPES[name]!.supports?.typography?.textAlign === true)
      assert.match(
        first(await rendered(site, block(name, { ...more, style }), post)),
        /class="[^"]*\bhas-text-align-center\b/,
        name,
      )
    const evil = first(await rendered(site, block(name, { ...more, textAlign: '"><b>' }), post))
    assert.is(evil, plain, name)
  }
})

attributes('that hold a number accept the number as a text, also inside of objects', async () => {
  await using site = await serve()
  await addPosts(site.store, ...Array.from({ length: 8 }, (_, at) => ({ title: `Post ${at}` })))
  const items = async (values: Record<string, unknown>) => {
    const html = await rendered(site, query(values, template('<!-- wp:post-title /-->')))
    return html.match(/<h2/g) ?? []
  }
  for (const values of [
    { perPage: 2 },
    { perPage: 3, offset: 2 },
    { perPage: 2, pages: 1 },
    { perPage: 1, offset: 3 },
  ]) {
    const texts = JSON.parse(JSON.stringify(values), (_, value: unknown) =>
      typeof value === 'number' ? String(value) : value,
    ) as object
    assert.equal(await items({ ...texts }), await items(values), JSON.stringify(values))
  }
  assert.is((await items({ perPage: '2' })).length, 2)
  for (const wrong of ['x', '', '2x', '0x2', '1e999', 'NaN', 'Infinity'])
    assert.ok((await items({ perPage: wrong })).length > 2, wrong)
  for (const [name, values] of [
    ['latest-posts', { postsToShow: 2, excerptLength: 3, displayPostContent: true }],
    ['archives', { showPostCounts: true }],
    ['tag-cloud', { numberOfTags: 3, smallestFontSize: 7, largestFontSize: 9 }],
    ['site-title', { level: 3 }],
    ['avatar', { size: 17 }],
  ] as const) {
    const texts = JSON.parse(JSON.stringify(values), (_, value: unknown) =>
      typeof value === 'number' ? String(value) : value,
    ) as object
    assert.is(
      withoutLists(await rendered(site, block(name, texts))),
      withoutLists(await rendered(site, block(name, values))),
      name,
    )
  }
})

attributes('lay out newest posts as a grid, also in content from before layouts', async () => {
  await using site = await serve()
  const shown = (values: object) => rendered(site, block('latest-posts', values))
  assert.match(
    await shown({ postLayout: 'grid' }),
    /^<ul class="wp-block-latest-posts__list is-grid wp-block-latest-posts/,
  )
  assert.match(
    await shown({ postLayout: 'grid', columns: 5, displayPostDate: true }),
    /__list is-grid columns-5 has-dates /,
  )
  assert.not.match(await shown({ postLayout: 'list', columns: 5 }), /is-grid|columns-/)
})

attributes('are all named in the table, with their effect or the reason for having none', () => {
  const names = new Set([...Object.keys(RENDERED_LINES), ...Object.keys(STORED_LINES)])
  assert.equal([...names].toSorted(), Object.keys(TYPES).toSorted())
  assert.equal(Object.keys(RENDERED_LINES).toSorted(), [...RENDERED].toSorted())
  for (const [name, { attributes: declared = {} }] of Object.entries(TYPES)) {
    const reasons = Object.values(STORED_LINES[name] ?? {}).flatMap((one) => one.split(' '))
    const listed = [...Object.keys(RENDERED_LINES[name]?.lines ?? {}), ...reasons]
    const own = Object.keys(declared).filter((one) => listed.includes(one) || !SUPPORTED.has(one))
    assert.equal(listed.toSorted(), own.toSorted(), name)
  }
})

attributes.run()
