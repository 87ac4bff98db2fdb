import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import CORE_TYPES from '../../../../plugins/rendering/core-blocks/block-types.json' with { type: 'json' }
import { RequestCache } from '../../../../kernel/index.ts'
import { RENDERED } from '../../../../plugins/rendering/core-blocks/rendered.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { query, rendered, renderedOf, template } from '../../../helpers/rendered.ts'
import { serve, type Site } from '../../../helpers/site.ts'
import { addMedia, PHOTO } from '../../content/media/content.ts'
import { RENDERED_LINES, SUPPORTED, type BlockLines } from './attribute-table.ts'
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

/** Stores the content that the blocks of the table show, and returns a function that renders a block in a post. */
async function shownBlocks(site: Site): Promise<(name: string, lines: BlockLines, values: object) => Promise<string>> {
  const { store, kernel } = site
  const { meta, options } = kernel.services
  for (const [id, name] of [
    [1, 'Ada'],
    [2, 'Beth'],
  ] as const) {
    await store.run(store.db.insertInto('users').values({ id, login: name, name, slug: name.toLowerCase() }))
    await meta.write('user', id, 'description', ['Words about the writer'], new RequestCache())
  }
  const term = (name: string, parent = 0, taxonomy = 'category') =>
    addTerm(store, { taxonomy, name, parent_id: parent, count: { Empty: 0, Often: 30 }[name] ?? 3 })
  const [above, tag, second] = [await term('Above'), await term('Tag', 0, 'post_tag'), await term('Often')]
  await term('Below', above)
  await term('Empty')
  const [image, film, other] = await addMedia(
    site,
    {},
    { mime_type: 'video/mp4', file: '2025/01/a.mp4', metadata: { ...PHOTO, width: 640, height: 360, sizes: {} } },
    { mime_type: 'video/mp4', file: '2025/01/b.mp4', metadata: { ...PHOTO, width: 160, height: 90, sizes: {} } },
  )
  const featured = { meta: { _thumbnail_id: image! }, content: 'one two three four', terms: [above] }
  const [first, , third] = await addPosts(
    store,
    { title: 'First', ...featured, date: '2024-04-03 10:00:00' },
    { title: 'Second', ...featured, author_id: 2, terms: [], date: '2024-04-02 10:00:00' },
    { title: 'A third', content: '', date: '2024-04-01 10:00:00' },
  )
  const [reused] = await addPosts(store, { type: 'svc_block', content: 'Reused words' })
  const [parent] = await addPosts(store, { type: 'page', title: 'Parent page' })
  await addPosts(store, { type: 'page', title: 'Child page', parent_id: parent! })
  const date = '2025-06-01 10:00:00'
  const content = `${'many '.repeat(30)}last words of a comment`
  const author = { author_name: 'Visitor', author_url: 'https://visitor.test/' }
  const talk = { type: 'comment', approved: '1', date, date_gmt: date, content, ...author }
  await store.run(store.db.insertInto('comments').values({ ...talk, post_id: third! }))
  await options.set('site_logo', image)
  await options.set('title', 'Site')
  await options.set('description', 'Tagline')
  const ids = { beth: 2, above, tag, film, other, first, reused, parent } as Record<string, number>
  return async (name, { base = {}, inside = '', around = '%' }, values) => {
    const json = JSON.stringify({ ...base, ...values }).replace(/"@(\w+)"/g, (_, one: string) => String(ids[one]))
    const block =
      inside === '' ? `<!-- wp:${name} ${json} /-->` : `<!-- wp:${name} ${json} -->${inside}<!-- /wp:${name} -->`
    const [id] = await addPosts(store, {
      title: 'Around',
      content: around.replace('%', () => block),
      excerpt: 'An excerpt',
      terms: [above, tag, second],
      meta: { _thumbnail_id: image! },
      comment_status: 'open',
      comment_count: 1,
      date: '2024-05-01 10:00:00',
    })
    await store.run(store.db.insertInto('comments').values({ ...talk, post_id: id! }))
    return renderedOf(site, id!)
  }
}

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

attributes('change the HTML of their block as the table says', async () => {
  await using site = await serve()
  const shown = await shownBlocks(site)
  const failed: string[] = []
  for (const [name, block] of Object.entries(RENDERED_LINES)) {
    const plain = await shown(name, block, {})
    for (const [attribute, line] of Object.entries(block.lines)) {
      if (typeof line === 'string') continue
      const [value, expected, more = {}] = line
      const matches = (html: string) => (typeof expected === 'string' ? html.includes(expected) : expected.test(html))
      const html = await shown(name, block, { ...more, [attribute]: value })
      const before = Object.keys(more).length === 0 ? plain : await shown(name, block, more)
      if (!matches(html)) failed.push(`${name}.${attribute}: ${html}`)
      else if (matches(before)) failed.push(`${name}.${attribute} does not matter: ${before}`)
    }
  }
  assert.equal(failed, [])
})

attributes.run()
