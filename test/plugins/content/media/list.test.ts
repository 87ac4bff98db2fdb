import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RestRequest } from '../../../../kernel/index.ts'
import { stopClockFor } from '../../../helpers/clock.ts'
import { addPosts } from '../../../helpers/content.ts'
import { as, serveOn, type Site, startOnly } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'
import { addMedia } from './content.ts'

startOnly('media')

for (const { name, make } of places) {
  const list = suite(`lists of media on ${name}`)
  stopClockFor(list)

  const open = async () => serveOn(await make())

  /** Returns the titles and the total of a list. */
  async function titles(site: Site, query = '', headers = {}): Promise<[string[], number]> {
    const answer = await site.get(`/svc/v2/media${query}`, headers)
    const items = (await answer.json()) as { title: { rendered: string } }[]
    return [items.map(({ title }) => title.rendered), Number(answer.headers.get('x-svc-total'))]
  }

  /** Returns the statements of a request without reads of options, which are cached for a second. */
  async function executed(site: Site, path: string, headers = {}): Promise<string[]> {
    const found = await site.statements(async () => void (await (await site.get(path, headers)).text()))
    return found.filter((sql) => !/^select count\(| from "?options"?/.test(sql))
  }

  list('can be filtered by media type, MIME type and parent', async () => {
    await using site = await open()
    const [one, other] = await addPosts(site.store, {}, {})
    await addMedia(
      site,
      { title: 'a', parent_id: one! },
      { title: 'b', mime_type: 'image/png', parent_id: one! },
      { title: 'c', mime_type: 'text/plain', parent_id: other! },
      { title: 'd', mime_type: 'application/pdf' },
      { title: 'e', mime_type: 'audio/mpeg' },
      { title: 'f', mime_type: 'video/mp4' },
    )
    assert.equal(await titles(site), [['a', 'b', 'c', 'd', 'e', 'f'], 6])
    assert.equal(await titles(site, '?status=inherit'), [['a', 'b', 'c', 'd', 'e', 'f'], 6])
    assert.equal(await titles(site, '?media_type=image'), [['a', 'b'], 2])
    assert.equal(await titles(site, '?media_type=application'), [['d'], 1])
    assert.equal(await titles(site, '?mime_type=image/png'), [['b'], 1])
    assert.equal(await titles(site, '?mime_type=TEXT/plain'), [['c'], 1])
    assert.equal(await titles(site, '?media_type=text&mime_type=image/png'), [['b', 'c'], 2])
    assert.equal(await titles(site, '?media_type=text,audio'), [['c', 'e'], 2])
    assert.equal(await titles(site, '?mime_type=image/png,audio/mpeg'), [['b', 'e'], 2])
    assert.equal(await titles(site, '?media_type=audio&mime_type=application/x-nonsense'), [['e'], 1])
    assert.equal((await titles(site, '?mime_type=application/x-nonsense'))[1], 6)
    assert.equal(await titles(site, `?parent=${one}`), [['a', 'b'], 2])
    assert.equal(await titles(site, `?parent=${one},${other}`), [['a', 'b', 'c'], 3])
    assert.equal(await titles(site, '?parent=0'), [['d', 'e', 'f'], 3])
    assert.equal(await titles(site, `?parent_exclude=0,${one}`), [['c'], 1])
    assert.equal(await titles(site, `?parent=${one}&per_page=1&page=2`), [['b'], 2])
    assert.is((await site.json('/svc/v2/media?media_type=nonsense')).code, 'rest_invalid_param')
  })

  list('can be searched by file name', async () => {
    await using site = await open()
    await addMedia(
      site,
      { title: 'a', file: '2025/01/heron-at-dawn.jpg' },
      { title: 'b heron', file: '2025/01/b.jpg' },
      { title: 'c', file: '2025/01/c.jpg' },
    )
    assert.equal(await titles(site, '?search=heron'), [['a', 'b heron'], 2])
    assert.equal(await titles(site, '?search=heron+dawn'), [['a'], 1])
    assert.equal(await titles(site, '?search=heron+-dawn'), [['b heron'], 1])
  })

  list('require permission for statuses other than inherit', async () => {
    await using site = await open()
    await addMedia(site, { title: 'open' }, { title: 'mine', status: 'private' }, { title: 'gone', status: 'trash' })
    assert.equal(await titles(site), [['open'], 1])
    const errors = await Promise.all(
      ['private', 'trash', 'any', 'publish'].map(async (status) => {
        const { code, data } = await site.json(`/svc/v2/media?status=${status}`)
        return `${code} ${data.status} ${Object.keys(data.params as object).join()}`
      }),
    )
    assert.equal(
      errors,
      Array.from({ length: 4 }, () => 'rest_invalid_param 400 status'),
    )
    assert.equal(await titles(site, '?status=private', as('editor')), [['mine'], 1])
    assert.equal(await titles(site, '?status=inherit,private,trash', as('editor')), [['open', 'mine', 'gone'], 3])
  })

  list('S10: neither show nor count attachments of posts that the user cannot read', async () => {
    await using site = await open()
    const posts = await addPosts(
      site.store,
      { title: 'open' },
      { title: 'draft', status: 'draft', author_id: 7 },
      { title: 'private', status: 'private', author_id: 8 },
      { title: 'future', status: 'future' },
      { title: 'block', type: 'svc_block' },
      { title: 'odd', type: 'nobody' },
    )
    const media = await addMedia(
      site,
      ...posts.map((parent, index) => ({
        title: `zebra ${['open', 'draft', 'private', 'future', 'block', 'odd'][index]}`,
        parent_id: parent,
        author_id: 3,
      })),
      { title: 'zebra gone', parent_id: 999_999 },
      { title: 'zebra free' },
    )
    await addMedia(site, { title: 'zebra nested', parent_id: media[1]! })
    const seen = async (headers = {}, query = '?orderby=id&order=asc') => {
      const [found, total] = await titles(site, query, headers)
      assert.is(found.length, total)
      return found.map((title) => title.slice(6)).join(' ')
    }
    assert.is(await seen(), 'open gone free')
    assert.is(await seen({}, '?search=zebra'), 'open gone free')
    assert.is(await seen({}, '?slug=zebra-draft,zebra-open'), 'open')
    assert.is(await seen({}, `?parent=${posts[1]}`), '')
    assert.is(await seen({}, `?include=${media.join(',')}&orderby=include`), 'open gone free')
    assert.is(await seen(as('subscriber')), 'open gone free')
    assert.is(await seen(as('author', 7)), 'open draft block gone free nested')
    assert.is(await seen(as('author', 3)), 'open draft private future block odd gone free')
    assert.is(await seen(as('editor')), 'open draft private future block gone free nested')
    assert.is((await site.get('/svc/v2/media?per_page=3&page=2')).status, 400)
  })

  list('need the same number of statements for any page size', async () => {
    await using site = await open()
    const parents = await addPosts(site.store, ...Array.from({ length: 20 }, () => ({})))
    await addMedia(site, ...parents.map((parent) => ({ parent_id: parent })))
    await site.get('/svc/v2/media')
    const small = await executed(site, '/svc/v2/media?per_page=2')
    const large = await executed(site, '/svc/v2/media?per_page=19')
    assert.is(small.length, large.length)
    assert.ok(large.length <= 4, large.join('\n'))
    assert.is((await executed(site, '/svc/v2/media?_fields=id,mime_type,post')).length, 2)
  })

  list('need two statements for a single item', async () => {
    await using site = await open()
    const [parent] = await addPosts(site.store, {})
    const [id] = await addMedia(site, { parent_id: parent! })
    await site.get('/svc/v2/media')
    for (const headers of [{}, as('editor')]) {
      const found = await executed(site, `/svc/v2/media/${id}`, headers)
      assert.is(found.length, 2, found.join('\n'))
    }
  })

  list('need two more statements when embedded in a list of posts', async () => {
    await using site = await open()
    const parents = await addPosts(site.store, ...Array.from({ length: 12 }, () => ({})))
    const media = await addMedia(site, ...parents.map((parent) => ({ parent_id: parent })))
    await addPosts(site.store, ...media.map((id) => ({ date: '2025-01-01 10:00:00', meta: { _thumbnail_id: id } })))
    await site.get('/svc/v2/posts')
    const plain = await executed(site, '/svc/v2/posts')
    const embedded = await executed(site, '/svc/v2/posts?_embed=svc:featuredmedia')
    assert.is(embedded.length, plain.length + 2, embedded.join('\n'))
  })

  list('of many posts load in one statement', async () => {
    await using site = await open()
    const parents = await addPosts(site.store, ...Array.from({ length: 8 }, () => ({})))
    const [first, second, hidden] = parents
    await site.store.run(site.store.db.updateTable('posts').set({ status: 'draft' }).where('id', '=', hidden!))
    await addMedia(
      site,
      ...['a', 'b', 'c'].map((title) => ({ title, parent_id: first! })),
      { title: 'd', parent_id: second! },
      { title: 'e', parent_id: hidden! },
    )
    await site.get('/svc/v2/media')
    const { server } = site.kernel
    const outer = new RestRequest('GET', '/svc/v2/posts')
    let shown: unknown[] = []
    const statements = await site.statements(async () => {
      const answers = await Promise.all(
        parents.map((id) =>
          server.dispatch(RestRequest.fromPath(`/svc/v2/media?parent=${id}&per_page=2&context=embed`, outer)),
        ),
      )
      shown = answers.map(({ data, headers }) => [
        (data as { title: { rendered: string } }[]).map(({ title }) => title.rendered).join(''),
        Number(headers.get('X-SVC-Total')),
      ])
    })
    assert.equal(shown, [['ab', 3], ['d', 1], ...Array.from({ length: 6 }, () => ['', 0])])
    const lists = statements.filter((sql) => sql.includes('row_number'))
    assert.is(lists.length, 1)
    assert.ok(statements.length <= 4, statements.join('\n'))
    const further = await Promise.all(
      [first, second].map((id) =>
        server.dispatch(RestRequest.fromPath(`/svc/v2/media?parent=${id}&per_page=2&page=2`, outer)),
      ),
    )
    assert.equal(
      further.map(({ data }) => (Array.isArray(data) ? data.length : (data as { code: string }).code)),
      [1, 'rest_post_invalid_page_number'],
    )
  })

  list('S2: do not change the SQL text with the values of parameters', async () => {
    await using site = await open()
    await addMedia(site, {}, {})
    await site.get('/svc/v2/media')
    const hostile = ["' or 1=1 --", '%', '\u0000', 'image/x;drop table posts', 'x'.repeat(5000), '１２']
    const texts = new Set<string>()
    for (const value of ['image/png', 'text/plain', 'audio/mpeg', 'application/pdf']) {
      const found = await executed(site, `/svc/v2/media?mime_type=${encodeURIComponent(value)}`)
      texts.add(found.filter((sql) => sql.includes('mime_type')).join('\n'))
    }
    assert.is(texts.size, 1)
    for (const value of hostile) {
      const query = encodeURIComponent(value)
      assert.is((await site.get(`/svc/v2/media?media_type=${query}`)).status, 400)
      assert.is((await site.get(`/svc/v2/media?mime_type[a]=${query}`)).status, 400)
    }
  })

  list.run()
}
