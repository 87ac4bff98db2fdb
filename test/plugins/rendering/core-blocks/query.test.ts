import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts, addTerm, type TestPost } from '../../../helpers/content.ts'
import { query, rendered, renderedOf, template } from '../../../helpers/rendered.ts'
import { as, serve, serveOn, type Site, startOnly } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'

startOnly('content-rendering', 'core-blocks')

const TITLE = '<!-- wp:post-title /-->'

/** Returns the rendered titles in order. */
const titles = (html: string) => [...html.matchAll(/<h2[^>]*>(.*?)<\/h2>/g)].map(([, title]) => title)

const ordered = { orderBy: 'title', order: 'asc', perPage: 50 }

for (const { name, make } of places) {
  const queries = suite(`query blocks, ${name}`)

  queries('list public posts only, for every user', async () => {
    await using site = await serveOn(await make())
    await addPosts(
      site.store,
      { title: 'Open' },
      { title: 'Shut', password: 'word', content: 'secret words', excerpt: 'secret words' },
      { title: 'Draft', status: 'draft' },
      { title: 'Private', status: 'private' },
      { title: 'Later', status: 'future', date: '2999-01-01 00:00:00' },
      { title: 'Gone', status: 'trash' },
    )
    const inside = template(`${TITLE}<!-- wp:post-content /--><!-- wp:post-excerpt /-->`)
    const [id] = await addPosts(site.store, {
      title: 'Query',
      content: query({ ...ordered, excludeCurrent: true }, inside),
    })
    for (const role of ['', 'subscriber', 'administrator']) {
      const html = await renderedOf(site, id!, '', role === '' ? {} : as(role))
      assert.equal(titles(html), ['Open', 'Protected: Shut'])
      assert.not.match(html, 'secret')
    }
  })

  queries('filter by terms, authors, parents, search words and sticky posts', async () => {
    await using site = await serveOn(await make())
    const news = await addTerm(site.store, { taxonomy: 'category', name: 'News' })
    const old = await addTerm(site.store, { taxonomy: 'category', name: 'Old' })
    const [a, b] = await addPosts(
      site.store,
      { title: 'A', terms: [news] },
      { title: 'B', terms: [news, old], author_id: 7 },
      { title: 'C needle' },
    )
    await site.kernel.services.options.set('sticky_posts', [a])
    const shown = async (attributes: Record<string, unknown>) =>
      titles(await rendered(site, query({ ...ordered, ...attributes }, template(TITLE)))).filter(
        (title) => title !== 'Around',
      )
    assert.equal(await shown({ taxQuery: { category: [news] } }), ['A', 'B'])
    assert.equal(await shown({ categoryIds: [old] }), ['B'])
    assert.equal(await shown({ taxQuery: { include: { category: [news] }, exclude: { category: [old] } } }), ['A'])
    assert.equal(await shown({ taxQuery: { category: [999_999] } }), [])
    assert.equal(await shown({ author: '7' }), ['B'])
    assert.equal(await shown({ search: 'needle' }), ['C needle'])
    assert.equal(await shown({ sticky: 'only' }), ['A'])
    assert.is((await shown({ sticky: 'exclude' })).includes('A'), false)
    assert.is((await shown({ order: 'desc' }))[0], 'A')
    assert.equal(await shown({ exclude: [a, b], search: 'needle' }), ['C needle'])
  })

  queries('use the same number of statements for two posts and for a hundred', async () => {
    await using site = await serveOn(await make())
    const inside = template(
      '<!-- wp:post-title {"isLink":true} /--><!-- wp:post-author /--><!-- wp:post-author-biography /-->' +
        '<!-- wp:avatar /--><!-- wp:post-date {"isLink":true} /--><!-- wp:post-terms {"term":"category"} /-->' +
        '<!-- wp:post-excerpt /--><!-- wp:post-featured-image {"isLink":true} /--><!-- wp:post-content /-->' +
        '<!-- wp:post-comments-count /--><!-- wp:post-comments-link /--><!-- wp:read-more /-->' +
        '<!-- wp:post-time-to-read /--><!-- wp:breadcrumbs /--><!-- wp:comments --><div><!-- wp:comment-template -->' +
        '<!-- wp:comment-author-name /--><!-- wp:comment-content /--><!-- wp:comment-date /-->' +
        '<!-- /wp:comment-template --></div><!-- /wp:comments -->',
    )
    const [small, large] = await addPosts(
      site.store,
      { title: 'Few', content: query({ perPage: 2, sticky: 'exclude' }, inside) },
      { title: 'Many', content: query({ perPage: 100, sticky: 'exclude' }, inside) },
    )
    const terms = [
      await addTerm(site.store, { taxonomy: 'category', name: 'One' }),
      await addTerm(site.store, { taxonomy: 'category', name: 'Two' }),
    ]
    const images = await addPosts(
      site.store,
      ...Array.from({ length: 5 }, (): TestPost => ({ type: 'attachment', status: 'inherit', mime_type: 'image/png' })),
    )
    const posts = await addPosts(
      site.store,
      ...Array.from({ length: 110 }, (_, at): TestPost => ({
        content: '<!-- wp:paragraph --><p>words</p><!-- /wp:paragraph -->',
        date: `2025-05-${String((at % 28) + 1).padStart(2, '0')} 12:00:00`,
        terms: [terms[at % 2]!],
        meta: { _thumbnail_id: images[at % 5]! },
        comment_status: 'open',
        comment_count: 1,
      })),
    )
    await addComments(site, posts)
    // The total number of posts is counted once.
    await rendered(site, query({ perPage: 1, sticky: 'exclude' }, template(TITLE)))
    const counts: number[] = []
    for (const id of [small!, large!]) {
      const statements = await site.statements(async () => void (await renderedOf(site, id)))
      counts.push(statements.length)
    }
    assert.is(counts[0], counts[1])
    assert.ok(counts[0]! <= 12)
    const html = await renderedOf(site, large!)
    assert.is(html.match(/<li class="wp-block-post /g)?.length, 100)
    assert.is(html.match(/<p>Well said\.<\/p>/g)?.length, 100)
  })

  queries.run()
}

const pages = suite('query block pages')

pages('are selected by the URL, and link to each other', async () => {
  await using site = await serve()
  await addPosts(site.store, ...['A', 'B', 'C', 'D', 'E'].map((title) => ({ title })))
  const links =
    '<!-- wp:query-pagination {"paginationArrow":"chevron","showLabel":false} --><!-- wp:query-pagination-previous /-->' +
    '<!-- wp:query-pagination-numbers /--><!-- wp:query-pagination-next /--><!-- /wp:query-pagination -->' +
    '<!-- wp:query-total {"displayType":"range-display"} /-->'
  const attributes = { orderBy: 'title', order: 'asc', perPage: 2, sticky: 'exclude', excludeCurrent: true }
  const [id] = await addPosts(site.store, { title: 'Pages', content: query(attributes, `${template(TITLE)}${links}`) })
  const first = await renderedOf(site, id!)
  assert.equal(titles(first), ['A', 'B'])
  assert.match(first, /aria-label="Next Page"/)
  assert.match(first, 'Displaying 1 – 2 of 5')
  const second = await renderedOf(site, id!, '&query-1-page=2&x=%22%3E%3Cb%3E')
  assert.equal(titles(second), ['C', 'D'])
  assert.match(second, /href="\?cst&#038;_fields=content.rendered&#038;x=%22%3E%3Cb%3E"/)
  assert.match(second, 'query-pagination-previous')
  assert.not.match(second, '<b>')
  const last = await renderedOf(site, id!, '&query-1-page=3')
  assert.equal(titles(last), ['E'])
  assert.not.match(last, 'query-pagination-next"')
  for (const page of ['4', '-1', 'x', '1e9', '99999999999999999999'])
    assert.type(await renderedOf(site, id!, `&query-1-page=${page}`), 'string')
  assert.equal(titles(await renderedOf(site, id!)), ['A', 'B'])
})

pages('have at most a hundred posts, and at most the requested number', async () => {
  await using site = await serve()
  await addPosts(site.store, ...Array.from({ length: 120 }, (_, at) => ({ title: `T${at}` })))
  const count = async (attributes: Record<string, unknown>) =>
    titles(await rendered(site, query({ sticky: 'exclude', ...attributes }, template(TITLE)))).length
  assert.is(await count({ perPage: 1000 }), 100)
  assert.is(await count({ perPage: -1 }), 100)
  assert.is(await count({ perPage: 5, offset: 119 }), 4)
})

pages('show the no-results block without results, and find no hidden posts with bad attributes', async () => {
  await using site = await serve()
  const none =
    '<!-- wp:query-no-results --><!-- wp:paragraph --><p>None</p><!-- /wp:paragraph --><!-- /wp:query-no-results -->'
  for (const attributes of [
    { search: 'nothing at all' },
    { postType: 'svc_block' },
    { postType: 'revision' },
    { postType: ['svc_template', '__proto__'] },
    { postType: 12 },
    { inherit: true },
  ]) {
    const html = await rendered(site, query({ excludeCurrent: true, ...attributes }, `${template(TITLE)}${none}`))
    assert.match(html, 'None')
    assert.not.match(html, '<li')
  }
  const odd = {
    taxQuery: { __proto__: [1], constructor: [2] },
    orderBy: 'constructor',
    order: {},
    author: ['x'],
    exclude: 'a,b',
  }
  assert.match(await rendered(site, query(odd, template(TITLE))), '<li')
})

pages('of nested queries are limited in time and size', async () => {
  await using site = await serve()
  const nested = (levels: number): string =>
    query(
      { perPage: 100, sticky: 'exclude' },
      template(levels === 0 ? '<!-- wp:post-content /-->' : nested(levels - 1)),
    )
  await addPosts(site.store, ...Array.from({ length: 30 }, () => ({ content: nested(0) })))
  const started = performance.now()
  const html = await rendered(site, nested(4))
  assert.ok(performance.now() - started < 15_000)
  assert.ok(html.length < 20_000_000)
})

pages.run()

const terms = suite('term blocks')

terms('render their inner blocks for each term', async () => {
  await using site = await serve()
  const parent = await addTerm(site.store, {
    taxonomy: 'category',
    name: 'Big <b>',
    count: 2,
    description: 'About "it"',
  })
  await addTerm(site.store, { taxonomy: 'category', name: 'Small', count: 1, parent_id: parent })
  await addTerm(site.store, { taxonomy: 'category', name: 'Unused' })
  const inside =
    '<!-- wp:term-name {"isLink":true,"level":3} /--><!-- wp:term-count {"bracketType":"square"} /--><!-- wp:term-description /-->'
  const show = (termQuery: object) =>
    rendered(
      site,
      `<!-- wp:terms-query ${JSON.stringify({ termQuery: { taxonomy: 'category', perPage: 10, ...termQuery } })} -->` +
        `<div class="wp-block-terms-query"><!-- wp:term-template -->${inside}<!-- /wp:term-template --></div><!-- /wp:terms-query -->`,
    )
  const html = await show({ hideEmpty: true })
  assert.match(
    html,
    /<li class="wp-block-term term-\d+"><h3 class="wp-block-term-name"><a href="[^"]+">Big &lt;b&gt;<\/a><\/h3>/,
  )
  assert.match(html, '<div class="wp-block-term-count">[2]</div>')
  assert.match(html, /<div class="wp-block-term-description"><p>About/)
  assert.not.match(html, 'Small')
  assert.not.match(html, 'Unused')
  assert.match(await show({ showNested: true }), 'Small')
  assert.is((await show({ taxonomy: 'nav_menu' })).includes('<li'), false)
})

terms.run()

async function addComments({ store }: Site, posts: readonly number[]): Promise<void> {
  const date = '2025-06-01 10:00:00'
  for (const post_id of posts) {
    const comment = { post_id, author_name: 'Visitor', content: 'Well said.', approved: '1', type: 'comment' }
    await store.run(store.db.insertInto('comments').values({ ...comment, date, date_gmt: date }))
  }
}
