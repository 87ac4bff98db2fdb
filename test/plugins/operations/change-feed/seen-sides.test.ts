import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache, type CurrentUser, type PluginContext } from '../../../../kernel/index.ts'
import { TermChangeReader } from '../../../../plugins/content/terms/change-reader.ts'
import type { Change } from '../../../../plugins/storage/changes/index.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { currentUser, nameOf, LOGINS, readsAs } from './readable.ts'

/** Roles with a single capability of editors. */
const ROLES = {
  proof: 'read edit_posts edit_others_posts',
  desk: 'read edit_posts edit_others_posts edit_published_posts',
  lister: 'read list_users',
  carer: 'read edit_users',
} as const

/** These roles, a taxonomy that is not served, one that only authors see, and fields that are served. */
const rooms = definePlugin({
  name: 'rooms',
  needs: ['content-types', 'taxonomies', 'meta', 'roles'],
  apply({ services: { contentTypes, taxonomies, meta, roles } }) {
    for (const [name, capabilities] of Object.entries(ROLES)) roles.register(name, name, capabilities.split(' '))
    contentTypes.register('inside', { show_in_rest: false, public: true })
    taxonomies.register('inner', ['post'], { show_in_rest: false, public: true })
    taxonomies.register('desks', ['post'], { show_in_rest: true, public: false })
    taxonomies.register('outer', ['post'], { show_in_rest: true, public: true })
    for (const type of ['term', 'comment'] as const)
      meta.register(type, 'shown_size', { type: 'string', single: true, show_in_rest: true })
  },
})

const KEYS = ['shown_size', '_secret_size', 'plain_size']
const READERS_OF_DRAFTS = ['shy', 'ed', 'admin', 'proof', 'desk']

for (const { name, place } of databases) {
  const sides = suite(`sides of seen changes on ${name}`)
  let site: SiteWithUsers
  const usersByLogin = new Map<string, CurrentUser>()

  sides.before(async () => {
    site = await serveWithUsers(place, { add: [rooms] })
    const { users } = site.kernel.services
    for (const login of LOGINS) usersByLogin.set(String(login), await currentUser(site, login))
    for (const role of Object.keys(ROLES)) {
      const { id } = await users.create({ login: role, email: `${role}@mail.example`, roles: [role] })
      usersByLogin.set(role, (await users.current(id))!)
    }
  })
  sides.after(async () => site[Symbol.asyncDispose]())

  const act = () => ({ user: { id: site.users.admin }, scope: new RequestCache() })
  const create = async (status: string, more: object = {}): Promise<number> => {
    const post = { type: 'post', title: 'One', author_id: site.users.shy, ...more }
    return (await site.kernel.services.posts.create({ ...post, status }, act())).id
  }
  const attach = (parent_id: number, more: object = {}) =>
    create('inherit', { type: 'attachment', parent_id, mime_type: 'image/png', ...more })
  const update = (id: number, change: object) => site.kernel.services.posts.update(id, change, act())

  /** The changes that each user sees of a write. */
  const seenAfter = async (write: () => Promise<unknown>) => {
    const { changeHistory, changeFeed: seenChanges } = site.kernel.services
    const { last } = await changeHistory.bounds()
    await write()
    const changes = await changeHistory.after(last, 1000)
    const seen = await Promise.all([...usersByLogin.values()].map((user) => seenChanges.seenBy(user, changes)))
    return new Map([...usersByLogin.keys()].map((login, index) => [login, seen[index]!]))
  }
  type SeenByLogin = Awaited<ReturnType<typeof seenAfter>>

  /** The changes that each user sees of one object: `update draft→trash`; users who see none are omitted. */
  const changesOf = (seenByLogin: SeenByLogin, object: string) =>
    Object.fromEntries(
      [...seenByLogin].flatMap(([login, seen]) =>
        seen
          .filter((one) => nameOf(one) === object)
          .map((one) => [login, `${one.change} ${one.previous_status ?? ''}→${one.status ?? ''}`]),
      ),
    )
  const expect = (seenByLogin: SeenByLogin, object: string, texts: Readonly<Record<string, readonly string[]>>) =>
    assert.equal(
      changesOf(seenByLogin, object),
      Object.fromEntries(Object.entries(texts).flatMap(([text, logins]) => logins.map((login) => [login, text]))),
    )
  /** Logins of the users who see a tag. */
  const loginsSeeing = (seenByLogin: SeenByLogin, tag: string) =>
    [...seenByLogin].flatMap(([login, seen]) => (seen.some(({ tags }) => tags.includes(tag)) ? [login] : []))
  const all = () => [...usersByLogin.keys()]
  const allBut = (some: readonly string[]) => all().filter((login) => !some.includes(login))

  sides(
    'S17: trashed posts with an unknown previous status are reported to users who could read them in any status',
    async () => {
      const [draft, published] = [await create('draft'), await create('publish')]
      const trash = (id: number) => seenAfter(() => site.send('DELETE', `/svc/v2/posts/${id}`, {}, 'admin'))
      const left = await trash(draft)
      expect(left, `post ${draft}`, { 'update draft→trash': READERS_OF_DRAFTS })
      for (const [login, user] of usersByLogin)
        assert.is(await readsAs(site, `/svc/v2/posts/${draft}`, user), READERS_OF_DRAFTS.includes(login), login)
      const changers = ['shy', 'ed', 'admin', 'desk']
      expect(await trash(published), `post ${published}`, {
        'update publish→trash': changers,
        'delete publish→': allBut(changers),
      })
      // They may have been private.
      for (const id of [draft, published])
        expect(await seenAfter(() => update(id, { title: 'Two' })), `post ${id}`, {
          'update trash→trash': ['shy', 'ed', 'admin'],
        })
      const image = await attach(published, { author_id: site.users.admin })
      expect(await seenAfter(() => update(image, { title: 'Two' })), `post ${image}`, {
        'update inherit→inherit': ['shy', 'ed', 'admin'],
      })
      expect(await seenAfter(() => update(image, { status: 'trash' })), `post ${image}`, {
        'update inherit→trash': ['ed', 'admin'],
        'delete inherit→': ['shy'],
        'create →trash': ['proof', 'desk'],
      })
    },
  )

  sides('S17: files of a deleted post are reported like files whose earlier visibility is unknown', async () => {
    const { store } = site
    const draft = await create('draft')
    const image = await attach(draft)
    const seenByLogin = await seenAfter(() =>
      store.transaction(async (tx) => {
        await tx.run(tx.db.deleteFrom('posts').where('id', '=', draft))
        await tx.run(tx.db.updateTable('posts').set({ title: 'Two' }).where('id', '=', image))
      }),
    )
    expect(seenByLogin, `post ${image}`, { 'create →inherit': all() })
  })

  sides('S17: nested files are reported like the post of the first file, up to a maximum depth', async () => {
    const { store } = site
    const chain = async (top: number, length: number) => {
      const files: number[] = []
      for (let at = 0; at < length; at += 1) files.push(await attach(files.at(-1) ?? top))
      return files
    }
    const rename = (id: number) => seenAfter(() => update(id, { title: 'Two' }))
    const renamed = { 'update inherit→inherit': all() }
    const shown = await chain(await create('publish'), 5)
    for (const id of shown.slice(0, 4)) expect(await rename(id), `post ${id}`, renamed)
    // Not even to the author of the file: that would need a further lookup.
    expect(await rename(shown[4]!), `post ${shown[4]}`, {})
    const hidden = await chain(await create('draft'), 4)
    for (const id of hidden) expect(await rename(id), `post ${id}`, { 'update inherit→inherit': READERS_OF_DRAFTS })
    // Each file is attached to the next one.
    const [one, two] = [await attach(0), await attach(0)]
    await store.run(store.db.updateTable('posts').set({ parent_id: two }).where('id', '=', one))
    await store.run(store.db.updateTable('posts').set({ parent_id: one }).where('id', '=', two))
    expect(await rename(one), `post ${one}`, {})
  })

  sides('S17: list tags of each side are reported to users who may see that side', async () => {
    const { store, users } = site
    const [draft, published] = [await create('draft'), await create('publish')]
    const image = await attach(draft)
    const moved = await seenAfter(() => update(image, { parent_id: published, author_id: users.ann }))
    for (const tag of [`posts:parent=${draft}`, `posts:author=${users.shy}`])
      assert.equal(loginsSeeing(moved, tag), READERS_OF_DRAFTS, tag)
    for (const tag of [`posts:parent=${published}`, `posts:author=${users.ann}`, 'posts:type=attachment'])
      assert.equal(loginsSeeing(moved, tag), all(), tag)
    const inside = await create('publish', { type: 'inside' })
    const served = await seenAfter(() =>
      store.run(store.db.updateTable('posts').set({ type: 'post' }).where('id', '=', inside)),
    )
    assert.equal([loginsSeeing(served, 'posts:type=inside'), loginsSeeing(served, 'posts:type=post')], [[], all()])
    const comment = await commentOn(draft, '1')
    const carried = await seenAfter(() =>
      store.run(store.db.updateTable('comments').set({ post_id: published }).where('id', '=', comment)),
    )
    assert.equal(loginsSeeing(carried, `comments:post=${draft}`), READERS_OF_DRAFTS)
    assert.equal(loginsSeeing(carried, `comments:post=${published}`), all())
  })

  const commentOn = async (post_id: number, approved: string) => {
    const { store } = site
    const query = store.db.insertInto('comments').values({ post_id, approved, content: 'Yes' }).returning('id')
    return Number((await store.all(query, []))[0]!.id)
  }

  sides('S17: comments written while a post had a password stay hidden after its removal', async () => {
    const { store } = site
    const id = await create('publish', { password: 'open sesame' })
    const approve = (comment: number) => () =>
      store.run(store.db.updateTable('comments').set({ approved: '1' }).where('id', '=', comment))
    const [now, then] = [await commentOn(id, '0'), await commentOn(id, '0')]
    const editors = ['shy', 'ed', 'admin', 'desk']
    expect(await seenAfter(approve(now)), `comment ${now}`, { 'update hold→approved': editors })
    const seenByLogin = await seenAfter(async () => {
      await approve(then)()
      await update(id, { password: '' })
    })
    expect(seenByLogin, `comment ${then}`, { 'update hold→approved': editors })
    const late = await commentOn(id, '0')
    const closed = await seenAfter(async () => {
      await approve(late)()
      await update(id, { password: 'again' })
    })
    expect(closed, `comment ${late}`, { 'update hold→approved': editors, 'create →approved': allBut(editors) })
  })

  sides('S17: served fields of comments and terms are reported with list tags that the user may know', async () => {
    const { store } = site
    const comment = await commentOn(await create('publish'), '0')
    const term = await site.kernel.services.terms.create({ taxonomy: 'outer', name: 'x', slug: 'x' })
    const fill = async (table: 'comment_meta' | 'term_meta', owner: { comment_id: number } | { term_id: number }) => {
      for (const key of KEYS) await store.run(store.db.insertInto(table).values({ ...owner, key, value: '1' }))
    }
    const seenByLogin = await seenAfter(() =>
      store.transaction(async () => {
        await fill('comment_meta', { comment_id: comment })
        await store.run(store.db.updateTable('comments').set({ approved: '1' }).where('id', '=', comment))
      }),
    )
    const named = await seenAfter(() => fill('term_meta', { term_id: term.id }))
    const fields = (seen: SeenByLogin, login: string) => [
      ...new Set(seen.get(login)!.flatMap(({ tags }) => tags.filter((tag) => tag.includes(':meta=')))),
    ]
    for (const login of all()) {
      const isEditor = ['shy', 'ed', 'admin', 'desk'].includes(login)
      const lists = isEditor ? ['unapproved:comments', 'comments'] : ['comments']
      assert.equal(
        fields(seenByLogin, login),
        lists.map((list) => `${list}:meta=shown_size`),
        login,
      )
      assert.equal(fields(named, login), ['terms:meta=shown_size'], login)
    }
    // A site may have no fields.
    const { services } = site.kernel
    const bare = new TermChangeReader({ has: () => false, services } as unknown as PluginContext)
    const change = { type: 'outer', tags: ['terms', 'terms:meta=shown_size'], before: null, after: null }
    assert.equal(bare.read({ id: 0 }, [change as unknown as Change])[0]!.tags, ['terms'])
  })

  sides('S17: names of taxonomies that are not served or restricted are not revealed', async () => {
    const { kernel, store } = site
    const { id } = await kernel.services.terms.create({ taxonomy: 'inner', name: 'x', slug: 'move' })
    const move = (taxonomy: string) =>
      seenAfter(() => store.run(store.db.updateTable('terms').set({ taxonomy }).where('id', '=', id)))
    const writers = ['con', 'shy', 'ann', 'ed', 'admin', 'proof', 'desk']
    const lists = (seenByLogin: SeenByLogin) =>
      ['inner', 'desks', 'outer'].map((one) => loginsSeeing(seenByLogin, `terms:taxonomy=${one}`))
    const first = await move('desks')
    expect(first, `term ${id}`, { 'create →': writers })
    assert.equal(lists(first), [[], writers, []])
    const second = await move('outer')
    expect(second, `term ${id}`, { 'update →': writers, 'create →': allBut(writers) })
    assert.equal(lists(second), [[], writers, all()])
    const third = await move('inner')
    expect(third, `term ${id}`, { 'delete →': all() })
    assert.equal(lists(third), [[], [], all()])
  })

  sides('S17: changes of users are reported to users who may list or edit them, and to the user', async () => {
    const { store, users } = site
    const seenByLogin = await seenAfter(async () => {
      await site.kernel.services.users.update(users.sub, { name: 'Somebody' })
      await store.run(store.db.insertInto('user_meta').values({ user_id: users.sub, key: 'shoe_size', value: '1' }))
    })
    for (const [login, user] of usersByLogin) {
      const isReported = Object.hasOwn(changesOf(seenByLogin, `user ${users.sub}`), login)
      assert.is(isReported, ['sub', 'admin', 'lister', 'carer'].includes(login), login)
      assert.is(isReported, await readsAs(site, `/svc/v2/users/${users.sub}`, user), login)
    }
    // The changed fields are reported to no user.
    assert.not.match(JSON.stringify([...seenByLogin]), /shoe_size/)
  })

  sides.run()
}
