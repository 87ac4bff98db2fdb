import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers, type SiteWithUsers } from '../../helpers/site-with-users.ts'
import { startOnly } from '../../helpers/site.ts'
import { addPosts } from '../../helpers/content.ts'

startOnly('post-notes')

interface Note {
  id: number
  status: string
  type: string
  meta: Record<string, unknown>
  content: { rendered: string }
}

/** A site where ann has a post, con a draft, and admin a private post and a book-like page. */
async function site(place: (typeof databases)[number]['place']) {
  const served = await serveWithUsers(place)
  const { ann, con, admin } = served.users
  await addPosts(
    served.store,
    { id: 101, slug: 'ann', status: 'publish', author_id: ann, comment_status: 'open' },
    { id: 102, slug: 'con', status: 'draft', author_id: con },
    { id: 103, slug: 'hidden', status: 'private', author_id: admin, comment_status: 'closed' },
    { id: 104, slug: 'trashed', status: 'trash', author_id: ann },
    { id: 105, slug: 'file', type: 'attachment', status: 'inherit', author_id: ann },
  )
  return served
}

const note = (post: number, more: object = {}) => ({ post, content: 'A note', type: 'note', status: 'hold', ...more })

async function createNote(served: SiteWithUsers, body: object, login?: keyof SiteWithUsers['users']) {
  const response = await served.send('POST', '/svc/v2/comments', body, login)
  return { status: response.status, body: (await response.json()) as Note & { code?: string } }
}

const LIST = '/svc/v2/comments?type=note&status=all&context=edit&post='

for (const { name, place } of databases) {
  const notes = suite(`notes on ${name}`)

  notes('can be created only by users who can edit the post', async () => {
    await using served = await site(place)
    const codes: unknown[] = []
    for (const login of [undefined, 'sub', 'con', 'ann', 'ed', 'admin'] as const) {
      const { status, body } = await createNote(served, note(101), login)
      codes.push(status === 201 ? 201 : body.code)
    }
    const refused = ['rest_comment_login_required', 'rest_cannot_create_note', 'rest_cannot_create_note']
    assert.equal(codes, [...refused, 201, 201, 201])
  })

  notes('are accepted on drafts and closed posts, but not on files, trashed posts or no post', async () => {
    await using served = await site(place)
    assert.is((await createNote(served, note(102), 'con')).status, 201)
    assert.is((await createNote(served, note(103), 'admin')).status, 201)
    assert.is((await createNote(served, note(103), 'admin')).status, 201, 'the same twice')
    assert.is((await createNote(served, note(104), 'admin')).body.code, 'rest_comment_trash_post')
    assert.is((await createNote(served, note(105), 'admin')).body.code, 'rest_comment_not_supported_post_type')
    assert.is((await createNote(served, note(9999), 'admin')).body.code, 'rest_cannot_create_note')
    assert.is((await createNote(served, note(0), 'admin')).body.code, 'rest_comment_invalid_status')
    assert.is(
      (await createNote(served, { ...note(0), status: undefined }, 'admin')).body.code,
      'rest_comment_invalid_post_id',
    )
    assert.is((await createNote(served, note(101, { type: 'review' }), 'admin')).body.code, 'rest_invalid_comment_type')
  })

  notes('need a text or a status', async () => {
    await using served = await site(place)
    const empty = (status: unknown) => note(101, { content: '', meta: { _svc_note_status: status } })
    assert.is((await createNote(served, note(101, { content: '' }), 'ann')).body.code, 'rest_comment_content_invalid')
    assert.is((await createNote(served, empty('later'), 'ann')).body.code, 'rest_comment_content_invalid')
    const { status, body } = await createNote(served, empty('resolved'), 'ann')
    assert.equal([status, body.meta['_svc_note_status'], body.type], [201, 'resolved', 'note'])
    const resolves = async (value: unknown) => {
      const input = { post: 101, content: `Says ${String(value)}`, meta: { _svc_note_status: value } }
      const answer = await createNote(served, input, 'admin')
      return [answer.status, answer.body.code ?? answer.body.meta['_svc_note_status']]
    }
    assert.equal(
      [await resolves('resolved'), await resolves(null)],
      [
        [403, 'rest_cannot_update'],
        [201, null],
      ],
    )
  })

  notes('are hidden from users who cannot edit the post, including their author', async () => {
    await using served = await site(place)
    const { body } = await createNote(served, note(101), 'ed')
    await served.store.run(served.store.db.updateTable('comments').set({ author_id: served.users.con, approved: '1' }))
    for (const login of ['sub', 'con'] as const) {
      const one = await served.get(`/svc/v2/comments/${body.id}`, served.by(login))
      assert.is(one.status, 403, login)
      assert.is((await served.get(`${LIST}101`, served.by(login))).status, 403, login)
    }
    for (const query of ['type=note&post=101', 'type=all', 'type=all&status=all', 'type=note&search=note']) {
      const list = await served.get(`/svc/v2/comments?${query}`, served.by('con'))
      assert.equal([await list.json(), list.headers.get('x-svc-total')], [[], '0'], query)
    }
    const visitors = await served.get('/svc/v2/comments')
    assert.equal(await visitors.json(), [])
    const seen = (await (await served.get(`${LIST}101`, served.by('ann'))).json()) as Note[]
    assert.equal(
      seen.map(({ id }) => id),
      [body.id],
    )
    const several = await served.get(`${LIST}101,102`, served.by('ann'))
    assert.is(several.status, 403)
    const post = (await (await served.get('/svc/v2/posts/101?_embed=replies')).json()) as { _embedded?: unknown }
    assert.is(post._embedded, undefined)
  })

  notes('move to the trash with their parent note, and link to their replies', async () => {
    await using served = await site(place)
    const { body: first } = await createNote(served, note(101), 'ann')
    const { body: reply } = await createNote(served, note(101, { parent: first.id }), 'ed')
    const shown = (await (await served.get(`/svc/v2/comments/${first.id}`, served.by('ann'))).json()) as {
      _links: { children: { href: string }[] }
    }
    assert.match(shown._links.children[0]!.href, `parent=${first.id}&type=note&status=all`)
    assert.is((await served.send('DELETE', `/svc/v2/comments/${first.id}`, {}, 'ann')).status, 200)
    const after = await served.get(`/svc/v2/comments/${reply.id}?context=edit`, served.by('ann'))
    assert.is(((await after.json()) as Note).status, 'trash')
  })

  notes('are separate from comments: comments cannot reply to them, and they do not approve an author', async () => {
    await using served = await site(place)
    const { body: noted } = await createNote(served, note(101), 'ed')
    const { body: comment } = await createNote(served, { post: 101, content: 'A comment' }, 'ed')
    const reply = { post: 101, content: 'A reply' }
    assert.is((await createNote(served, { ...reply, parent: noted.id }, 'ed')).body.code, 'rest_comment_invalid_parent')
    assert.is((await createNote(served, note(101, { parent: comment.id }), 'ed')).status, 201)
    const moved = await served.send('POST', `/svc/v2/comments/${comment.id}`, { parent: noted.id }, 'ed')
    assert.is(moved.status, 400)
    assert.is((await createNote(served, note(102, { status: 'approve' }), 'con')).status, 201)
    const { body: first } = await createNote(served, { post: 101, content: 'The first comment' }, 'con')
    assert.is(first.status, 'hold', 'they have a note alone')
  })

  notes('can be moved to posts that the user can edit', async () => {
    await using served = await site(place)
    const { body } = await createNote(served, note(101), 'ann')
    const move = async (id: number, post: number) => {
      const response = await served.send('POST', `/svc/v2/comments/${id}`, { post }, 'ann')
      return response.status === 200 ? 200 : ((await response.json()) as { code: string }).code
    }
    assert.is(await move(body.id, 103), 'rest_cannot_create_note')
    const { body: comment } = await createNote(served, { post: 101, content: 'A comment' }, 'ann')
    assert.is(comment.type, 'comment', JSON.stringify(comment))
    assert.is(await move(comment.id, 103), 'rest_cannot_edit')
    assert.is(await move(comment.id, 9999), 'rest_cannot_edit')
  })

  notes.run()
}

const older = suite('notes before WordPress 6.9')

older('do not exist', async () => {
  await using served = await serveWithUsers(databases[0]!.place, { revision: '6.5' })
  await addPosts(served.store, { id: 101, slug: 'ann', status: 'publish', author_id: served.users.ann })
  const { body } = await createNote(served, note(101), 'admin')
  assert.is(body.code, 'rest_invalid_comment_type')
})

older.run()
