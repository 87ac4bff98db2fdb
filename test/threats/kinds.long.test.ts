import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache } from '../../kernel/index.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../helpers/site-with-users.ts'
import { requestAs, V2, type Json } from './request-as.ts'

// A post, a term, a comment, a user and an option of one number are five things: whatever is kept of one by its number
// must not be found, changed or deleted with another.

const ID = 777
const KINDS = ['post', 'page', 'term', 'comment', 'user'] as const
const PATHS = {
  post: `${V2}/posts/${ID}`,
  page: `${V2}/pages/${ID + 1}`,
  term: `${V2}/categories/${ID}`,
  comment: `${V2}/comments/${ID}`,
  user: `${V2}/users/${ID}`,
} as const
const NAMES = { post: 'title', page: 'title', term: 'name', comment: 'content', user: 'name' } as const

const marks = definePlugin({
  name: 'marks',
  needs: ['meta'],
  apply({ services }) {
    for (const type of ['post', 'term', 'comment', 'user'] as const)
      services.meta.register(type, 'mark', { type: 'string', single: true, show_in_rest: true })
  },
})

/** Objects of every kind with one number. */
async function create(site: SiteWithUsers): Promise<void> {
  const { store } = site
  const { db } = store
  const date = { date: '2025-01-05 10:00:00', date_gmt: '2025-01-05 10:00:00' }
  const post = { ...date, status: 'publish', author_id: site.users.ann }
  await store.run(db.insertInto('posts').values({ id: ID, ...post, title: 'post', slug: 'kind-post' }))
  await store.run(
    db.insertInto('posts').values({ id: ID + 1, ...post, type: 'page', title: 'page', slug: 'kind-page' }),
  )
  await store.run(db.insertInto('terms').values({ id: ID, taxonomy: 'category', name: 'term', slug: 'kind-term' }))
  await store.run(
    db
      .insertInto('comments')
      .values({ id: ID, post_id: ID, approved: '1', content: 'comment', author_name: 'x', date_gmt: date.date_gmt }),
  )
  await store.run(
    db.insertInto('users').values({
      id: ID,
      login: 'kind',
      email: 'kind@mail.example',
      name: 'user',
      slug: 'kind-user',
      registered: date.date_gmt,
      password_hash: '',
    }),
  )
}

const textOf = (kind: (typeof KINDS)[number], { body }: { body: Json }): string => {
  const value = body[NAMES[kind]]
  return String(value?.rendered ?? value).replaceAll(/<[^>]*>|\n/g, '')
}

for (const { name, place } of databases) {
  const kinds = suite(`objects with the same ID on ${name}`)

  kinds('S49: have separate meta and caches, and are deleted separately', async () => {
    await using site = await serveWithUsers(place, { add: [marks] })
    await create(site)
    const read = async () => {
      const seen: Record<string, string> = {}
      for (const kind of KINDS) {
        const answer = await requestAs(site, 'admin', 'GET', `${PATHS[kind]}?context=edit`)
        const { status, body } = answer
        seen[kind] = status === 200 ? `${textOf(kind, answer)} ${String(body.meta.mark)}` : String(status)
      }
      return seen
    }
    // Kept, once and again.
    await read()
    const expected: Record<string, string> = Object.fromEntries(KINDS.map((kind) => [kind, `${kind} `]))
    assert.equal(await read(), expected)
    for (const kind of KINDS) {
      const { status } = await requestAs(site, 'admin', 'POST', PATHS[kind], { meta: { mark: `m-${kind}` } })
      assert.is(status, 200)
      expected[kind] = `${kind} m-${kind}`
      assert.equal(await read(), expected, kind)
    }
    for (const kind of KINDS) {
      await requestAs(site, 'admin', 'POST', PATHS[kind], { [NAMES[kind]]: `new ${kind}` })
      expected[kind] = `new ${kind} m-${kind}`
      assert.equal(await read(), expected, kind)
    }
    // Deleted one after the other; the comment goes with its post.
    for (const kind of ['comment', 'term', 'page', 'post', 'user'] as const) {
      const query = kind === 'user' ? '?force=true&reassign=false' : '?force=true'
      assert.is((await requestAs(site, 'admin', 'DELETE', `${PATHS[kind]}${query}`)).status, 200, kind)
      expected[kind] = '404'
      assert.equal(await read(), expected, kind)
    }
  })

  kinds('S49: have separate loaders, meta values, change events and capabilities', async () => {
    await using site = await serveWithUsers(place, { add: [marks] })
    await create(site)
    const { changeHistory, comments, meta, posts, terms, users } = site.kernel.services
    // One scope for all, as in one request.
    const scope = new RequestCache()
    const found = await Promise.all([
      posts.get(ID, scope),
      terms.get(ID, scope),
      comments.get(ID, scope),
      users.get(ID, scope),
    ])
    assert.equal(
      [found[0]?.title, found[1]?.name, found[2]?.content, found[3]?.name],
      ['post', 'term', 'comment', 'user'],
    )
    for (const kind of ['post', 'term', 'comment', 'user'] as const)
      await meta.write(kind, ID, 'mark', [`of ${kind}`], new RequestCache())
    const values = await Promise.all(
      (['post', 'term', 'comment', 'user'] as const).map((kind) => meta.single(kind, ID, 'mark', scope)),
    )
    assert.equal(values, ['of post', 'of term', 'of comment', 'of user'])
    // Which one an event is about is never in doubt.
    const { last } = await changeHistory.bounds()
    await requestAs(site, 'admin', 'POST', PATHS.term, { name: 'changed' })
    const changes = await changeHistory.after(last, 100)
    const tags = changes.flatMap((change) => change.tags)
    assert.ok(tags.includes(`term:${ID}`))
    assert.not.ok(
      tags.some((tag) => /^(?:post|comment|user):777$/.test(tag)),
      tags.join(' '),
    )
    // Rights of a user of the number of a post are not rights to the post.
    const asThem = { user: { id: ID }, scope: new RequestCache() }
    const may = site.kernel.services.capabilities.can(asThem.user, 'edit_post', {
      id: ID,
      type: 'post',
      status: 'publish',
      author_id: site.users.ann,
      parent_id: 0,
    })
    assert.is(may, false)
  })

  kinds.run()
}
