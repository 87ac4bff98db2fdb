import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError } from '../../../../kernel/index.ts'
import type { Post } from '../../../../plugins/content/posts/index.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { databases, serveWithUsers, type UserIds, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { startOnly } from '../../../helpers/site.ts'

startOnly('posts')

const LIST = '/svc/v2/posts'

type Login = keyof UserIds
// oxlint-disable-next-line typescript/no-explicit-any -- assertions check the shape of responses
type Body = any
type Answer = { status: number; body: Body; headers: Headers }

/** A third-party plugin with taps on posts; `seen` records their calls. */
const calls: string[] = []
const extras = definePlugin({
  name: 'test-extras',
  needs: ['posts', 'meta', 'extra-fields', 'taxonomies', 'content-types'],
  apply({ hooks, services }) {
    const { contentTypes, extraFields: fields, meta, taxonomies } = services
    contentTypes.register('film', { public: true, show_in_rest: true, supports: ['title', 'editor', 'custom-fields'] })
    taxonomies.register('mood', 'film', { show_in_rest: true, default_term: { name: 'Plain mood' } })
    meta.register('post', 'stars', { type: 'integer', single: true, show_in_rest: true })
    const mottos = new Map<number, string>()
    fields.register('post', 'motto', {
      schema: { type: 'string', context: ['view', 'edit'] },
      get_callback: ({ id }) => mottos.get(Number(id)) ?? '',
      update_callback: (value, post: Post) => {
        if (value === 'bad') return new RestError('motto_bad', 'No.', { status: 400 })
        mottos.set(post.id, String(value))
        return undefined
      },
    })
    hooks.rest_pre_insert_post.tap('extras', (change: { title?: string }) => {
      if (change.title === 'forbidden') throw new RestError('no_such_title', 'No.', { status: 422 })
      return change.title === 'plain' ? { ...change, title: 'fancy' } : change
    })
    hooks.rest_insert_post.tap('extras', (post: Post, _: unknown, creating: boolean) => {
      calls.push(`insert ${post.title} ${creating}`)
    })
    hooks.rest_after_insert_post.tap('extras', (post: Post, _: unknown, creating: boolean) => {
      calls.push(`after ${post.title} ${creating}`)
    })
    hooks.rest_delete_post.tap('extras', (post: Post) => void calls.push(`delete ${post.title}`))
    hooks.transition_post_status.tap('extras', (to, from, post) => void calls.push(`${from} → ${to} ${post.title}`))
  },
})

for (const { name, place } of databases) {
  const writing = suite(`writing posts on ${name}`)
  const start = (plugins = {}) => serveWithUsers(place, { add: [extras], plugins })
  const send = async (
    site: SiteWithUsers,
    method: string,
    path: string,
    body?: object,
    login?: Login,
  ): Promise<Answer> => {
    const response = await site.send(method, path, body, login)
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
  }
  const create = (site: SiteWithUsers, body: object, login: Login = 'ed') => send(site, 'POST', LIST, body, login)
  const change = (site: SiteWithUsers, id: number, body: object, login: Login = 'ed') =>
    send(site, 'PUT', `${LIST}/${id}`, body, login)
  const outcome = ({ status, body }: Answer) => [status, body.code]
  const rows = async (site: SiteWithUsers) =>
    (await site.store.first(site.store.db.selectFrom('posts').select(({ fn }) => fn.countAll<number>().as('n'))))!.n

  writing('returns the URL of a new draft, in the context edit', async () => {
    await using site = await start()
    const { status, headers, body } = await create(site, { title: 'Hello you', content: 'Text' }, 'ann')
    assert.is(status, 201)
    assert.is(headers.get('location'), `${site.home}/svc-json${LIST}/${body.id}`)
    assert.is(headers.get('allow'), 'GET, POST')
    assert.equal([body.status, body.slug, body.author, body.title.raw], ['draft', '', site.users.ann, 'Hello you'])
    assert.equal([body.comment_status, body.ping_status, body.guid.raw], ['open', 'open', `${site.home}/?p=${body.id}`])
    assert.is(body.generated_slug, 'hello-you')
    const read = await site.json(`${LIST}/${body.id}?context=edit`, site.by('ann'))
    assert.equal(read.content.raw, 'Text')
  })

  writing('accepts texts as strings or objects, and ignores read-only fields', async () => {
    await using site = await start()
    const { body } = await create(site, {
      title: { raw: 'Raw', rendered: 'x' },
      content: { raw: 3.5 },
      guid: 'x',
      modified: '2001-01-01T00:00:00',
      type: 'page',
      comment_count: 7,
      link: 'x',
    })
    assert.equal([body.title.raw, body.content.raw, body.type], ['Raw', '3.5', 'post'])
    assert.is.not(body.guid.raw, 'x')
    assert.not.match(body.modified, /^2001/)
    const named = await create(site, { title: 'x', id: 1 })
    assert.equal(outcome(named), [400, 'rest_post_exists'])
    const empty = await create(site, {})
    assert.equal(outcome(empty), [400, 'empty_content'])
    assert.equal(outcome(await change(site, body.id, { title: '', content: '', excerpt: '' })), [400, 'empty_content'])
  })

  writing('ignores numbers, flags and lists as texts', async () => {
    await using site = await start()
    const { body } = await create(site, { title: 'Kept', content: 'Kept', excerpt: 'Kept' })
    for (const value of [7, true, ['x'], { rendered: 'x' }, null]) {
      for (const field of ['title', 'content', 'excerpt']) {
        assert.equal(outcome(await create(site, { [field]: value })), [400, 'empty_content'])
        const { body: changed } = await change(site, body.id, { [field]: value })
        assert.is(changed[field].raw, 'Kept', `${field} ${JSON.stringify(value)}`)
      }
    }
  })

  writing('writes to the post in the URL, regardless of the body', async () => {
    await using site = await start()
    const [one, two] = (await addPosts(site.store, { title: 'One' }, { title: 'Two' })) as [number, number]
    await change(site, one, { id: two, title: 'Changed' })
    await send(site, 'POST', `${LIST}/${one}?id=${two}`, { content: 'c' }, 'ed')
    const titles = [one, two].map(async (id) => (await site.json(`${LIST}/${id}`)).title.rendered as string)
    assert.equal(await Promise.all(titles), ['Changed', 'Two'])
  })

  writing('gives published posts slugs that are unique in their type and below their parent', async () => {
    await using site = await start()
    const slug = async (path: string, body: object) =>
      (await send(site, 'POST', path, { title: 'Same', status: 'publish', ...body }, 'ed')).body.slug as string
    assert.equal(
      [await slug(LIST, {}), await slug(LIST, {}), await slug(LIST, { slug: 'SAME ' }), await slug('/svc/v2/film', {})],
      ['same', 'same-2', 'same-3', 'same'],
    )
    const { body: top } = await send(site, 'POST', '/svc/v2/pages', { title: 'Top', status: 'publish' }, 'ed')
    assert.equal(
      [
        await slug('/svc/v2/pages', {}),
        await slug('/svc/v2/pages', { parent: top.id }),
        await slug('/svc/v2/pages', { parent: top.id }),
        await slug('/svc/v2/pages', { title: 'page2' }),
        await slug('/svc/v2/pages', { title: '2020' }),
      ],
      ['same', 'same', 'same-2', 'page2-2', '2020-2'],
    )
    const { body: untitled } = await create(site, { content: 'x', status: 'publish' })
    assert.is(untitled.slug, String(untitled.id))
    assert.is(await slug(LIST, { title: 'Feed' }), 'feed-2')
    const long = 'ж'.repeat(60)
    const [first, second] = [await slug(LIST, { title: long }), await slug(LIST, { title: long })]
    assert.ok(first.length <= 200 && second.length <= 200 && second.endsWith('-2'))
    assert.not.throws(() => decodeURIComponent(second))
  })

  writing('preserves the slug of a published post when its title changes, and leaves drafts without one', async () => {
    await using site = await start()
    const { body } = await create(site, { title: 'First', status: 'publish' })
    assert.is((await change(site, body.id, { title: 'Second' })).body.slug, 'first')
    assert.is((await change(site, body.id, { slug: '' })).body.slug, 'second')
    const { body: draft } = await create(site, { title: 'Draft', slug: 'Given Name' })
    assert.is(draft.slug, 'given-name')
    assert.is((await change(site, draft.id, { status: 'publish' })).body.slug, 'given-name')
  })

  writing('dates drafts at publication, and reads dates in the time zone of the site', async () => {
    await using site = await start()
    await site.kernel.services.options.set('timezone', 'America/New_York')
    const { body: dated } = await create(site, { title: 'x', date: '2016-07-03T04:05:06', status: 'publish' })
    assert.equal([dated.date, dated.date_gmt], ['2016-07-03T04:05:06', '2016-07-03T08:05:06'])
    assert.is(dated.modified, '2016-07-03T04:05:06')
    const { body: utc } = await create(site, { title: 'x', date_gmt: '2016-02-03T04:05:06', status: 'publish' })
    assert.is(utc.date, '2016-02-02T23:05:06')
    const { body: draft } = await create(site, { title: 'x' })
    const stored = async () =>
      (await site.store.first(
        site.store.db
          .selectFrom('posts')
          .select(['date', 'date_gmt'])
          .where('id', '=', draft.id as number),
      ))!
    assert.is((await stored()).date_gmt, '')
    await site.store.run(
      site.store.db
        .updateTable('posts')
        .set({ date: '2020-01-01 00:00:00' })
        .where('id', '=', draft.id as number),
    )
    await change(site, draft.id, { status: 'publish' })
    assert.not.match((await stored()).date, /^2020/)
    assert.is.not((await stored()).date_gmt, '')
    const { body: set } = await change(site, dated.id, { date: null })
    assert.not.match(set.date, /^2016/)
    assert.equal(outcome(await change(site, dated.id, { date: '2016-02-30T00:00:00' })), [400, 'rest_invalid_param'])
  })

  writing('schedules future posts, and publishes posts that are due', async () => {
    await using site = await start()
    const soon = `${new Date().getUTCFullYear() + 2}-01-01T00:00:00`
    const { body } = await create(site, { title: 'x', status: 'publish', date_gmt: soon })
    assert.is(body.status, 'future')
    assert.is((await site.get(`${LIST}/${body.id}`)).status, 401)
    const { body: now } = await change(site, body.id, { status: 'publish', date_gmt: '2020-01-01T00:00:00' })
    assert.is(now.status, 'publish')
    const { body: past } = await create(site, { title: 'x', status: 'future', date_gmt: '2020-01-01T00:00:00' })
    assert.is(past.status, 'publish')
    const { body: draft } = await create(site, { title: 'x', status: 'draft', date_gmt: soon })
    assert.is(draft.status, 'draft')
  })

  writing('assigns categories, tags and formats, and counts published posts', async () => {
    await using site = await start()
    const { store } = site
    const [news, other] = [
      await addTerm(store, { taxonomy: 'category', name: 'News' }),
      await addTerm(store, { taxonomy: 'category', name: 'Other' }),
    ]
    const tag = await addTerm(store, { taxonomy: 'post_tag', name: 'Tag' })
    await site.kernel.services.options.set('default_category', other)
    const counts = async () =>
      (
        await store.all(
          store.db.selectFrom('terms').select('count').where('id', 'in', [news, other, tag]).orderBy('id'),
        )
      ).map(({ count }) => count)
    const { body } = await create(site, { title: 'x', categories: [news, 99_999, tag], tags: [tag], format: 'aside' })
    assert.equal([body.categories, body.tags, body.format], [[news], [tag], 'aside'])
    assert.equal(await counts(), [0, 0, 0])
    await change(site, body.id, { status: 'publish' })
    assert.equal(await counts(), [1, 0, 1])
    const { body: moved } = await change(site, body.id, { categories: [other], tags: [], format: 'standard' })
    assert.equal([moved.categories, moved.tags, moved.format], [[other], [], 'standard'])
    assert.equal(await counts(), [0, 1, 0])
    await send(site, 'DELETE', `${LIST}/${body.id}`, undefined, 'ed')
    assert.equal(await counts(), [0, 0, 0])
    assert.equal((await create(site, { title: 'none given' })).body.categories, [other])
    const { body: film } = await send(site, 'POST', '/svc/v2/film', { title: 'x' }, 'ed')
    assert.equal(await site.json(`/svc/v2/mood/${film.mood[0]}?_fields=name`), { name: 'Plain mood' })
  })

  writing('clears the password of private posts', async () => {
    await using site = await start()
    const { body: created } = await create(site, { title: 'x', status: 'private', password: 'w' })
    assert.equal([created.status, created.password, created.content.protected], ['private', '', false])
    const { body: protectedPost } = await create(site, { title: 'y', status: 'publish', password: 'w' })
    const { body: hidden } = await change(site, protectedPost.id, { status: 'private' })
    assert.equal([protectedPost.password, hidden.password, hidden.content.protected], ['w', '', false])
  })

  writing('makes posts sticky for permitted users only, never with a password', async () => {
    await using site = await start()
    const { body } = await create(site, { title: 'x', status: 'publish', sticky: true })
    assert.is(body.sticky, true)
    assert.equal(outcome(await change(site, body.id, { password: 'w' })), [400, 'rest_invalid_field'])
    assert.equal(outcome(await create(site, { title: 'x', password: 'w', sticky: true })), [400, 'rest_invalid_field'])
    const { body: protectedPost } = await change(site, body.id, { password: 'w', sticky: false })
    assert.equal([protectedPost.password, protectedPost.sticky, protectedPost.content.protected], ['w', false, true])
    const { body: other } = await create(site, { title: 'x', status: 'publish', sticky: true })
    await send(site, 'DELETE', `${LIST}/${other.id}?force=true`, undefined, 'ed')
    assert.equal(await site.kernel.services.posts.sticky(), [])
  })

  writing('accepts only images as featured image, and only templates of the theme', async () => {
    await using site = await start()
    const [image, text] = (await addPosts(
      site.store,
      { type: 'attachment', status: 'inherit', mime_type: 'image/png' },
      { type: 'attachment', status: 'inherit', mime_type: 'text/plain' },
    )) as [number, number]
    const { body } = await create(site, { title: 'x', featured_media: image })
    assert.is(body.featured_media, image)
    assert.is((await change(site, body.id, { featured_media: 99_999 })).body.featured_media, image)
    assert.is((await change(site, body.id, { featured_media: text })).body.featured_media, 0)
    assert.equal(outcome(await change(site, body.id, { template: 'wide' })), [400, 'rest_invalid_param'])
    site.kernel.hooks.theme_templates.tap('test', () => ['wide'])
    assert.is((await change(site, body.id, { template: 'wide' })).body.template, 'wide')
    assert.is((await change(site, body.id, { template: '' })).body.template, '')
  })

  writing('nests pages, but never below themselves', async () => {
    await using site = await start()
    const page = async (body: object) => (await send(site, 'POST', '/svc/v2/pages', { title: 'P', ...body }, 'ed')).body
    const move = async (id: number, parent: number) => send(site, 'PUT', `/svc/v2/pages/${id}`, { parent }, 'ed')
    const top = await page({ menu_order: 3 })
    const below = await page({ parent: top.id })
    assert.equal([top.menu_order, below.parent, top.comment_status], [3, top.id, 'closed'])
    assert.equal(outcome(await move(top.id, 99_999)), [400, 'rest_post_invalid_id'])
    assert.is((await move(top.id, below.id)).body.parent, 0)
    assert.is((await move(top.id, top.id)).body.parent, 0)
    const [file] = await addPosts(site.store, { type: 'attachment', status: 'inherit', parent_id: below.id })
    const lowest = await page({ parent: below.id })
    await send(site, 'DELETE', `/svc/v2/pages/${below.id}?force=true`, undefined, 'ed')
    assert.is((await site.json(`/svc/v2/pages/${lowest.id}?context=edit`, site.by('ed'))).parent, top.id)
    const row = await site.store.first(site.store.db.selectFrom('posts').select('parent_id').where('id', '=', file!))
    assert.is(row!.parent_id, 0)
  })

  writing('moves posts to the trash and back, and deletes them with everything that belongs to them', async () => {
    await using site = await start()
    const { store } = site
    const { options } = site.kernel.services
    const { body } = await create(site, { title: 'Life', status: 'publish', meta: { stars: 3 } })
    const path = `${LIST}/${body.id}`
    await change(site, body.id, { content: 'two' })
    await options.set('page_on_front', body.id)
    await store.run(store.db.insertInto('comments').values({ post_id: body.id, content: 'c' }))
    const trashed = await send(site, 'DELETE', path, undefined, 'ed')
    assert.equal([trashed.body.status, trashed.body.slug], ['trash', 'life__trashed'])
    assert.is(trashed.headers.get('allow'), 'GET, POST, PUT, PATCH, DELETE')
    assert.is(Number(await options.get('page_on_front')), 0)
    assert.equal(outcome(await send(site, 'DELETE', path, undefined, 'ed')), [410, 'rest_already_trashed'])
    assert.is((await create(site, { title: 'Life', status: 'publish' })).body.slug, 'life')
    assert.is((await change(site, body.id, { title: 'In the trash', status: 'trash' })).body.status, 'trash')
    const { body: restored } = await change(site, body.id, { status: 'publish' })
    assert.equal([restored.status, restored.slug], ['publish', 'life-2'])
    const deleted = await send(site, 'DELETE', `${path}?force=true`, undefined, 'ed')
    assert.equal([deleted.status, deleted.body.deleted, deleted.body.previous.slug], [200, true, 'life-2'])
    assert.is(deleted.body.previous._links, undefined)
    assert.is(deleted.headers.get('allow'), null)
    assert.equal(outcome(await send(site, 'DELETE', path, undefined, 'ed')), [404, 'rest_post_invalid_id'])
    for (const [table, column] of [
      ['posts', 'parent_id'],
      ['comments', 'post_id'],
      ['post_meta', 'post_id'],
      ['term_relationships', 'post_id'],
    ] as const) {
      const remaining = await store.all(
        store.db
          .selectFrom(table)
          .selectAll()
          .where(column as 'post_id', '=', body.id),
      )
      assert.is(remaining.length, 0, table)
    }
  })

  writing('has no trash for types that a plugin excludes from it', async () => {
    await using site = await start()
    site.kernel.hooks.rest_trashable.for('post').tap('test', () => false)
    const { body } = await create(site, { title: 'x' })
    const refused = await send(site, 'DELETE', `${LIST}/${body.id}`, undefined, 'ed')
    assert.equal(outcome(refused), [501, 'rest_trash_not_supported'])
  })

  writing('rolls back a refused write completely', async () => {
    await using site = await start()
    const before = await rows(site)
    assert.equal(outcome(await create(site, { title: 'x', motto: 'bad', sticky: true })), [400, 'motto_bad'])
    assert.equal(outcome(await create(site, { title: 'x', meta: { stars: 'many' } })), [400, 'rest_invalid_type'])
    assert.is(await rows(site), before)
    assert.equal(await site.kernel.services.posts.sticky(), [])
    const { body } = await create(site, { title: 'Kept', meta: { stars: 2 }, motto: 'good', tags: [] })
    assert.equal([body.meta.stars, body.motto], [2, 'good'])
    await change(site, body.id, { title: 'Lost', content: 'lost', meta: { stars: 5 }, motto: 'bad', sticky: true })
    const { title, meta, sticky, _links } = await site.json(`${LIST}/${body.id}?context=edit`, site.by('ed'))
    assert.equal([title.raw, meta.stars, sticky, _links['version-history'][0].count], ['Kept', 2, false, 0])
  })

  writing('runs hooks that can change or refuse it', async () => {
    await using site = await start()
    calls.length = 0
    const { body } = await create(site, { title: 'plain', status: 'publish' })
    assert.is(body.title.raw, 'fancy')
    assert.equal(outcome(await change(site, body.id, { title: 'forbidden' })), [422, 'no_such_title'])
    await change(site, body.id, { status: 'draft' })
    await send(site, 'DELETE', `${LIST}/${body.id}`, undefined, 'ed')
    assert.equal(calls, [
      'new → publish fancy',
      'insert fancy true',
      'after fancy true',
      'publish → draft fancy',
      'insert fancy false',
      'after fancy false',
      'draft → trash fancy',
      'delete fancy',
    ])
  })

  writing('is visible immediately in lists, totals and later requests of a batch', async () => {
    await using site = await start()
    const total = async () => (await site.get(`${LIST}?per_page=1`)).headers.get('x-svc-total')
    assert.is(await total(), '1')
    const { body } = await create(site, { title: 'x', status: 'publish' })
    assert.is(await total(), '2')
    const requests = [
      { method: 'PUT', path: `${LIST}/${body.id}`, body: { title: 'y' } },
      { method: 'PUT', path: `${LIST}/${body.id}`, body: { content: 'z', sticky: true } },
      { method: 'DELETE', path: `${LIST}/${body.id}` },
      { method: 'DELETE', path: `${LIST}/${body.id}` },
    ]
    const { body: batch } = await send(site, 'POST', '/batch/v1', { requests }, 'ed')
    const [, second, third, fourth] = batch.responses as { body: Body; status: number }[]
    assert.equal([second!.body.title.raw, second!.body.content.raw, second!.body.sticky], ['y', 'z', true])
    assert.equal([third!.body.status, third!.body.sticky, fourth!.status], ['trash', false, 410])
    assert.is(await total(), '1')
  })

  writing('returns the raw text of reusable blocks', async () => {
    await using site = await start()
    const content = '<!-- wp:paragraph --><p>x</p><!-- /wp:paragraph -->'
    const { status, body } = await send(
      site,
      'POST',
      '/svc/v2/blocks',
      { title: 'B', content, status: 'publish' },
      'ann',
    )
    assert.equal([status, body.title, body.content.raw], [201, { raw: 'B' }, content])
    assert.equal(outcome(await send(site, 'POST', '/svc/v2/blocks', { title: 'B' }, 'con')), [
      403,
      'rest_cannot_create',
    ])
  })

  writing('is not affected by property names of Object.prototype', async () => {
    await using site = await start()
    const body = JSON.parse(
      '{"title":"x","__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"toString":"a"}',
    ) as object
    assert.is((await create(site, body)).status, 201)
    const meta = JSON.parse('{"title":"x","meta":{"__proto__":{"x":1},"toString":1}}') as object
    assert.ok((await create(site, meta)).status < 500)
    assert.is(({} as { x?: number }).x, undefined)
  })

  writing.run()
}
