import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { filePlace } from '../../../helpers/stores.ts'

const heads = suite('heads of pages for search engines and social networks')

interface Graph {
  '@graph': readonly Record<string, unknown>[]
}

/** Returns the head of a page: its meta elements by name or property, and its structured data by type. */
async function headOf(site: SiteWithUsers, path: string) {
  const html = await (await fetch(`${site.home}${path}`)).text()
  const metas = new Map(
    [...html.matchAll(/<meta (?:name|property)="([^"]+)" content="([^"]*)"/g)].map(([, name, content]) => [
      name,
      content,
    ]),
  )
  const graphs = [...html.matchAll(/<script type="application\/ld\+json">([^<]*)<\/script>/g)].map(
    ([, json]) => JSON.parse(json!) as Graph,
  )
  const nodes = new Map(graphs.flatMap((graph) => graph['@graph']).map((node) => [node['@type'], node]))
  return { html, metas, graphs, nodes }
}

heads('describe the site, the article and the path to it, once', async () => {
  await using site = await serveWithUsers(filePlace)
  await site.kernel.services.options.set('title', 'Garden &amp; sea')
  const [plants, roses] = [
    await addTerm(site.store, { taxonomy: 'category', name: 'Plants', count: 1 }),
    await addTerm(site.store, { taxonomy: 'category', name: 'Roses </script>', slug: 'roses' }),
  ]
  await site.store.run(site.store.db.updateTable('terms').set({ parent_id: plants }).where('id', '=', roses))
  const [, above] = await addPosts(
    site.store,
    { title: 'Red', slug: 'red', terms: [roses], date: '2024-05-06 10:00:00', author_id: site.users.ann },
    { title: 'Team', slug: 'team', type: 'page' },
  )
  await addPosts(site.store, { title: 'Ann', slug: 'ann', type: 'page', parent_id: above! })
  const { graphs, nodes } = await headOf(site, '/2024/05/06/red/')
  assert.is(graphs.length, 1)
  assert.equal([...nodes.keys()], ['WebSite', 'Organization', 'Article', 'BreadcrumbList'])
  assert.is(nodes.get('WebSite')!['name'], 'Garden & sea')
  const { headline, author, datePublished } = nodes.get('Article') as Record<string, unknown>
  assert.is(headline, 'Red')
  assert.is((author as { name: string }).name, 'ANN Writer')
  assert.is(datePublished, '2024-05-06T10:00:00+00:00')
  const trailOf = (found: typeof nodes) =>
    (found.get('BreadcrumbList')?.['itemListElement'] as { name: string; item: string }[] | undefined)?.map(
      ({ name }) => name,
    )
  assert.equal(trailOf(nodes), ['Home', 'Plants', 'Roses </script>', 'Red'])
  const page = await headOf(site, '/team/ann/')
  assert.equal(trailOf(page.nodes), ['Home', 'Team', 'Ann'])
  assert.ok(page.nodes.has('WebPage'))
  assert.equal(trailOf((await headOf(site, '/category/plants/roses/')).nodes), ['Home', 'Plants', 'Roses </script>'])
  for (const path of ['/', '/2024/']) assert.is(trailOf((await headOf(site, path)).nodes), undefined, path)
  assert.is((await headOf(site, '/nothing/')).graphs.length, 0)
})

heads('show the featured image, the first image of the content, or the logo of the site', async () => {
  await using site = await serveWithUsers(filePlace)
  const [featured, logo] = await addPosts(
    site.store,
    ...['featured', 'logo'].map((name) => ({
      title: name,
      type: 'attachment',
      status: 'inherit',
      mime_type: 'image/png',
      meta: { _attached_file: `2024/${name}.png` },
    })),
  )
  const content =
    '<p><img src="/smiley.png" width="16" alt=":)" /><img src=\'/a.png?b=1&amp;c=2\' width="900" alt="A" /></p>'
  await addPosts(
    site.store,
    { title: 'Featured', content, meta: { _thumbnail_id: featured! } },
    { title: 'Within', content },
    { title: 'None', content: '<p>Text.</p>' },
    { title: 'Closed', content, password: 'word' },
  )
  const imageOn = async (slug: string) => {
    const [post] = (await site.json(`/svc/v2/posts?slug=${slug}`)) as [{ link: string }]
    const { metas } = await headOf(site, new URL(post.link).pathname)
    return [metas.get('og:image')?.replace(site.home, ''), metas.get('twitter:card')]
  }
  assert.equal(await imageOn('none'), [undefined, 'summary'])
  await site.kernel.services.options.set('site_logo', logo!)
  assert.equal(await imageOn('featured'), ['/uploads/2024/featured.png', 'summary_large_image'])
  assert.equal(await imageOn('within'), ['/a.png?b=1&amp;c=2', 'summary_large_image'])
  assert.equal(await imageOn('none'), ['/uploads/2024/logo.png', 'summary'])
  assert.equal(await imageOn('closed'), ['/uploads/2024/logo.png', 'summary'])
})

heads('name the color of the page in both color schemes', async () => {
  await using site = await serveWithUsers(filePlace)
  const { html } = await headOf(site, '/')
  assert.match(html, '<meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)">')
  assert.match(html, '<meta name="theme-color" content="#15171b" media="(prefers-color-scheme: dark)">')
})

heads('have a heading and a title for posts without a title', async () => {
  await using site = await serveWithUsers(filePlace)
  await addPosts(site.store, { title: '', slug: 'aside', content: 'Text.', date: '2024-05-06 10:00:00' })
  const { html } = await headOf(site, '/2024/05/06/aside/')
  assert.match(html, /<h1 class="[^"]*-block-post-title">Untitled post<\/h1>/)
  assert.match(html, /<title>Untitled post/)
  assert.match(await (await fetch(`${site.home}/`)).text(), /<h2 [^>]*><a href="[^"]*\/aside\/"[^>]*>Untitled post/)
})

heads.run()
