import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../../helpers/content.ts'
import { serve, CONTENT_PLUGINS, startOnly } from '../../helpers/site.ts'

startOnly('plain-urls', ...CONTENT_PLUGINS)

const plain = suite('plain-urls')

plain('select a route by the query, on any page and the index script', async () => {
  await using site = await serve()
  const expected = await site.json('/svc/v2/types?_fields=post.slug')
  for (const url of [
    '/?rest_route=/svc/v2/types',
    '/index.php?rest_route=%2Fsvc%2Fv2%2Ftypes',
    '/?rest_route=svc/v2/types/',
    '/any/page/?rest_route=/svc/v2/types',
  ]) {
    assert.equal(await site.json(`${site.home}${url}&_fields=post.slug`), expected, url)
  }
})

plain('select the root with one or more slashes', async () => {
  await using site = await serve()
  for (const route of ['/', '//', '%2F']) {
    assert.ok((await site.json(`${site.home}/?rest_route=${route}&_fields=name`)).name)
  }
})

plain('are pages of the site if the route is empty', async () => {
  await using site = await serve()
  assert.match((await site.get(`${site.home}/?rest_route=`)).headers.get('content-type')!, 'text/html')
})

plain('do not affect URLs of files and of the REST API', async () => {
  await using site = await serve()
  assert.match(
    (await site.get(`${site.home}/logo.png?rest_route=/svc/v2/types`)).headers.get('content-type')!,
    'text/html',
  )
  assert.equal(Object.keys(await site.json('/svc/v2?rest_route=/svc/v2/types&_fields=namespace')), [
    'namespace',
    '_links',
  ])
})

plain('ignore routes with NUL', async () => {
  await using site = await serve()
  assert.match((await site.get(`${site.home}/?rest_route=/svc%00`)).headers.get('content-type')!, 'text/html')
})

plain('are used in links if the config says so', async () => {
  await using site = await serve({ addresses: 'plain' })
  const { _links } = await site.json(`${site.home}/?rest_route=/svc/v2/types/post`)
  assert.equal(_links.collection, [{ href: `${site.home}/index.php?rest_route=/svc/v2/types` }])
  assert.is((await site.get(_links.collection[0].href)).status, 200)
})

plain('are used in links with a query and in embedded objects', async () => {
  await using site = await serve({ addresses: 'plain' })
  const { store } = site
  const [post] = (await addPosts(store, { title: 'Told' })) as [number]
  const comment = { post_id: post, content: 'Asked.', approved: '1' }
  await store.run(store.db.insertInto('comments').values({ ...comment, id: 1 }))
  await store.run(store.db.insertInto('comments').values({ ...comment, id: 2, parent_id: 1, content: 'Answered.' }))
  const interfaceAt = `${site.home}/index.php?rest_route=/svc/v2/comments`
  const { _links, _embedded } = await site.json(`${interfaceAt}/1&_embed=children`)
  assert.is(_links.children[0].href, `${interfaceAt}&parent=1`)
  assert.is(_embedded.children[0][0].id, 2)
})

plain('are pages of the site if disabled', async () => {
  await using site = await serve({ plugins: { 'plain-urls': false } })
  assert.match((await site.get(`${site.home}/?rest_route=/`)).headers.get('content-type')!, 'text/html')
})

plain.run()
