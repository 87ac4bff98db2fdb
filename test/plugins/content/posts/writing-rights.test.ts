import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { databases, serveWithUsers, type UserIds, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { startOnly } from '../../../helpers/site.ts'

startOnly('posts')

const LIST = '/svc/v2/posts'

type Login = keyof UserIds | undefined
// oxlint-disable-next-line typescript/no-explicit-any -- assertions check the shape of responses
type Body = any

for (const { name, place } of databases) {
  const rights = suite(`write permissions for posts, on ${name}`)
  const send = async (site: SiteWithUsers, method: string, path: string, body: object | undefined, login: Login) => {
    const response = await site.send(method, path, body, login)
    return { status: response.status, body: (await response.json()) as Body }
  }
  /** The result for each user: the error code, or the response status. */
  const answers = async (site: SiteWithUsers, method: string, path: () => string | Promise<string>, body?: object) => {
    const results: Record<string, unknown> = {}
    for (const login of [undefined, 'sub', 'con', 'ann', 'ed', 'admin'] as const) {
      const { status, body: answer } = await send(site, method, await path(), body, login)
      results[login ?? 'visitor'] = answer.code ?? status
    }
    return results
  }
  const expectedResults = (sub: unknown, con: unknown, ann: unknown, ed: unknown, visitor = sub) => ({
    visitor,
    sub,
    con,
    ann,
    ed,
    admin: ed,
  })

  rights('S8, S16: depend on type, status and author for a new post', async () => {
    await using site = await serveWithUsers(place)
    const make = (body: object) => answers(site, 'POST', () => LIST, { title: 'x', ...body })
    const none = 'rest_cannot_create'
    assert.equal(await make({}), expectedResults(none, 201, 201, 201))
    assert.equal(await make({ status: 'pending' }), expectedResults(none, 201, 201, 201))
    for (const status of ['publish', 'private', 'future']) {
      assert.equal(await make({ status }), expectedResults(none, 'rest_cannot_publish', 201, 201), status)
    }
    const { ed } = site.users
    const author = await make({ author: ed })
    const others = 'rest_cannot_edit_others'
    assert.equal(author, { ...expectedResults(others, others, others, 201), admin: 201 })
    const sticky = 'rest_cannot_assign_sticky'
    assert.equal(await make({ sticky: true }), expectedResults(sticky, sticky, sticky, 201))
    assert.is((await send(site, 'POST', LIST, { title: 'x' }, undefined)).status, 401)
    assert.is((await send(site, 'POST', LIST, { title: 'x' }, 'sub')).status, 403)
  })

  rights('S8, S16: depend on author and status for a change', async () => {
    await using site = await serveWithUsers(place)
    const newPost = (author_id: number, status: string) => async () =>
      `${LIST}/${(await addPosts(site.store, { author_id, status }))[0]}`
    const { con, ann } = site.users
    const none = 'rest_cannot_edit'
    const edit = (path: () => Promise<string>, body: object = { title: 'y' }) => answers(site, 'PUT', path, body)
    assert.equal(await edit(newPost(99, 'publish')), expectedResults(none, none, none, 200))
    assert.equal(await edit(newPost(99, 'draft')), expectedResults(none, none, none, 200))
    assert.equal(await edit(newPost(con, 'draft')), expectedResults(none, 200, none, 200))
    assert.equal(await edit(newPost(con, 'publish')), expectedResults(none, none, none, 200))
    assert.equal(await edit(newPost(ann, 'publish')), expectedResults(none, none, 200, 200))
    assert.equal(await edit(newPost(ann, 'private')), expectedResults(none, none, 200, 200))
    const publish = await edit(newPost(con, 'pending'), { status: 'publish' })
    assert.is(publish['con'], 'rest_cannot_publish')
    assert.is((await edit(newPost(con, 'pending'), { status: 'pending' }))['con'], 200)
    assert.is((await edit(newPost(con, 'draft'), { author: ann }))['con'], 'rest_cannot_edit_others')
    assert.is((await edit(newPost(con, 'draft'), { sticky: true }))['con'], 'rest_cannot_assign_sticky')
    const unknown = await send(site, 'PUT', `${LIST}/99999`, { title: 'x' }, 'ed')
    assert.equal([unknown.status, unknown.body.code], [404, 'rest_post_invalid_id'])
    assert.is((await send(site, 'PUT', `/svc/v2/pages/${(await addPosts(site.store, {}))[0]}`, {}, 'ed')).status, 404)
  })

  rights('for deletion depend on the former status of trashed posts', async () => {
    await using site = await serveWithUsers(place)
    const { con } = site.users
    const newPost = (author_id: number, status: string) => async () =>
      `${LIST}/${(await addPosts(site.store, { author_id, status }))[0]}`
    const none = 'rest_cannot_delete'
    for (const query of ['', '?force=true']) {
      const remove = (path: () => Promise<string>) => answers(site, 'DELETE', async () => `${await path()}${query}`)
      assert.equal(await remove(newPost(99, 'publish')), expectedResults(none, none, none, 200))
      assert.equal(await remove(newPost(con, 'draft')), expectedResults(none, 200, none, 200))
      assert.equal(await remove(newPost(con, 'publish')), expectedResults(none, none, none, 200))
    }
    const [draft, published] = (await addPosts(
      site.store,
      { author_id: con, status: 'draft' },
      { author_id: con, status: 'publish' },
    )) as [number, number]
    for (const id of [draft, published]) await send(site, 'DELETE', `${LIST}/${id}`, undefined, 'ed')
    const tryRestore = async (id: number, status: string) =>
      (await send(site, 'PUT', `${LIST}/${id}`, { status }, 'con')).body.code as string | undefined
    assert.is(await tryRestore(draft, 'publish'), 'rest_cannot_publish')
    assert.is(await tryRestore(draft, 'draft'), undefined)
    assert.is(await tryRestore(published, 'draft'), 'rest_cannot_edit')
  })

  rights('S31: allow editors any HTML and filter the HTML of other users', async () => {
    await using site = await serveWithUsers(place)
    const markup = {
      title: '<b>T</b><script>x</script>',
      content: '<p onclick="a()">k</p><script>alert(1)</script><a href="javascript:x">l</a>',
      excerpt: '<iframe src="https://e.example"></iframe>e',
    }
    const texts = async (login: Login) => {
      const { body } = await send(site, 'POST', LIST, markup, login)
      return [body.title.raw, body.content.raw, body.excerpt.raw] as string[]
    }
    assert.equal(await texts('ed'), Object.values(markup))
    for (const login of ['ann', 'con'] as const) {
      const [title, content, excerpt] = await texts(login)
      assert.equal([title, excerpt], ['<b>T</b>x', 'e'])
      assert.not.match(content!, /script|onclick/i)
    }
  })

  rights('allow titles inline HTML only', async () => {
    await using site = await serveWithUsers(place)
    const title = ' <h1>Big <em>news</em></h1><img src="x.png"><!-- wp:x --> '
    const createTitle = async (login: Login) =>
      (await send(site, 'POST', LIST, { title }, login)).body.title.raw as string
    assert.is(await createTitle('ed'), title.trim())
    assert.is(await createTitle('ann'), 'Big <em>news</em>')
  })

  rights('leave the slug of a pending post to users who may publish', async () => {
    await using site = await serveWithUsers(place)
    const { body } = await send(site, 'POST', LIST, { title: 'x', status: 'pending', slug: 'mine' }, 'con')
    assert.is(body.slug, '')
    const { body: named } = await send(site, 'PUT', `${LIST}/${body.id}`, { slug: 'theirs' }, 'ed')
    assert.is(named.slug, 'theirs')
  })

  rights('exclude terms that the user may not assign, and authors that do not exist', async () => {
    await using site = await serveWithUsers(place)
    site.kernel.services.taxonomies.change('post_tag', { capabilities: { assign_terms: 'manage_options' } })
    const tag = await addTerm(site.store, { taxonomy: 'post_tag', name: 'Secret' })
    const assignTag = (login: Login) => send(site, 'POST', LIST, { title: 'x', tags: [tag] }, login)
    assert.is((await assignTag('ed')).body.code, 'rest_cannot_assign_term')
    assert.equal((await assignTag('admin')).body.tags, [tag])
    const unknown = await send(site, 'POST', LIST, { title: 'x', author: 99_999 }, 'admin')
    assert.equal([unknown.status, unknown.body.code], [400, 'rest_invalid_author'])
  })

  rights('are reported in the Allow header', async () => {
    await using site = await serveWithUsers(place)
    const [id] = await addPosts(site.store, { author_id: site.users.ann })
    const allow = async (path: string, login: Login) =>
      (await site.request(path, { method: 'OPTIONS', headers: login === undefined ? {} : site.by(login) })).headers.get(
        'allow',
      )
    assert.is(await allow(LIST, undefined), 'GET')
    assert.is(await allow(LIST, 'con'), 'GET, POST')
    assert.is(await allow(`${LIST}/${id}`, 'con'), 'GET')
    assert.is(await allow(`${LIST}/${id}`, 'ann'), 'GET, POST, PUT, PATCH, DELETE')
  })

  rights.run()
}
