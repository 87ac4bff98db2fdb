import { definePlugin, RequestCache } from '../../../../kernel/index.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { SeenChange } from '../../../../plugins/operations/change-feed/index.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { CONTENT_PLUGINS, startOnly } from '../../../helpers/site.ts'
import { currentUser, nameOf, pathOf, LOGINS, reads } from './readable.ts'

startOnly('change-feed', ...CONTENT_PLUGINS)

/** A content type, a taxonomy and fields, of which some are not served by the REST API. */
const hidden = definePlugin({
  name: 'hidden',
  needs: ['content-types', 'taxonomies', 'meta'],
  apply({ services: { contentTypes, taxonomies, meta } }) {
    contentTypes.register('inside', { show_in_rest: false, public: true })
    contentTypes.register('shelf', { show_in_rest: true, public: true })
    taxonomies.register('inner', ['post'], { show_in_rest: false, public: true })
    taxonomies.register('outer', ['post'], { show_in_rest: true, public: true })
    meta.register('post', 'shown_size', { type: 'string', single: true, show_in_rest: true })
  },
})

const POSTS = ['publish', 'draft', 'private', 'pending', 'future', 'auto-draft', 'trash'] as const
const FAR = { date: '2099-01-01 10:00:00', date_gmt: '2099-01-01 10:00:00' }
const KEYS = ['shown_size', '_secret_size', 'plain_size']

/** Creates objects in every state, some public and some visible to few users. */
async function make(site: SiteWithUsers): Promise<void> {
  const { kernel, store, users } = site
  const { posts, terms } = kernel.services
  const actingAs = (id: number) => ({ user: { id }, scope: new RequestCache() })
  const insert = async (status: string, more: object = {}) => {
    const post = { type: 'post', title: `A ${status}`, slug: `a-${status}`, author_id: users.ann, ...more }
    const dates = status === 'future' ? FAR : {}
    const { id } = await posts.create({ ...post, ...dates, status }, actingAs(users.ann))
    for (const key of KEYS) await store.run(store.db.insertInto('post_meta').values({ post_id: id, key, value: '1' }))
    return id
  }
  const comment = (post: number, approved: string, more: object = {}) =>
    store.run(
      store.db.insertInto('comments').values({
        post_id: post,
        approved,
        content: 'Yes',
        author_name: 'Somebody',
        date_gmt: '2025-01-05 10:00:00',
        ...more,
      }),
    )
  const parents = await Promise.all(POSTS.map((status) => insert(status)))
  parents.push(await insert('publish', { password: 'open sesame' }), await insert('private', { author_id: users.shy }))
  const inside = await insert('publish', { type: 'inside' })
  await insert('publish', { type: 'shelf' })
  for (const parent of [0, ...parents, inside]) {
    const file = { type: 'attachment', parent_id: parent, mime_type: 'image/png' }
    const attached = await insert('inherit', file)
    await insert('inherit', { ...file, parent_id: attached, author_id: users.shy })
    await insert('inherit', { type: 'revision', parent_id: parent, slug: `${parent}-revision` })
    if (parent === 0) continue
    for (const approved of ['1', '0', 'spam', 'trash']) await comment(parent, approved)
    await comment(parent, '0', { author_id: users.sub })
    await comment(parent, '1', { type: 'note' })
  }
  await comment(0, '1')
  for (const taxonomy of ['inner', 'outer', 'category'])
    await terms.create({ taxonomy, name: `In ${taxonomy}`, slug: `in-${taxonomy}` })
  await kernel.services.users.update(users.shy, { name: 'Shy' })
  await kernel.services.users.update(users.ann, { name: 'Ann' })
}

for (const { name, place } of databases) {
  const rules = suite(`rules of seen changes on ${name}`)

  rules('S17: changes of objects in every state are reported to exactly the users who may read them', async () => {
    await using site = await serveWithUsers(place, { add: [hidden] })
    const { changeHistory, changeFeed: seenChanges } = site.kernel.services
    const { last } = await changeHistory.bounds()
    await make(site)
    const changes = await changeHistory.after(last, 10_000)
    const objects = new Map(changes.map((change) => [nameOf(change), change]))
    const counts = new Map<string, number>()
    for (const login of LOGINS) {
      const seen = await seenChanges.seenBy(await currentUser(site, login), changes)
      const names = new Set(seen.map(nameOf))
      for (const [object, change] of objects) {
        if (!['post', 'term', 'comment', 'user'].includes(change.kind)) continue
        const may = change.type !== 'revision' && (await reads(site, pathOf(site, change), login))
        const isAuto = change.after?.['status'] === 'auto-draft'
        const about = `${login ?? 'visitor'} ${object} ${JSON.stringify(change.after)}`
        assert.is(names.has(object), may && !isAuto, about)
        if (names.has(object)) counts.set(`${login} ${change.kind}`, (counts.get(`${login} ${change.kind}`) ?? 0) + 1)
      }
      for (const change of seen) checkTags(site, change, login === undefined)
    }
    // Each rule shows changes to one user and hides them from another.
    for (const kind of ['post', 'comment', 'term', 'user']) {
      const [visitorCount, adminCount] = [counts.get(`undefined ${kind}`) ?? 0, counts.get(`admin ${kind}`) ?? 0]
      assert.ok(visitorCount > 0 && visitorCount <= adminCount, `${kind}: ${visitorCount} of ${adminCount}`)
    }
  })

  rules('S17: an object that a user can no longer see is reported as deleted, without any of its data', async () => {
    await using site = await serveWithUsers(place, { add: [hidden] })
    const { kernel, users } = site
    const { changeHistory, posts, changeFeed: seenChanges } = kernel.services
    const act = { user: { id: users.admin }, scope: new RequestCache() }
    const { id } = await posts.create(
      { type: 'post', title: 'One', slug: 'one', status: 'publish', author_id: users.ann },
      act,
    )
    const file = { type: 'attachment', status: 'inherit', title: 'x', parent_id: id, mime_type: 'image/png' }
    const { id: image } = await posts.create({ ...file, author_id: users.admin }, act)
    const steps: [change: object, visitor: string | null, author: string][] = [
      [{ slug: 'two' }, 'update two publish publish', 'update two publish publish'],
      [{ status: 'draft', slug: 'hidden' }, 'delete two - publish', 'update hidden draft publish'],
      [{ slug: 'hidden-still' }, null, 'update hidden-still draft draft'],
      [{ status: 'publish', slug: 'back' }, 'create back publish -', 'update back publish draft'],
    ]
    const readSeen = async (login: 'ann' | undefined, since: number) => {
      const seen = await seenChanges.seenBy(await currentUser(site, login), await changeHistory.after(since, 1000))
      const own = seen.filter((one) => nameOf(one) === `post ${id}`)
      const texts = own.map((one) => `${one.change} ${one.slug} ${one.status ?? '-'} ${one.previous_status ?? '-'}`)
      return { text: texts[0] ?? null, seen }
    }
    for (const [change, visitor, author] of steps) {
      const { last } = await changeHistory.bounds()
      await posts.update(id, change, { ...act, scope: new RequestCache() })
      assert.equal([(await readSeen(undefined, last)).text, (await readSeen('ann', last)).text], [visitor, author])
      assert.not.match(JSON.stringify((await readSeen(undefined, last)).seen), /hidden|unpublished/)
    }
    // A file is hidden with its post, regardless of later changes to the file.
    await posts.update(id, { status: 'draft' }, { ...act, scope: new RequestCache() })
    const { last } = await changeHistory.bounds()
    await posts.update(image, { title: 'Renamed' }, { ...act, scope: new RequestCache() })
    assert.equal((await readSeen(undefined, last)).seen, [])
    assert.ok((await readSeen('ann', last)).seen.some((one) => nameOf(one) === `post ${image}`))
  })

  rules('S17: changes of hidden objects in the same transaction are not revealed', async () => {
    await using site = await serveWithUsers(place, { add: [hidden] })
    const { kernel, store, users } = site
    const { changeHistory, changes: writes, posts, changeFeed: seenChanges, terms } = kernel.services
    const act = () => ({ user: { id: users.admin }, scope: new RequestCache() })
    const post = { type: 'post', title: 'One', slug: 'one', author_id: users.ann }
    const { id } = await posts.create({ ...post, status: 'draft' }, act())
    for (const taxonomy of ['inner', 'outer']) {
      const term = await terms.create({ taxonomy, name: 'x', slug: 'x' })
      await store.run(store.db.insertInto('term_relationships').values({ post_id: id, term_id: term.id }))
    }
    const file = { type: 'attachment', status: 'inherit', title: 'x', parent_id: id, mime_type: 'image/png' }
    const { id: image } = await posts.create({ ...file, author_id: users.admin }, act())
    const after = async (write: () => Promise<unknown>, login?: 'ann') => {
      const { last } = await changeHistory.bounds()
      await write()
      const seen = await seenChanges.seenBy(await currentUser(site, login), await changeHistory.after(last, 1000))
      for (const change of seen) checkTags(site, change, login === undefined)
      return seen
    }
    const [published] = await after(() => posts.update(id, { status: 'publish' }, act()))
    assert.ok(published!.tags.some((tag) => tag.startsWith('posts:outer=')))
    const [filled] = await after(async () => {
      for (const key of KEYS) await store.run(store.db.insertInto('post_meta').values({ post_id: id, key, value: '1' }))
    })
    assert.ok(filled!.tags.includes('posts:meta=shown_size'))
    // In one transaction: a list that the visitor sees, and one that the visitor does not see.
    for (const status of ['draft', 'publish'])
      await after(() => site.send('POST', `/svc/v2/posts/${id}`, { status, meta: { shown_size: status } }, 'admin'))
    const rows = await store.all(
      store.db.insertInto('comments').values({ post_id: id, approved: '1', content: 'Yes' }).returning('id'),
      [],
    )
    const comment = Number(rows[0]!.id)
    const approve = (approved: string) => () =>
      store.run(store.db.updateTable('comments').set({ approved }).where('id', '=', comment))
    for (const [approved, change] of [
      ['0', 'delete'],
      ['1', 'create'],
    ] as const)
      assert.equal(
        (await after(approve(approved))).filter(({ kind }) => kind === 'comment').map((one) => one.change),
        [change],
      )
    // Deleting a hidden post makes nothing visible: its files become private.
    await posts.update(id, { status: 'draft' }, act())
    const afterDeletion = await after(() => site.send('DELETE', `/svc/v2/posts/${id}?force=true`, {}, 'admin'))
    assert.equal(afterDeletion, [], `the file is ${image}`)
    // Comments written while a post had a password are not reported after the password is removed.
    const { id: opened } = await posts.create({ ...post, status: 'publish', password: 'open sesame' }, act())
    const written = await after(async () => {
      await store.run(store.db.insertInto('comments').values({ post_id: opened, approved: '1', content: 'Yes' }))
      await posts.update(opened, { password: '' }, act())
    })
    assert.equal([...new Set(written.map(nameOf))], [`post ${opened}`])
    // After too many changes to list, the earlier state of a post is unknown.
    const { id: other } = await posts.create({ ...post, status: 'publish' }, act())
    const late = await after(async () => {
      await store.run(store.db.insertInto('comments').values({ post_id: other, approved: '1', content: 'Yes' }))
      await posts.create({ ...file, parent_id: other }, act())
      await writes.touch(['*'])
    })
    assert.not.ok(
      late.some(({ kind, type }) => kind === 'comment' || type === 'attachment'),
      JSON.stringify(late),
    )
  })

  rules('S17: user changes are reported to the user, to managers, and for public authors to visitors', async () => {
    await using site = await serveWithUsers(place, { add: [hidden] })
    const { store, users } = site
    const { changeHistory, changeReaders, changes, changeFeed: seenChanges, users: writer } = site.kernel.services
    const { last } = await changeHistory.bounds()
    await writer.update(users.sub, { name: 'Somebody', url: 'https://elsewhere.example' })
    await writer.update(users.ann, { slug: 'in-between' })
    await writer.update(users.ann, { slug: 'ann-w' })
    await store.run(store.db.insertInto('user_meta').values({ user_id: users.ann, key: 'shoe_size', value: '1' }))
    await changes.touch(['table:plants', 'plants:1'])
    const readSeen = async (login: (typeof LOGINS)[number]) =>
      seenChanges.seenBy(await currentUser(site, login), await changeHistory.after(last, 1000))
    const seenByLogin = new Map<string, SeenChange[]>()
    for (const login of LOGINS) seenByLogin.set(String(login), await readSeen(login))
    const isReported = (login: string, id: number) =>
      seenByLogin.get(login)!.some((one) => nameOf(one) === `user ${id}`)
    for (const login of LOGINS) {
      assert.is(isReported(String(login), users.sub), login === 'sub' || login === 'admin', login)
      assert.ok(isReported(String(login), users.ann), login)
      if (login === undefined || login === 'sub')
        assert.not.match(JSON.stringify(seenByLogin.get(String(login))), /in-between|shoe_size/)
      assert.is(
        seenByLogin.get(String(login))!.some(({ kind }) => !['user', 'all'].includes(kind)),
        login === 'admin',
        login,
      )
    }
    // A plugin can report the change of its table instead.
    const table = {
      id: last + 1,
      time: 0,
      kind: 'table',
      object: 'plants',
      type: '',
      change: 'update',
      tags: ['plants'],
      before: null,
      after: null,
      meta: [],
    } as const
    const countSeen = async (login?: 'admin') =>
      (await seenChanges.seenBy(await currentUser(site, login), [table])).length
    assert.equal([await countSeen(), await countSeen('admin')], [0, 1])
    const forget = changeReaders.set('table:plants', { read: () => [{ before: {}, after: {}, tags: ['plants'] }] })
    assert.equal([await countSeen(), await countSeen('admin')], [1, 1])
    forget()
    assert.equal([await countSeen(), await countSeen('admin')], [0, 1])
  })

  rules.run()
}

/** Checks that tags reveal no list, field or taxonomy that the REST API does not serve. */
function checkTags(site: SiteWithUsers, { tags, kind, type }: SeenChange, isVisitor: boolean): void {
  const { meta, taxonomies } = site.kernel.services
  for (const tag of tags) {
    if (isVisitor) assert.not.match(tag, /^un(?:published|approved):/)
    assert.not.match(tag, /inner|jobs/)
    const [, key] = /:meta=(.*)$/.exec(tag) ?? []
    if (key !== undefined && kind === 'post') assert.ok(meta.isPublic('post', type, key), tag)
    const [, taxonomy] = /^terms:taxonomy=(.*)$/.exec(tag) ?? []
    if (taxonomy !== undefined) assert.ok(taxonomies.get(taxonomy)?.show_in_rest, tag)
  }
}
