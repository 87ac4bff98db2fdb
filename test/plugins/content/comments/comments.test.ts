import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestRequest, RequestCache, type AnyPlugin } from '../../../../kernel/index.ts'
import type { NewRow } from '../../../../plugins/storage/store/index.ts'
import { stopClockFor } from '../../../helpers/clock.ts'
import { as, serve, type Site } from '../../../helpers/site.ts'
import { filePlace, places } from '../../../helpers/stores.ts'
import { removePlugin } from '../../../helpers/remove-plugin.ts'

/** The user of account 5, who wrote posts and comments. */
const AUTHOR = as('author', 5)
const EDITOR = as('editor', 4)
const SUBSCRIBER = as('subscriber', 7)

const POSTS: NewRow<'posts'>[] = [
  { id: 1, title: 'Public', slug: 'public', status: 'publish', author_id: 5 },
  { id: 2, title: 'Private', slug: 'private', status: 'private', author_id: 4 },
  { id: 3, title: 'Draft', slug: 'draft', status: 'draft', author_id: 5 },
  { id: 4, title: 'Protected', slug: 'protected', status: 'publish', password: 'secret', author_id: 4 },
  { id: 5, title: 'Trashed', slug: 'trashed', status: 'trash', author_id: 4 },
  { id: 6, title: 'Page', slug: 'page', status: 'publish', type: 'page', author_id: 4 },
  { id: 7, title: 'Open file', slug: 'open-file', status: 'inherit', type: 'attachment', parent_id: 1, author_id: 4 },
  {
    id: 8,
    title: 'Private file',
    slug: 'private-file',
    status: 'inherit',
    type: 'attachment',
    parent_id: 2,
    author_id: 4,
  },
  { id: 9, title: 'Own private', slug: 'own-private', status: 'private', author_id: 5 },
  { id: 10, title: 'Version', slug: '1-revision', status: 'inherit', type: 'revision', parent_id: 1, author_id: 5 },
  { id: 12, title: 'Lost file', slug: 'lost', status: 'inherit', type: 'attachment', parent_id: 98, author_id: 5 },
  { id: 11, title: 'Of no known type', slug: 'unknown', status: 'publish', type: 'unknown', author_id: 5 },
]

const visitor = {
  author_name: 'Vera Visitor',
  author_email: 'vera@private.test',
  author_url: 'https://vera.test/',
  author_ip: '192.0.2.7',
}

/** One comment per hour, in order of their IDs. */
const COMMENTS: NewRow<'comments'>[] = [
  { id: 1, post_id: 1, ...visitor, content: 'First of all.\n\nA second paragraph.' },
  {
    id: 2,
    post_id: 1,
    parent_id: 1,
    author_id: 5,
    author_name: 'Ann',
    author_email: 'old@ann.test',
    content: 'An answer.',
  },
  { id: 3, post_id: 1, parent_id: 2, author_id: 7, author_name: 'Sub', content: '100% _sure_ of it.' },
  { id: 4, post_id: 1, parent_id: 3, author_id: 7, author_name: 'Sub', content: 'A held answer.', approved: '0' },
  { id: 5, post_id: 1, ...visitor, content: 'Spam.', approved: 'spam' },
  { id: 6, post_id: 1, ...visitor, content: 'Thrown away.', approved: 'trash' },
  {
    id: 7,
    post_id: 1,
    author_name: 'Another site',
    author_url: 'https://site.test/',
    content: 'A mention.',
    type: 'pingback',
  },
  { id: 8, post_id: 1, author_id: 4, author_name: 'Ed', content: 'A note.', type: 'note' },
  { id: 9, post_id: 2, author_id: 7, author_name: 'Sub', content: 'On the private post.' },
  { id: 10, post_id: 3, ...visitor, content: 'On the draft.' },
  { id: 11, post_id: 4, ...visitor, content: 'On the protected post.' },
  { id: 12, post_id: 5, ...visitor, content: 'On the trashed post.' },
  { id: 13, post_id: 6, ...visitor, content: 'On the page.' },
  { id: 14, post_id: 7, ...visitor, content: 'On the open file.' },
  { id: 15, post_id: 8, ...visitor, content: 'On the private file.' },
  { id: 16, post_id: 9, ...visitor, content: 'On the own private post.' },
  { id: 17, post_id: 10, ...visitor, content: 'On the version.' },
  { id: 18, post_id: 11, ...visitor, content: 'On what has no known type.' },
  { id: 20, post_id: 12, approved: 'trash', ...visitor, content: 'On the lost file.' },
  { id: 19, post_id: 99, ...visitor, content: 'On what is gone.' },
]

const twoDigits = (number: number) => String(number).padStart(2, '0')

/** Starts a site in Berlin with the posts and comments above. */
async function startSite(database: string, add: readonly AnyPlugin[] = []): Promise<Site> {
  const site = await serve({ database, add })
  const { store, kernel } = site
  const { db } = store
  await kernel.services.options.set('timezone', 'Europe/Berlin')
  const users = [
    { id: 4, login: 'ed', slug: 'ed', email: 'ed@staff.test' },
    { id: 5, login: 'ann', slug: 'ann', email: 'Ann@staff.test' },
    { id: 7, login: 'sub', slug: 'sub', email: 'sub@staff.test' },
  ]
  await store.run(db.insertInto('users').values(users))
  const when = { date: '2024-01-01 12:00:00', date_gmt: '2024-01-01 11:00:00' }
  for (const post of POSTS) await store.run(db.insertInto('posts').values({ ...when, ...post }))
  for (const comment of COMMENTS) {
    const at = (hours: number) => `2024-02-01 ${twoDigits(hours)}:00:00`
    await store.run(
      db.insertInto('comments').values({ date: at(comment.id! + 1), date_gmt: at(comment.id!), ...comment }),
    )
  }
  await store.syncSequences()
  return site
}

const at = (query = '') => `/svc/v2/comments${query}`
const idsOf = (list: { id: number }[]) => list.map(({ id }) => id)
// oxlint-disable-next-line typescript/no-explicit-any -- tests read properties of any JSON body
const body = async (response: Response): Promise<any> => response.json()
const ids = async (site: Site, query: string, headers = {}) => idsOf(await site.json(at(query), headers))
const total = (response: Response) => response.headers.get('X-SVC-Total')

for (const { name, make } of places) {
  const comments = suite(`comments on ${name}`)
  stopClockFor(comments)

  comments('are shown to readers with their links', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    const { _links: links, author_avatar_urls: pictures, ...shown } = await site.json(at('/2'))
    assert.equal(Object.keys(pictures), ['24', '48', '96'])
    assert.equal(shown, {
      id: 2,
      post: 1,
      parent: 1,
      author: 5,
      author_name: 'Ann',
      author_url: '',
      date: '2024-02-01T03:00:00',
      date_gmt: '2024-02-01T02:00:00',
      content: { rendered: '<p>An answer.</p>\n' },
      link: `${site.home}/2024/01/01/public/#comment-2`,
      status: 'approved',
      type: 'comment',
      meta: { _svc_note_status: null },
    })
    const root = `${site.home}/svc-json/svc/v2`
    assert.equal(links, {
      self: [{ href: `${root}/comments/2`, targetHints: { allow: ['GET'] } }],
      collection: [{ href: `${root}/comments` }],
      author: [{ embeddable: true, href: `${root}/users/5` }],
      up: [{ embeddable: true, post_type: 'post', href: `${root}/posts/1` }],
      'in-reply-to': [{ embeddable: true, href: `${root}/comments/1` }],
      children: [{ embeddable: true, href: `${root}/comments?parent=2` }],
    })
  })

  comments('show the avatar of their author, and none for pingbacks', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    const { avatars } = site.kernel.services
    const shown = async (id: number) => (await site.json(at(`/${id}`), EDITOR)).author_avatar_urls
    assert.equal(await shown(2), avatars.urls('ann@staff.test'))
    assert.equal(await shown(1), avatars.urls('vera@private.test'))
    assert.equal(await shown(7), { 24: false, 48: false, 96: false })
  })

  comments('show email address, IP address and raw content only to moderators in the edit context', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    const { author_email, author_ip, author_user_agent, content } = await site.json(at('/1?context=edit'), EDITOR)
    assert.equal([author_email, author_ip, author_user_agent], ['vera@private.test', '192.0.2.7', ''])
    assert.is(content.raw, 'First of all.\n\nA second paragraph.')
    assert.is(content.rendered, '<p>First of all.</p>\n<p>A second paragraph.</p>\n')
    for (const context of ['view', 'embed']) {
      const text = await (await site.get(at(`/1?context=${context}`), EDITOR)).text()
      assert.not.match(text, /vera@private|192\.0\.2|raw/)
    }
  })

  comments('have fewer fields in the embed context', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    const { _links: _, ...shown } = await site.json(at('/13?context=embed'))
    const fields = 'id parent author author_name author_url date content link type author_avatar_urls'.split(' ')
    assert.equal(Object.keys(shown), fields)
  })

  comments('can be sorted by every offered field, with pages that do not overlap', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    assert.equal(await ids(site, ''), [14, 13, 3, 2, 1])
    assert.equal(await ids(site, '?order=asc'), [1, 2, 3, 13, 14])
    assert.equal(await ids(site, '?orderby=id'), [14, 13, 3, 2, 1])
    assert.equal(await ids(site, '?orderby=date&order=asc'), [1, 2, 3, 13, 14])
    assert.equal(await ids(site, '?orderby=post&order=asc'), [3, 2, 1, 13, 14])
    assert.equal(await ids(site, '?orderby=parent'), [3, 2, 14, 13, 1])
    assert.equal(await ids(site, '?orderby=type&type=all&post=1,6', EDITOR), [7, 8, 13, 3, 2, 1])
    assert.equal(await ids(site, '?orderby=include&include=13,1,3'), [13, 1, 3])
    const pages = [
      await ids(site, '?per_page=2'),
      await ids(site, '?per_page=2&page=2'),
      await ids(site, '?per_page=2&page=3'),
    ]
    assert.equal(pages, [[14, 13], [3, 2], [1]])
    assert.equal(await ids(site, '?per_page=2&offset=1'), [13, 3])
    const second = await site.get(at('?per_page=2&page=2'))
    assert.equal([total(second), second.headers.get('X-SVC-TotalPages')], ['5', '3'])
    assert.match(second.headers.get('Link')!, /page=1>; rel="prev".*page=3>; rel="next"/)
  })

  comments('can be filtered by post, parent, ID and date', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    assert.equal(await ids(site, '?post=1'), [3, 2, 1])
    assert.equal(await ids(site, '?post=1,6'), [13, 3, 2, 1])
    assert.equal(await ids(site, '?post=77'), [])
    assert.equal(await ids(site, '?parent=1'), [2])
    assert.equal(await ids(site, '?parent[]=1&parent[]=2'), [3, 2])
    assert.equal(await ids(site, '?parent=0'), [14, 13, 1])
    assert.equal(await ids(site, '?parent_exclude=0'), [3, 2])
    assert.equal(await ids(site, '?include=1,4,9,13'), [13, 1])
    assert.equal(await ids(site, '?exclude=1,2,3'), [14, 13])
    assert.equal(await ids(site, '?after=2024-02-01T03:00:00'), [14, 13, 3])
    assert.equal(await ids(site, '?after=2024-02-01T03:00:00Z'), [14, 13])
    assert.equal(await ids(site, '?before=2024-02-01T03:00:00'), [1])
    assert.equal(await ids(site, '?after=2024-02-01T02:00:00&before=2024-02-01T04:00:00'), [2])
    assert.equal(await ids(site, '?post=1&parent=0'), [1])
  })

  comments('can be filtered by author, status and type by users who can write posts', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    assert.equal(await ids(site, '?author=7', EDITOR), [9, 3])
    assert.equal(await ids(site, '?author_exclude=0,7', EDITOR), [2])
    assert.equal(await ids(site, '?author_email=old@ann.test', EDITOR), [2])
    assert.equal(await ids(site, '?status=hold', EDITOR), [4])
    assert.equal(await ids(site, '?status=spam', EDITOR), [5])
    assert.equal(await ids(site, '?status=trash', EDITOR), [20, 6])
    assert.equal(await ids(site, '?status=all&post=1', EDITOR), [4, 3, 2, 1])
    assert.equal(await ids(site, '?status=any&post=1', EDITOR), [6, 5, 4, 3, 2, 1])
    assert.equal(await ids(site, '?status=nonsense', EDITOR), [])
    assert.equal(await ids(site, '?type=pingback', EDITOR), [7])
    assert.equal(await ids(site, '?type=pings', EDITOR), [7])
    assert.equal(await ids(site, '?type=all&post=1', EDITOR), [8, 7, 3, 2, 1])
  })

  comments('S5: reject filters by values that the user may not see, and name the filters', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    const filters = [
      'author=1',
      'author_exclude=1',
      'author_email=a@b.test',
      'status=hold',
      'status=all',
      'type=pingback',
    ]
    for (const filter of filters) {
      for (const [headers, status] of [
        [{}, 401],
        [SUBSCRIBER, 403],
      ] as const) {
        const response = await site.get(at(`?${filter}`), headers)
        const { code, message } = await body(response)
        assert.equal([response.status, code], [status, 'rest_forbidden_param'], filter)
        assert.match(message, filter.split('=')[0]!)
      }
    }
    const byEmail = await site.get(at('?author_email=old@ann.test&author=5'), AUTHOR)
    assert.equal(
      [byEmail.status, (await body(byEmail)).code],
      [403, 'rest_forbidden_param'],
      'author without the right to moderate',
    )
    assert.equal(await ids(site, '?author=5', AUTHOR), [2])
    const editing = await site.get(at('?context=edit'), AUTHOR)
    assert.equal([editing.status, (await body(editing)).code], [403, 'rest_forbidden_context'])
    assert.is((await site.get(at('/1?context=edit'))).status, 401)
    for (const orderby of ['author_email', 'author_ip', 'karma', 'id;drop']) {
      assert.is((await site.get(at(`?orderby=${orderby}`), EDITOR)).status, 400)
    }
  })

  comments(
    'S13: are shown to visitors only if approved and on a readable post, in lists, totals, search and order',
    async () => {
      await using place = await make()
      await using site = await startSite(place.url)
      const list = await site.get(at('?per_page=1'))
      assert.equal([total(list), list.headers.get('X-SVC-TotalPages')], ['5', '5'])
      const found = await site.get(at('?search=on%20the'))
      assert.equal([idsOf(await body(found)), total(found)], [[14, 13], '2'])
      const named = await site.get(at('?include=4,5,6,9,10,11,12,15,16,17,18,19'))
      assert.equal([await named.json(), total(named)], [[], '0'])
      for (const post of [2, 3, 4, 5, 8, 9, 10, 11]) {
        const refused = await site.get(at(`?post=${post}`))
        assert.equal([refused.status, (await body(refused)).code], [401, 'rest_cannot_read_post'], `post ${post}`)
      }
      for (const id of [4, 5, 6, 8, 9, 10, 11, 12, 15, 16, 17, 18]) {
        const refused = await site.get(at(`/${id}`))
        assert.equal([refused.status, (await body(refused)).code], [401, 'rest_cannot_read'], `comment ${id}`)
      }
      const orphan = await site.get(at('/19'))
      assert.equal([orphan.status, (await body(orphan)).code], [404, 'rest_post_invalid_id'])
      // A held reply does not count as a child.
      assert.is((await site.json(at('/3')))._links.children, undefined)
    },
  )

  comments('S13: appear in lists of a user exactly if the user can read them individually', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    const everything = await site.store.all(site.store.db.selectFrom('comments').select('id').orderBy('id'))
    for (const role of ['administrator', 'editor', 'author', 'contributor']) {
      for (const id of [4, 5, 7]) {
        const headers = as(role, id)
        const listed = await ids(site, '?status=any&type=all&per_page=100&orderby=id&order=asc', headers)
        const read: number[] = []
        for (const comment of everything) if ((await site.get(at(`/${comment.id}`), headers)).ok) read.push(comment.id)
        // Lists show moderators a comment whose post no longer exists; its item route requires the post.
        const found = listed.filter((comment: number) => comment !== 19)
        assert.equal(found, read, `${role} ${id}`)
      }
    }
    // Authors see their held comments, but not on posts that they cannot read.
    assert.is((await site.get(at('/4'), SUBSCRIBER)).status, 200)
    const lost = await site.get(at('/9'), SUBSCRIBER)
    assert.equal([lost.status, (await body(lost)).code], [403, 'rest_cannot_read_post'])
    assert.is((await site.get(at('/4'), as('subscriber', 8))).status, 403)
  })

  comments('S13: of the type note are shown only to users who can edit the post', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    const status = async (headers: Record<string, string>) => (await site.get(at('/8'), headers)).status
    assert.equal(
      [await status(SUBSCRIBER), await status(as('contributor', 6)), await status(as('author', 6))],
      [403, 403, 403],
    )
    assert.equal([await status(AUTHOR), await status(EDITOR)], [200, 200])
    assert.equal(await ids(site, '?type=note&post=1', as('author', 6)), [])
    assert.equal(await ids(site, '?type=note&post=1', AUTHOR), [8])
  })

  comments('S11: on a protected post are readable only with its password', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    assert.equal(await ids(site, '?post=4&password=secret'), [11])
    assert.is((await site.get(at('?post=4&password=wrong'))).status, 401)
    assert.is((await site.get(at('?post=2,4&password=secret'))).status, 401)
    assert.equal(await ids(site, '?password=secret'), [14, 13, 3, 2, 1])
    assert.is((await site.get(at('/11?password=secret'))).status, 200)
    assert.is((await site.get(at('/11?password=wrong'))).status, 401)
    assert.is((await site.get(at('/9?password=secret'))).status, 401)
    const found = await site.get(at('?search=protected'))
    assert.equal([await found.json(), total(found)], [[], '0'])
    assert.equal(await ids(site, '?search=protected', EDITOR), [11])
    assert.is((await site.get(at('/11'), AUTHOR)).status, 403)
  })

  comments('S6: are searched by email and IP address only for moderators', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    for (const text of ['private.test', '192.0.2', 'ann.test']) {
      for (const headers of [{}, SUBSCRIBER, AUTHOR]) {
        const found = await site.get(at(`?search=${text}`), headers)
        assert.equal([await found.json(), total(found)], [[], '0'])
      }
    }
    assert.equal(await ids(site, '?search=ann.test', EDITOR), [2])
    assert.equal(await ids(site, '?search=vera.test&post=1'), [1])
    assert.equal(await ids(site, '?search=VERA%20visitor&post=1'), [1])
  })

  comments('S7: match wildcards of a search literally', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    assert.equal(await ids(site, '?search=100%25'), [3])
    assert.equal(await ids(site, '?search=_sure_'), [3])
    for (const text of ['%25', '_', '%25%25']) {
      const found = await ids(site, `?search=${text}`)
      assert.ok(
        found.every((id) => id === 3),
        text,
      )
    }
    assert.equal(await ids(site, `?search=${'term%20'.repeat(300)}`), [])
  })

  comments('S7: return 400 or an empty page for extreme page numbers', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    for (const query of [
      'per_page=0',
      'per_page=101',
      'per_page=-1',
      'per_page=NaN',
      'page=0',
      'page=-1',
      'page=x',
      'offset=0x10',
      'post=x',
    ]) {
      assert.is((await site.get(at(`?${query}`))).status, 400, query)
    }
    for (const query of ['page=1000000', 'offset=1000000', 'offset=9007199254740991', 'page=9007199254740991']) {
      const response = await site.get(at(`?${query}`))
      assert.equal([response.status, await response.json(), total(response)], [200, [], '5'], query)
    }
    const numbers = (length: number) => Array.from({ length }, (_, index) => index + 100)
    const dispatched = (query: Record<string, unknown>) =>
      site.kernel.server.dispatch(new RestRequest('GET', at(), { query }))
    const lists = ['include', 'exclude', 'parent', 'parent_exclude', 'post']
    const full = Object.fromEntries(lists.map((list) => [list, numbers(4000)]))
    assert.equal([(await dispatched(full)).status, (await dispatched({ include: numbers(4001) })).status], [200, 400])
  })

  comments('S2: bind every value of a request, so that values do not change the SQL text', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    const values: Record<string, readonly string[]> = {
      search: ["'", '%', '";drop table comments;--', 'x'.repeat(1500), '١٢'],
      status: ["'", "approve' or 1=1", '__proto__', 'constructor'],
      type: ["'", 'comment)', '__proto__', 'toString'],
      author_email: ['a@b.test', "o'hara@b.test"],
      post: ['1', '6', '77'],
      parent: ['1', '999999'],
      include: ['1', '-1', '00001'],
      exclude: ['1', '-1'],
      author: ['1', '0'],
      author_exclude: ['1', '0'],
      after: ['2024-01-01T00:00:00', '1999-12-31T23:59:59+05:30'],
      offset: ['1', '2'],
      password: ["'", 'x'],
    }
    for (const [parameter, list] of Object.entries(values)) {
      const texts = new Set<string>()
      for (const value of list) {
        const query = new URLSearchParams({ [parameter]: value, per_page: '1', _fields: 'id' }).toString()
        const act = async () => assert.is((await site.get(at(`?${query}`), EDITOR)).status, 200, query)
        // The position of a page decides whether its total is counted.
        const statements = await site.statements(act)
        texts.add(statements.find((sql) => sql.includes('from "comments"') && !sql.includes('count(*)'))!)
      }
      assert.is(texts.size, 1, parameter)
    }
    for (const query of [
      'post[a]=1',
      "post[1' or 1=1]=1",
      'include[][]=1',
      'author[$gt]=1',
      'search[]=x',
      'status[]=all',
      'order=1',
      'include=1%20or%201',
      'parent=²',
    ]) {
      const { status } = await site.get(at(`?${query}`), EDITOR)
      assert.ok(status === 400 || status === 200, query)
    }
  })

  comments('S4: ignore unknown parameters', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    // Caches the total.
    await site.json(at('?per_page=2'))
    const plain = await site.statements(() => site.json(at('?per_page=2')))
    const odd = await site.statements(() =>
      site.json(at('?per_page=2&where[id]=1&filter[x]=y&knex=1&$or=1&approved=0&visibility=')),
    )
    assert.equal(odd, plain)
  })

  comments('load with a fixed number of statements, regardless of the length of the list', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    const { store } = site
    const more = Array.from({ length: 95 }, (_, index) => ({
      post_id: index % 2 === 0 ? 1 : 6,
      author_id: 5,
      content: `Number ${index}`,
      date: '2023-01-01 00:00:00',
      date_gmt: '2023-01-01 00:00:00',
    }))
    await store.run(store.db.insertInto('comments').values(more))
    for (const perPage of [1, 10, 100]) {
      const statements = await site.statements(() => site.json(at(`?per_page=${perPage}&type=comment&post=1,6`)))
      assert.ok(statements.length <= 5, `${statements.length} for ${perPage}`)
    }
    const single = await site.statements(() => site.json(at('/2')))
    assert.ok(single.length <= 3, `${single.length} for one`)
    const lean = await site.statements(() => site.json(at('?_fields=id&post=1')))
    assert.ok(lean.every((sql) => /from "comments"|from "posts"/.test(sql)) && lean.length <= 3)
  })

  comments('embed with one statement for the replies of a hundred posts and one for their parents', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    const { store } = site
    const when = { date: '2024-03-01 00:00:00', date_gmt: '2024-03-01 00:00:00' }
    const posts = Array.from({ length: 100 }, (_, index) => ({
      id: 1000 + index,
      title: `Post ${index}`,
      slug: `post-${index}`,
      status: 'publish',
      ...when,
    }))
    await store.run(store.db.insertInto('posts').values(posts))
    const replies = posts.flatMap(({ id }, index) =>
      Array.from({ length: (index % 4) * 4 }, (_, place) => ({ post_id: id, content: `Reply ${place}`, ...when })),
    )
    await store.run(store.db.insertInto('comments').values(replies))
    const counts = new Map<number, number>()
    const expected = new Map<number, number>()
    const statements = await site.statements(async () => {
      const list = await site.json(
        '/svc/v2/posts?per_page=100&orderby=id&order=asc&include=' +
          posts.map(({ id }) => id).join() +
          '&_embed=replies',
      )
      for (const post of list) counts.set(post.id, post._embedded?.replies[0].length ?? 0)
    })
    for (const [index, { id }] of posts.entries()) expected.set(id, (index % 4) * 4)
    assert.equal(counts, expected)
    assert.is(statements.filter((sql) => sql.includes('from "comments"')).length, 1)

    const children = await site.statements(async () => {
      const list = await site.json(at('?post=1&_embed=children,in-reply-to,up'))
      const [third, second] = list
      assert.equal(idsOf(second._embedded.children[0]), [3])
      assert.is(second._embedded['in-reply-to'][0].id, 1)
      assert.is(third._embedded.up[0].id, 1)
    })
    assert.is(children.filter((sql) => sql.includes('from "comments"')).length, 2)
  })

  comments('have the same totals, pages and order in embedded lists as in separate lists', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    const { comments: service } = site.kernel.services
    const queries = [
      { limit: 1 },
      { limit: 1, offset: 1 },
      { limit: 2, offset: 2, order: 'asc' as const },
      { limit: 5, offset: 50 },
      { limit: 3, orderby: 'type' as const, types: [] },
      { limit: 2, search: 'on the' },
    ]
    for (const query of queries) {
      const scope = new RequestCache()
      const postIds = [1, 2, 6, 7, 50]
      const batched = await Promise.all(
        postIds.map((id) => service.query({ visibility: null, ...query, posts: [id] }, scope)),
      )
      for (const [index, id] of postIds.entries()) {
        const single = await service.query({ visibility: null, ...query, posts: [id] }, new RequestCache())
        assert.equal(batched[index], single, `post ${id} ${JSON.stringify(query)}`)
      }
    }
  })

  comments('S10: do not embed resources that a direct request would reject', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    await site.store.run(
      site.store.db.insertInto('comments').values({
        id: 50,
        post_id: 1,
        parent_id: 4,
        content: 'To a held one.',
        date: '2024-05-01 00:00:00',
        date_gmt: '2024-05-01 00:00:00',
      }),
    )
    const text = await (await site.get(at('/50?_embed'))).text()
    const { _embedded: embedded } = JSON.parse(text)
    assert.is(embedded['in-reply-to'][0].code, 'rest_cannot_read')
    assert.not.match(text, /held answer/)
    const { _embedded: ofProtected } = await site.json('/svc/v2/posts/4?_embed=replies')
    assert.is(ofProtected.replies[0].code, 'rest_cannot_read_post')
  })

  comments('return specific codes for missing comments and posts', async () => {
    await using place = await make()
    await using site = await startSite(place.url)
    const missing = await site.get(at('/12345'))
    assert.equal([missing.status, (await body(missing)).code], [404, 'rest_comment_invalid_id'])
    assert.is((await site.get(at('/0'))).status, 404)
    assert.is((await site.get(at('/1?id=4'))).status, 200)
    assert.is((await site.json(at('/1?id=4'))).id, 1)
    assert.is((await site.get(at('?post=0'))).status, 401)
    assert.equal(await ids(site, '?include=19', EDITOR), [19])
  })

  comments('include meta and fields of other plugins, which can change text, query and response', async () => {
    await using place = await make()
    const own = definePlugin({
      name: 'own',
      needs: ['comments', 'meta', 'extra-fields'],
      apply({ hooks, services }) {
        services.meta.register('comment', 'mood', { type: 'string', single: true, show_in_rest: true })
        services.extraFields.register('comment', 'length', {
          get_callback: (data) => (data['content'] as { rendered: string }).rendered.length,
          schema: { type: 'integer', context: ['view'] },
        })
        hooks.comment_text.tap({ name: 'own', stage: -1 }, (text) => text.replace('answer', 'reply'))
        hooks.rest_query.for('comment').tap('own', (query) => ({ ...query, exclude: [1] }))
        hooks.rest_prepare.for('comment').tap('own', (response, comment) => {
          response.addLink('own', `https://own.test/${comment.id}`)
          return response
        })
      },
    })
    await using site = await startSite(place.url, [own])
    const { store } = site
    await store.run(store.db.insertInto('comment_meta').values({ comment_id: 2, key: 'mood', value: 'calm' }))
    const list = await site.json(at('?post=1'))
    assert.equal(idsOf(list), [3, 2])
    const [, second] = list
    assert.equal(second.meta, { mood: 'calm', _svc_note_status: null })
    assert.equal(second.content, { rendered: '<p>An reply.</p>\n' })
    assert.is(second.length, '<p>An reply.</p>\n'.length)
    assert.equal(second._links.own, [{ href: 'https://own.test/2' }])
    await removePlugin(site.kernel, 'own')
    assert.equal(await ids(site, '?post=1'), [3, 2, 1])
    assert.equal((await site.json(at('/2'))).meta, { _svc_note_status: null })
  })

  comments('describe their schema in OPTIONS, with avatars only if the site shows them', async () => {
    await using place = await (name === 'SQLite' ? filePlace() : make())
    await using site = await startSite(place.url)
    const described = await body(await site.request(at(), { method: 'OPTIONS' }))
    assert.is(described.schema.title, 'comment')
    assert.equal(described.endpoints[0].args.orderby.enum, [
      'date',
      'date_gmt',
      'id',
      'include',
      'post',
      'parent',
      'type',
    ])
    assert.ok(described.schema.properties.author_avatar_urls)
    await site.kernel.services.options.set('show_avatars', false)
    await using again = await serve({ database: place.url })
    const one = await again.json(at('/1'))
    assert.equal([one.id, one.author_avatar_urls], [1, undefined])
  })

  comments.run()
}
