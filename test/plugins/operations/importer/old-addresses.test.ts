import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addressesOf } from '../../../../plugins/operations/importer/old-sites/addresses.ts'
import { as, serve, type Site } from '../../../helpers/site.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { one } from './importing.ts'

interface Exported {
  id: number
  slug: string
  link: string
  status?: string
  type?: string
}

const exported = (items: readonly Exported[], home = 'https://old.example') => `<rss
  xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>Old</title><wp:wxr_version>1.2</wp:wxr_version>
  <wp:base_blog_url>${home}</wp:base_blog_url>${items
    .map(
      ({ id, slug, link, status = 'publish', type = 'post' }) => `<item><title>${slug}</title><link>${link}</link>
  <guid isPermaLink="false">${home}/?p=${id}</guid><wp:post_id>${id}</wp:post_id>
  <wp:post_date>2020-05-${String(id).padStart(2, '0')} 10:00:00</wp:post_date>
  <wp:post_date_gmt>2020-05-${String(id).padStart(2, '0')} 10:00:00</wp:post_date_gmt><wp:post_name>${slug}</wp:post_name>
  <wp:status>${status}</wp:status><wp:post_type>${type}</wp:post_type></item>`,
    )
    .join('')}</channel></rss>`

const importInto = (site: Site, items: readonly Exported[], home?: string) =>
  site.kernel.services.importer.run({ source: one(exported(items, home)) })

/** Requests a path without following redirects. Returns the status and the path of the target. */
async function visit(site: Site, path: string): Promise<[status: number, target?: string]> {
  const { status, headers } = await fetch(`${site.home}${path}`, { redirect: 'manual' })
  const location = headers.get('location')
  return location === null ? [status] : [status, location.slice(site.home.length)]
}

for (const { name, place } of databases) {
  const addresses = suite(`old addresses on ${name}`)

  addresses('redirect to the imported object, with and without slash, query and encoding', async () => {
    await using at = await place()
    await using site = await serve({ database: at.url })
    await site.kernel.services.options.set('permalink', '/%postname%/')
    await importInto(site, [
      { id: 3, slug: 'story', link: 'https://old.example/2020/05/story.html' },
      { id: 4, slug: 'grusse', link: 'http://www.old.example/archiv/gr%C3%BC%C3%9Fe/' },
      { id: 5, slug: 'about', link: 'https://old.example/company/about/', type: 'page' },
      { id: 6, slug: 'query', link: 'https://old.example/?p=900' },
      { id: 7, slug: 'elsewhere', link: 'https://other.example/elsewhere-path/' },
    ])
    assert.equal(await visit(site, '/2020/05/story.html'), [301, '/story/'])
    assert.equal(await visit(site, '/2020/05/story.html?utm_source=feed'), [301, '/story/'])
    assert.equal(await visit(site, '/archiv/gr%C3%BC%C3%9Fe'), [301, '/grusse/'])
    assert.equal(await visit(site, '/company/about/'), [301, '/about/'])
    assert.equal(await visit(site, '/?p=900'), [301, '/query/'])
    assert.equal(await visit(site, '/elsewhere-path/'), [404])
    assert.equal(await visit(site, '/2020/05/other.html'), [404])
    assert.equal((await visit(site, '/story/'))[0], 200)
  })

  addresses('do not redirect to drafts, private or deleted posts, nor from URLs that another page has', async () => {
    await using at = await place()
    await using site = await serve({ database: at.url })
    await site.kernel.services.options.set('permalink', '/%postname%/')
    await importInto(site, [
      { id: 3, slug: 'draft', link: 'https://old.example/old/draft/', status: 'draft' },
      { id: 4, slug: 'private', link: 'https://old.example/old/private/', status: 'private' },
      { id: 5, slug: 'gone', link: 'https://old.example/old/gone/' },
      { id: 6, slug: 'moved', link: 'https://old.example/here/' },
      { id: 7, slug: 'here', link: 'https://old.example/there/' },
    ])
    const deletion = { method: 'DELETE', headers: as('administrator', 1) }
    assert.is((await site.request('/svc/v2/posts/5?force=true', deletion)).status, 200)
    for (const path of ['/old/draft/', '/old/private/', '/old/gone/'])
      assert.equal(await visit(site, path), [404], path)
    assert.equal(await visit(site, '/here/'), [200])
    assert.equal(await visit(site, '/there/'), [301, '/here/'])
  })

  addresses('follow an object whose ID and slug changed, also after a second import', async () => {
    await using at = await place()
    await using site = await serve({ database: at.url })
    await site.kernel.services.options.set('permalink', '/%postname%/')
    await importInto(site, [{ id: 3, slug: 'first', link: 'https://one.example/x/first/' }], 'https://one.example')
    const others = [{ id: 9, slug: 'second', link: 'https://two.example/x/second/' }]
    await importInto(site, others, 'https://two.example')
    await importInto(site, others, 'https://two.example')
    assert.equal(await visit(site, '/x/first/'), [301, '/first/'])
    const [post] = await site.json('/svc/v2/posts?slug=second')
    const headers = { ...as('administrator', 1), 'content-type': 'application/json' }
    const renaming = { method: 'POST', headers, body: JSON.stringify({ slug: 'renamed' }) }
    assert.is((await site.request(`/svc/v2/posts/${post.id}`, renaming)).status, 200)
    assert.equal(await visit(site, '/x/second/'), [301, '/renamed/'])
  })

  addresses.run()
}

const forms = suite('addresses of links')

forms('are relative to the home, and whole if the home has a folder', () => {
  assert.equal(addressesOf('https://old.example/a/b/', 'http://www.old.example/'), ['/a/b'])
  assert.equal(addressesOf('https://old.example/blog/a/', 'https://old.example/blog'), ['/blog/a', '/a'])
  assert.equal(addressesOf('https://old.example/blog/?p=1', 'https://old.example/blog'), ['/blog?p=1', '/?p=1'])
  for (const link of ['', 'a', 'https://old.example/', 'https://old.example.com/a/', 'mailto:a@old.example'])
    assert.equal(addressesOf(link, 'https://old.example'), [], link)
  assert.equal(addressesOf(`https://old.example/${'a'.repeat(2000)}`, 'https://old.example'), [])
})

forms.run()
