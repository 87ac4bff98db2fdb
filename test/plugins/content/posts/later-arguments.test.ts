import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'

const OLDER = '2024-01-01 00:00:00'

/** A site with an article, an aside, pages by other authors and a sticky post, and a function that lists titles. */
async function filled(place: (typeof databases)[number]['place'], revision?: '6.1') {
  const site = await serveWithUsers(place, revision === undefined ? {} : { revision })
  const { store } = site
  await store.run(store.db.deleteFrom('posts'))
  const aside = await addTerm(store, { taxonomy: 'post_format', name: 'Aside', slug: 'post-format-aside' })
  const [, , sticky] = await addPosts(
    store,
    { title: 'Harbour', content: 'ships', excerpt: 'tide', date: '2025-01-03 00:00:00' },
    { title: 'Ships', content: 'harbour lights', terms: [aside], date: '2025-01-02 00:00:00' },
    { title: 'Old', content: 'moored', date: OLDER },
  )
  await site.kernel.services.options.set('sticky_posts', [sticky])
  const titles = async (query: string, login?: 'ann') => {
    const response = await site.get(`/svc/v2/posts?${query}`, login === undefined ? {} : site.by(login))
    const items = (await response.json()) as { title: { rendered: string } }[]
    return [items.map(({ title }) => title.rendered), Number(response.headers.get('x-svc-total'))]
  }
  return { ...site, titles, sticky: sticky! }
}

for (const { name, place } of databases) {
  const list = suite(`newer list arguments on ${name}`)

  list('limit a search to columns, or to whole texts', async () => {
    await using site = await filled(place)
    const { titles } = site
    assert.equal(await titles('search=ships'), [['Harbour', 'Ships'], 2])
    assert.equal(await titles('search=ships&search_columns=post_title'), [['Ships'], 1])
    assert.equal(await titles('search=ships&search_columns[]=post_content'), [['Harbour'], 1])
    assert.equal(await titles('search=tide&search_columns=post_title,post_content'), [[], 0])
    assert.equal(await titles('search=tide&search_columns='), [['Harbour'], 1])
    assert.equal(await titles('search=HARBOUR&search_semantics=exact'), [['Harbour'], 1])
    assert.equal(await titles('search="harbour+lights"&search_semantics=exact'), [['Ships'], 1])
    assert.equal(await titles('search=harbour+lights&search_semantics=exact'), [[], 0])
    assert.is((await site.get('/svc/v2/posts?search=x&search_columns=password')).status, 400)
    assert.is((await site.get('/svc/v2/posts?search_semantics=near')).status, 400)
  })

  list('filter by format; posts without a format term are standard', async () => {
    await using site = await filled(place)
    const { titles } = site
    assert.equal(await titles('format=aside'), [['Ships'], 1])
    assert.equal(await titles('format=standard'), [['Harbour', 'Old'], 2])
    assert.equal(await titles('format=standard,aside'), [['Harbour', 'Ships', 'Old'], 3])
    assert.equal(await titles('format=video'), [[], 0])
    assert.is((await site.get('/svc/v2/posts?format=opera')).status, 400)
    assert.is((await site.get('/svc/v2/posts?format=aside,aside')).status, 400)
    assert.equal(await titles('format=aside&search=harbour'), [['Ships'], 1])
  })

  list('move sticky posts to the top of the first page on request', async () => {
    await using site = await filled(place)
    const { titles } = site
    assert.equal(await titles('per_page=2'), [['Harbour', 'Ships'], 3])
    assert.equal(await titles('per_page=2&ignore_sticky=false'), [['Old', 'Harbour', 'Ships'], 3])
    assert.equal(await titles('per_page=2&page=2&ignore_sticky=false'), [['Old'], 3])
    assert.equal(await titles('ignore_sticky=false'), [['Old', 'Harbour', 'Ships'], 3])
    assert.equal(await titles(`per_page=1&ignore_sticky=false&exclude=${site.sticky}`), [['Harbour'], 2])
    assert.equal(await titles('search=harbour&ignore_sticky=false&search_columns=post_title'), [['Harbour'], 1])
    assert.equal(await titles(`sticky=true&exclude=${site.sticky}`), [['Old'], 1])
    await site.store.run(site.store.db.updateTable('posts').set({ status: 'draft' }).where('id', '=', site.sticky))
    assert.equal(await titles('ignore_sticky=false'), [['Harbour', 'Ships'], 2])
  })

  list('are ignored in an older revision', async () => {
    await using site = await filled(place, '6.1')
    const all = [['Harbour', 'Ships', 'Old'], 3]
    for (const query of ['format=aside', 'ignore_sticky=false&per_page=3', 'search_semantics=near'])
      assert.equal(await site.titles(query), all, query)
    const post = (await (await site.get(`/svc/v2/posts/${site.sticky}`)).json()) as Record<string, unknown>
    assert.not('class_list' in post)
    assert.not('footnotes' in (post['meta'] as object))
  })

  list('store footnotes with revisions and autosaves, without HTML that the user may not write', async () => {
    await using site = await filled(place)
    const notes = (text: string) => ({ footnotes: JSON.stringify([{ id: 'one', content: text }]) })
    const created = await site.send('POST', '/svc/v2/posts', { title: 'N', content: 'a', status: 'publish' }, 'ann')
    const { id } = (await created.json()) as { id: number }
    const metaOf = async (path: string) => {
      const revisions = (await (await site.get(`/svc/v2/posts/${id}${path}`, site.by('ann'))).json()) as
        object | object[]
      return [revisions].flat().map((item) => (item as { meta: { footnotes: string } }).meta.footnotes)
    }
    await site.send('POST', `/svc/v2/posts/${id}`, { meta: notes('<b>b</b><script>x</script>') }, 'ann')
    const filtered = '[{"id":"one","content":"<b>b<\\/b>x"}]'
    assert.equal(await metaOf(''), [filtered])
    assert.equal(await metaOf('/revisions'), [filtered], 'a change of meta alone creates a revision')
    await site.send('POST', `/svc/v2/posts/${id}`, { content: 'b', meta: { footnotes: '' } }, 'ann')
    assert.equal(await metaOf('/revisions'), ['', filtered])
    await site.send('POST', `/svc/v2/posts/${id}/autosaves`, { content: 'c', meta: notes('d') }, 'ann')
    assert.equal(await metaOf('/autosaves'), ['[{"id":"one","content":"d"}]'])
    assert.equal(await metaOf(''), [''])
    await site.send('POST', `/svc/v2/posts/${id}`, { meta: { footnotes: 'no list' } }, 'ann')
    assert.equal(await metaOf(''), [''])
  })

  list.run()
}
