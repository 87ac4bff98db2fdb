import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts, addTerm, type TestPost } from '../../../helpers/content.ts'
import { rendered, renderedOf } from '../../../helpers/rendered.ts'
import { as, serve, serveOn, startOnly } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'

startOnly('content-rendering', 'core-blocks', 'widgets')

const block = (name: string, attributes: object = {}) => `<!-- wp:${name} ${JSON.stringify(attributes)} /-->`

/** Twenty blocks that show data of the site. */
const TWENTY = [
  ['archives', {}],
  ['archives', { type: 'daily', showPostCounts: true }],
  ['archives', { type: 'weekly' }],
  ['archives', { type: 'yearly' }],
  ['archives', { displayAsDropdown: true }],
  ['calendar', { month: 5, year: 2025 }],
  ['categories', {}],
  ['categories', { showHierarchy: true }],
  ['categories', { displayAsDropdown: true }],
  ['latest-comments', { commentsToShow: 100 }],
  ['latest-posts', { postsToShow: 100, displayAuthor: true }],
  ['latest-posts', { postsToShow: 90, displayFeaturedImage: true }],
  ['latest-posts', { postsToShow: 80, displayPostContent: true, displayPostDate: true }],
  ['latest-posts', { postsToShow: 70, displayPostContent: true, displayPostContentRadio: 'full_post' }],
  ['tag-cloud', {}],
  ['tag-cloud', { taxonomy: 'category' }],
  ['search', {}],
  ['site-title', {}],
  ['site-tagline', {}],
  ['site-logo', {}],
] as const

for (const { name, make } of places) {
  const widgets = suite(`widget blocks, ${name}`)

  widgets('use the same number of statements for two posts and for two hundred', async () => {
    await using site = await serveOn(await make())
    const content = TWENTY.map(([one, attributes]) => block(one, attributes)).join('')
    const counts: number[] = []
    for (const many of [2, 200]) {
      const terms: number[] = []
      for (const taxonomy of ['category', 'post_tag'])
        terms.push(await addTerm(site.store, { taxonomy, name: `${taxonomy} ${many}` }))
      const [image] = await addPosts(site.store, { type: 'attachment', status: 'inherit', mime_type: 'image/png' })
      const posts = Array.from({ length: many }, (_, at): TestPost => ({
        title: `Post ${at}`,
        content: '<!-- wp:paragraph --><p>words</p><!-- /wp:paragraph -->',
        date: `2025-05-${String((at % 28) + 1).padStart(2, '0')} 12:00:00`,
        terms,
        meta: { _thumbnail_id: image! },
      }))
      await addPosts(site.store, ...posts)
      const pages = await addPosts(site.store, { type: 'page', content }, { type: 'page', content })
      const [warm, counted] = pages.map((id) => `/svc/v2/pages/${id}?_fields=content.rendered`)
      // Data of the whole site is cached.
      await site.json(warm!)
      counts.push((await site.statements(async () => void (await site.json(counted!)))).length)
    }
    assert.is(counts[1], counts[0])
    assert.ok(counts[0]! < 40)
  })

  widgets('show no unpublished post to any user', async () => {
    await using site = await serveOn(await make())
    const { store } = site
    const hidden = ['draft', 'private', 'trash', 'future', 'pending']
    await addPosts(
      store,
      { title: 'Open', date: '2025-05-05 10:00:00', content: 'open words' },
      { title: 'Shut', date: '2025-05-06 10:00:00', password: 'p', content: 'secret', excerpt: 'secret' },
      ...hidden.map((status): TestPost => ({
        title: 'secret',
        content: 'secret',
        status,
        date: '2031-01-01 10:00:00',
      })),
    )
    const blocks = [
      block('archives', { type: 'daily' }),
      block('archives', { type: 'postbypost' }),
      block('calendar', { month: 1, year: 2031 }),
      block('latest-posts', { displayPostContent: true }),
      block('latest-posts', { displayPostContent: true, displayPostContentRadio: 'full_post' }),
    ].join('')
    const [id] = await addPosts(store, { title: 'Around', content: blocks, date: '2025-06-01 10:00:00' })
    for (const role of ['', 'subscriber', 'administrator']) {
      const html = await renderedOf(site, id!, '', role === '' ? {} : as(role))
      assert.not.match(html, 'secret')
      assert.not.match(html, '/2031/01/01/')
      assert.match(html, 'Protected: Shut')
      assert.match(html, '/2025/05/05/')
    }
  })

  widgets.run()
}

const cached = suite('cached widget blocks')

cached('are rendered again after the data they show has changed', async () => {
  await using site = await serve()
  const [id] = await addPosts(site.store, {
    title: 'Around',
    content: block('latest-posts') + block('categories', { showEmpty: true }) + block('site-title'),
  })
  const shown = () => renderedOf(site, id!)
  assert.not.match(await shown(), 'Newest')
  const write = async (path: string, body: object) => {
    const headers = { ...as('administrator'), 'content-type': 'application/json' }
    const { status } = await site.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.ok(status === 200 || status === 201)
  }
  await write('/svc/v2/posts', { title: 'Newest', status: 'publish' })
  assert.match(await shown(), 'Newest')
  await write('/svc/v2/categories', { name: 'Fresh category' })
  assert.match(await shown(), 'Fresh category')
  await write('/svc/v2/settings', { title: 'Another name' })
  assert.match(await shown(), 'Another name')
})

cached('are limited in time and size if posts include themselves', async () => {
  await using site = await serve()
  const list = block('latest-posts', {
    displayPostContent: true,
    displayPostContentRadio: 'full_post',
    postsToShow: 30,
  })
  const ids = await addPosts(
    site.store,
    ...Array.from({ length: 12 }, (_, at): TestPost => ({ title: `Post ${at}`, content: list.repeat(3) })),
  )
  const start = performance.now()
  const html = await renderedOf(site, ids[0]!)
  assert.match(html, 'Post 11')
  assert.ok(performance.now() - start < 15_000)
  assert.ok(html.length < 30_000_000)
})

cached('show the login state of the requesting user only', async () => {
  await using site = await serve()
  const [id] = await addPosts(site.store, { title: 'Around', content: block('loginout') })
  assert.match(await renderedOf(site, id!, '', as('administrator')), 'Log out')
  assert.match(await renderedOf(site, id!), 'Log in')
  assert.match(await renderedOf(site, id!, '', as('editor')), 'Log out')
  assert.not.match(await renderedOf(site, id!), 'logged-in')
})

cached('escape all attributes', async () => {
  await using site = await serve()
  await addPosts(site.store, { title: 'One' })
  await addTerm(site.store, { taxonomy: 'category', name: 'A term' })
  const evils = [
    '"><script>x()</script>',
    '<img src=x onerror=x()>',
    "' onmouseover='x()",
    'javascript:x()',
    '__proto__',
  ]
  const editor = as('administrator')
  const types = (await site.json('/svc/v2/block-types/core?per_page=100', editor)) as {
    name: string
    is_dynamic: boolean
    attributes: Record<string, { type?: unknown }>
  }[]
  for (const evil of evils) {
    const content = types
      .filter(({ is_dynamic: isDynamic, name }) => isDynamic && name !== 'core/shortcode')
      .map(({ name, attributes }) => {
        const texts = Object.entries(attributes).filter(([, { type }]) => type === 'string' || type === 'rich-text')
        return block(name.slice('core/'.length), Object.fromEntries(texts.map(([attribute]) => [attribute, evil])))
      })
      .join('\n')
    const html = await rendered(site, content)
    assert.not.match(html, /<script|(?:href|src|action)=["']?\s*javascript:/i)
    // It is harmless inside quotes.
    const bare = html.replace(/<[a-z][^<>]*>/gi, (tag) => tag.replace(/"[^"]*"|'[^']*'/g, ''))
    assert.not.match(bare, /<[a-z][^<>]*\son\w+\s*=/i)
    assert.not.match(bare, /<img[^<>]*\ssrc=x/)
  }
})

cached.run()
