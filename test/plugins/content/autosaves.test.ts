import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../kernel/index.ts'
import { PostsController } from '../../../plugins/content/posts/index.ts'
import { addPosts } from '../../helpers/content.ts'
import { as, serve, type Site } from '../../helpers/site.ts'
import { databases, serveWithUsers, type UserIds, type SiteWithUsers } from '../../helpers/site-with-users.ts'

type Login = keyof UserIds
// oxlint-disable-next-line typescript/no-explicit-any -- tests read properties of any JSON body
type Body = any

const autosaves = suite('autosaves')

/** Creates a post of author 5 with autosaves of two users and a revision. */
async function withSaved(
  site: Site,
  status = 'publish',
): Promise<{ post: number; mine: number; theirs: number; version: number }> {
  const [post] = (await addPosts(site.store, { title: 'Now', status, author_id: 5 })) as [number]
  const saved = { type: 'revision', status: 'inherit', parent_id: post, slug: `${post}-autosave-v1` }
  const [mine, theirs, version] = (await addPosts(
    site.store,
    { ...saved, author_id: 5, title: 'Mine', date: '2024-01-01 00:00:00' },
    { ...saved, author_id: 4, title: 'Theirs', date: '2024-01-02 00:00:00' },
    { ...saved, slug: `${post}-revision-v1` },
  )) as [number, number, number]
  return { post, mine, theirs, version }
}

autosaves('are listed newest first, without revisions', async () => {
  await using site = await serve()
  const { post, mine, theirs } = await withSaved(site)
  const response = await site.get(`/svc/v2/posts/${post}/autosaves?_fields=id,author`, as('author', 5))
  assert.equal(await response.json(), [
    { id: theirs, author: 4 },
    { id: mine, author: 5 },
  ])
  assert.is(response.headers.get('x-svc-total'), null)
})

autosaves('have a preview link in the edit context', async () => {
  await using site = await serve()
  await site.kernel.services.options.set('permalink', '/%postname%/')
  const published = await withSaved(site)
  const draft = await withSaved(site, 'draft')
  const link = async ({ post, mine }: { post: number; mine: number }, context: string) =>
    (await site.json(`/svc/v2/posts/${post}/autosaves/${mine}?context=${context}`, as('editor'))).preview_link as
      string | undefined
  for (const [saved, page] of [
    [published, `/now/?preview_id=${published.post}`],
    [draft, `/?p=${draft.post}&preview_id=${draft.post}`],
  ] as const) {
    const [url, nonce = ''] = (await link(saved, 'edit'))!.split(/&preview_nonce=|&preview=true$/)
    assert.is(url, `${site.home}${page}`)
    assert.match(nonce, /^[0-9a-f]{20}$/)
  }
  assert.is(await link(draft, 'view'), undefined)
})

autosaves('S14: are refused to all other users', async () => {
  await using site = await serve()
  const { post, mine } = await withSaved(site)
  for (const path of [`/svc/v2/posts/${post}/autosaves`, `/svc/v2/posts/${post}/autosaves/${mine}`]) {
    assert.equal((await site.json(path)).code, 'rest_cannot_read')
    assert.is((await site.get(path)).status, 401)
    assert.is((await site.get(path, as('author', 6))).status, 403)
  }
})

autosaves('S14: are found only under their post', async () => {
  await using site = await serve()
  const { post, mine, version } = await withSaved(site)
  const [other] = await addPosts(site.store, {})
  const code = async (path: string) => (await site.json(path, as('editor'))).code as string
  assert.is(await code(`/svc/v2/posts/${other}/autosaves/${mine}`), 'rest_post_no_autosave')
  assert.is(await code(`/svc/v2/posts/${post}/autosaves/${version}`), 'rest_post_no_autosave')
  assert.is(await code('/svc/v2/posts/99999/autosaves'), 'rest_post_invalid_parent')
})

autosaves('require the update permission of the controller of the type', async () => {
  class Shut extends PostsController {
    override mayUpdate() {
      return Promise.resolve(false)
    }
  }
  const notes = definePlugin({
    name: 'notes',
    needs: ['posts', 'content-types'],
    apply({ services }) {
      services.contentTypes.register('note', { public: true, show_in_rest: true, rest_controller_class: Shut })
    },
  })
  await using site = await serve({ add: [notes] })
  const [note] = (await addPosts(site.store, { type: 'note', title: 'Now' })) as [number]
  const saved = await site.request(`/svc/v2/note/${note}/autosaves`, {
    method: 'POST',
    headers: { ...as('administrator'), 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'x' }),
  })
  assert.is(saved.status, 403)
})

autosaves('have routes for every served type except attachments', async () => {
  await using site = await serve()
  const { routes } = await site.json('/?_fields=routes')
  const served = (base: string) => Object.hasOwn(routes as object, `/svc/v2/${base}/(?P<id>[\\d]+)/autosaves`)
  assert.equal(['posts', 'pages', 'blocks', 'media', 'menu-items'].map(served), [true, true, true, false, true])
})

for (const { name, place } of databases) {
  const saving = suite(`autosaves on ${name}`)
  const saveAutosave = async (site: SiteWithUsers, id: number, body: object, login: Login = 'ed') => {
    const response = await site.send('POST', `/svc/v2/posts/${id}/autosaves`, body, login)
    return { status: response.status, body: (await response.json()) as Body }
  }
  const createPost = async (site: SiteWithUsers, body: object, login: Login = 'ed') =>
    (await (await site.send('POST', '/svc/v2/posts', body, login)).json()) as { id: number }

  saving('change a draft of the same user in place without a revision', async () => {
    await using site = await serveWithUsers(place)
    const { id } = await createPost(site, { title: 'One', content: 'a' }, 'con')
    const answer = await saveAutosave(site, id, { title: 'Two', content: 'b', status: 'publish', slug: 'x' }, 'con')
    assert.is(answer.status, 200)
    assert.is(answer.body.id, id)
    assert.is(answer.body.parent, 0)
    assert.match(answer.body.preview_link, new RegExp(`[?&]p=${id}&preview=true$`))
    const post = await site.json(`/svc/v2/posts/${id}?context=edit`, site.by('con'))
    assert.equal([post.title.raw, post.content.raw, post.status, post.slug], ['Two', 'b', 'draft', ''])
    assert.is(post._links['version-history'][0].count, 0)
  })

  saving('do not change published posts or posts of others: each user has a separate autosave', async () => {
    await using site = await serveWithUsers(place)
    const { id } = await createPost(site, { title: 'T', content: 'a', status: 'publish' }, 'ann')
    const first = await saveAutosave(site, id, { title: 'Mine', content: 'b' }, 'ann')
    const again = await saveAutosave(site, id, { content: 'c' }, 'ann')
    const other = await saveAutosave(site, id, { content: 'd' }, 'ed')
    assert.is(again.body.id, first.body.id)
    assert.equal([again.body.title.raw, again.body.content.raw, again.body.parent], ['Mine', 'c', id])
    assert.is.not(other.body.id, first.body.id)
    assert.equal([other.body.title.raw, other.body.author], ['', site.users.ed])
    const post = await site.json(`/svc/v2/posts/${id}?context=edit`, site.by('ann'))
    assert.equal([post.title.raw, post.content.raw], ['T', 'a'])
    const draft = await createPost(site, { title: 'Draft', content: 'a' }, 'ann')
    assert.is((await saveAutosave(site, draft.id, { content: 'e' }, 'ed')).body.parent, draft.id)
  })

  saving('equal to the content replace the former autosave; before 6.3 they are refused and delete it', async () => {
    for (const [revision, status, left] of [
      ['6.1', 400, 404],
      ['6.5', 200, 200],
      ['latest', 200, 200],
    ] as const) {
      await using site = await serveWithUsers(place, { revision })
      const { id } = await createPost(site, { title: 'T', content: 'a', status: 'publish' })
      const untouched = await saveAutosave(site, id, { title: 'T', content: 'a' })
      assert.is(untouched.status, 200, `${revision}: the first one`)
      const { body } = await saveAutosave(site, id, { content: 'b' })
      assert.is(body.id, untouched.body.id, revision)
      const same = await saveAutosave(site, id, { title: 'T', content: 'a' })
      assert.is(same.status, status, revision)
      assert.equal(
        [same.body.code, same.body.id],
        status === 200 ? [undefined, body.id] : ['rest_autosave_no_changes', undefined],
      )
      const stored = await site.get(`/svc/v2/posts/${id}/autosaves/${body.id}?context=edit`, site.by('ed'))
      assert.is(stored.status, left, revision)
      if (left === 200) assert.is(((await stored.json()) as Body).content.raw, 'a', revision)
    }
  })

  saving('require the right to edit the post, and are filtered like posts', async () => {
    await using site = await serveWithUsers(place)
    const { id } = await createPost(site, { title: 'T', content: 'a', status: 'publish' }, 'ann')
    const code = async (login: Login | undefined, postId = id) => {
      const response = await site.send('POST', `/svc/v2/posts/${postId}/autosaves`, { content: 'z' }, login)
      return [response.status, ((await response.json()) as Body).code]
    }
    assert.equal(await code(undefined), [401, 'rest_cannot_edit'])
    assert.equal(await code('con'), [403, 'rest_cannot_edit'])
    assert.equal(await code('ed', 99_999), [404, 'rest_post_invalid_id'])
    const { body } = await saveAutosave(site, id, { content: '<p onclick="x()">k</p><script>y</script>' }, 'ann')
    assert.is(body.content.raw, '<p>k</p>y')
  })

  saving.run()
}

autosaves.run()
