import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestCache } from '../../../../kernel/index.ts'
import { addPosts, addTerm, type TestPost } from '../../../helpers/content.ts'
import { query, renderedOf, template } from '../../../helpers/rendered.ts'
import { serve, type Site } from '../../../helpers/site.ts'

/** Maximum milliseconds and characters of HTML for one post, with a margin for slow machines. */
const TIME = 15_000
const HTML = 12_000_000

async function withPosts(site: Site): Promise<number[]> {
  const term = await addTerm(site.store, { taxonomy: 'category', name: 'News', count: 100 })
  return addPosts(
    site.store,
    ...Array.from({ length: 100 }, (_, at): TestPost => ({
      content: `<!-- wp:paragraph --><p>Words of ${at}</p><!-- /wp:paragraph -->`,
      terms: [term],
      comment_status: 'open',
    })),
  )
}

/** Returns a number of distinct blocks. */
const many = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join('')
const block = (name: string, attributes: object) => `<!-- wp:${name} ${JSON.stringify(attributes)} /-->`

const HUGE = 'x '.repeat(250_000)
const nested = (levels: number, inside: string): string =>
  levels === 0 ? inside : query({ perPage: 100 }, template(nested(levels - 1, inside)))
const TITLE = '<!-- wp:post-title /-->'

/** Content that would be slow or large without limits. */
const BOMBS: Readonly<Record<string, string>> = {
  'lists of posts': many(1000, (at) => block('latest-posts', { postsToShow: at, displayPostContent: true })),
  queries: many(1000, (at) => query({ perPage: at, offset: at, search: `word${at}` }, template(TITLE))),
  'queries of all': many(100, (at) => query({ perPage: 1e9, offset: -at, pages: 1e9 }, template(TITLE.repeat(10)))),
  calendars: many(500, (at) => block('calendar', { month: 1 + (at % 12), year: 1 + at })),
  clouds: many(5000, (at) => block('tag-cloud', { taxonomy: 'category', numberOfTags: at })),
  feeds: many(2000, (at) => block('rss', { feedURL: `http://192.0.2.1/${at}` })),
  'unlike blocks': many(
    5000,
    (at) =>
      ['archives', 'search', 'page-list', 'navigation', 'post-navigation-link', 'breadcrumbs', 'comments'].map((name) =>
        block(name, { className: `c${at}` }),
      )[at % 7]!,
  ),
  'queries in queries': nested(5, TITLE),
  'HTML in queries': nested(3, `<p>${HUGE}</p>`),
  'attributes in queries': nested(2, block('read-more', { content: HUGE })),
  'classes in queries': nested(2, block('post-title', { className: HUGE })),
  'colors for many': `<!-- wp:social-links ${JSON.stringify({ iconColor: HUGE.replaceAll(' ', '') })} -->${block('social-link', { url: 'a.test' }).repeat(5000)}<!-- /wp:social-links -->`,
  'posts in posts': query({ perPage: 100 }, template('<!-- wp:post-content /--><!-- wp:post-excerpt /-->')),
  depth: '<!-- wp:group --><div>'.repeat(5000) + TITLE,
  'queries in themselves': nested(90, TITLE),
}

const costs = suite('rendering costs')

costs('are limited for any content', async () => {
  await using site = await serve({ log: 'error' })
  const [first] = await withPosts(site)
  const { contentRendering: rendering, posts } = site.kernel.services
  const around = (await posts.get(first!, new RequestCache()))!
  // Each post shows all others.
  const shows = `${BOMBS['posts in posts']}<!-- wp:latest-posts {"postsToShow":100,"displayPostContent":true,"displayPostContentRadio":"full_post"} /-->`
  await addPosts(site.store, ...Array.from({ length: 10 }, () => ({ content: shows })))
  for (const [name, content] of Object.entries(BOMBS)) {
    const start = performance.now()
    const html = await rendering.content({ ...around, content })
    const took = performance.now() - start
    assert.ok(took < TIME, `${name}: ${took} ms`)
    assert.ok(html.length < HTML, `${name}: ${html.length} characters`)
  }
  const start = performance.now()
  assert.is((await site.get('/svc/v2/posts?per_page=3')).status, 200)
  assert.ok(performance.now() - start < 3 * TIME)
})

costs('do not grow with the number of equal blocks', async () => {
  await using site = await serve()
  await withPosts(site)
  const { blocks } = site.kernel.services
  const names = blocks
    .all()
    .filter(({ is_dynamic: dynamic }) => dynamic)
    .map(({ name }) => name.replace('core/', ''))
  const one =
    names.map((name) => block(name, {})).join('') + query({}, template(names.map((name) => block(name, {})).join('')))
  const [single, repeated] = await addPosts(
    site.store,
    { title: 'Few', content: one },
    { title: 'Many', content: one.repeat(20) },
  )
  await renderedOf(site, single!)
  const counts: number[] = []
  for (const id of [single!, repeated!]) {
    counts.push((await site.statements(async () => void (await renderedOf(site, id)))).length)
  }
  // Many blocks are rendered in several slices.
  assert.ok(counts[1]! <= counts[0]! + 5, counts.join())
  assert.ok(counts[0]! <= 30, String(counts[0]))
})

costs.run()
