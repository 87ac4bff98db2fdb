import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError, RequestCache, type AnyPlugin } from '../../../../kernel/index.ts'
import type { Comment } from '../../../../plugins/content/comments/index.ts'
import type { NewRow } from '../../../../plugins/storage/store/index.ts'
import { stopClockFor } from '../../../helpers/clock.ts'
import { brokenInvariants } from '../../../helpers/invariants.ts'
import { as, serve, type Site, startOnly } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'

startOnly('comments')

const ADMIN = as('administrator', 1)
const EDITOR = as('editor', 4)
/** The author of post 1. */
const AUTHOR = as('author', 5)
const CONTRIBUTOR = as('contributor', 6)
const SUBSCRIBER = as('subscriber', 7)
const VISITOR = {}

const POSTS: NewRow<'posts'>[] = [
  { id: 1, slug: 'public', status: 'publish', author_id: 5 },
  { id: 2, slug: 'private', status: 'private', author_id: 4 },
  { id: 3, slug: 'draft', status: 'draft', author_id: 5 },
  { id: 4, slug: 'protected', status: 'publish', password: 'secret', author_id: 4 },
  { id: 5, slug: 'trashed', status: 'trash', author_id: 4 },
  { id: 6, slug: 'closed', status: 'publish', comment_status: 'closed', author_id: 4 },
  { id: 7, slug: 'pending', status: 'pending', author_id: 5 },
  { id: 8, slug: 'old', status: 'publish', author_id: 4 },
  { id: 9, slug: 'unknown', type: 'unknown', status: 'publish', author_id: 4 },
  { id: 10, slug: 'second', status: 'publish', author_id: 4 },
]

/** Events that the hooks below report, in order. */
const events: string[] = []
const extras = definePlugin({
  name: 'test-extras',
  needs: ['comments', 'meta', 'extra-fields'],
  apply({ hooks, services }) {
    const { extraFields: fields, meta } = services
    meta.register('comment', 'score', { type: 'number', single: true, show_in_rest: true })
    meta.register('comment', '_vault', { type: 'string', single: true, show_in_rest: true })
    fields.register('comment', 'mood', {
      get_callback: (data, _attribute, request) => meta.single('comment', data['id'] as number, 'mood', request.scope),
      update_callback(value, comment: Comment, _attribute, request) {
        if (value === 'reject') return new RestError('mood_rejected', 'No.', { status: 400 })
        return meta.write('comment', comment.id, 'mood', [value], request.scope)
      },
      schema: { type: 'string', context: ['view', 'edit'] },
    })
    hooks.rest_allow_anonymous_comments.tap('test-extras', (_, request) => request.headers.get('x-open') !== null)
    hooks.rest_pre_insert.for('comment').tap('test-extras', (comment) => {
      if (comment.content === 'refused') throw new RestError('refused', 'Not this.', { status: 400 })
      return comment.content === 'rewrite' ? { ...comment, content: 'rewritten' } : comment
    })
    hooks.pre_comment_approved.tap('test-extras', (state, { content }) => (content === 'buy now' ? 'spam' : state))
    hooks.rest_insert
      .for('comment')
      .tap('test-extras', ({ id }, _, creating) => void events.push(`insert ${id} ${creating}`))
    hooks.rest_after_insert
      .for('comment')
      .tap('test-extras', ({ id }, _, creating) => void events.push(`after ${id} ${creating}`))
    hooks.transition_comment_status.tap('test-extras', (to, from, { id }) => void events.push(`${id} ${from} to ${to}`))
    hooks.rest_delete.for('comment').tap('test-extras', ({ id }) => void events.push(`deleted ${id}`))
    hooks.rest_trashable.for('comment').tap('test-extras', (_, { content }) => content !== 'no trash')
  },
})

/** Starts a site in Berlin with the posts above and an account for each user. */
async function startSite(database: string, add: readonly AnyPlugin[] = []): Promise<Site> {
  const site = await serve({ database, add: [extras, ...add] })
  const { store, kernel } = site
  const { db } = store
  await kernel.services.options.set('timezone', 'Europe/Berlin')
  for (const [login, id] of Object.entries({ admin: 1, ed: 4, ann: 5, con: 6, sub: 7 })) {
    const row = { id, login, slug: login, name: `${login} & Sons`, email: `${login}@staff.test`, url: '' }
    await store.run(db.insertInto('users').values(row))
  }
  const now = new Date(Date.now()).toISOString().replace('T', ' ').slice(0, 19)
  for (const post of POSTS) {
    const date = post.slug === 'old' ? '2020-01-01 12:00:00' : now
    await store.run(db.insertInto('posts').values({ date, date_gmt: date, comment_status: 'open', ...post }))
  }
  await store.syncSequences()
  await kernel.services.options.set('comment_flood_seconds', 0)
  return site
}

const LIST = '/svc/v2/comments'
// oxlint-disable-next-line typescript/no-explicit-any -- tests read properties of any JSON body
const bodyOf = async (response: Response): Promise<any> => response.json()
const send = (site: Site, method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  site.request(path, {
    method,
    headers: { 'content-type': 'application/json', 'user-agent': 'tester', ...headers },
    ...(body !== null && { body: JSON.stringify(body) }),
  })
const post = (site: Site, body: unknown, headers: Record<string, string>) => send(site, 'POST', LIST, body, headers)
const createComment = async (site: Site, body: unknown, headers = EDITOR) => bodyOf(await post(site, body, headers))
const codeOf = async (response: Response) => {
  const { code } = await bodyOf(response)
  return `${response.status} ${code}`
}
const countOf = async (site: Site, id = 1) =>
  (await site.kernel.services.posts.get(id, new RequestCache()))?.comment_count
const rows = (site: Site) => site.store.all(site.store.db.selectFrom('comments').selectAll().orderBy('id'))

for (const { name, make } of places) {
  const writing = suite<{ site: Site; end: () => Promise<void> }>(`writing comments on ${name}`)
  stopClockFor(writing)

  writing.before.each(async (context) => {
    const place = await make()
    context.site = await startSite(place.url)
    events.length = 0
    context.end = async () => {
      await context.site[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    }
  })
  writing.after.each(({ end }) => end())

  writing('stores the account as author and returns the URL in Location', async ({ site }) => {
    const response = await post(site, { post: 1, content: 'Well said.' }, SUBSCRIBER)
    const comment = await bodyOf(response)
    assert.is(response.status, 201)
    assert.is(response.headers.get('location'), `${site.home}/svc-json${LIST}/${comment.id}`)
    assert.equal([comment.author, comment.author_name, comment.status], [7, 'sub &amp; Sons', 'hold'])
    assert.is(comment.author_email, undefined, 'users who are not moderators get the view context')
    const [row] = await rows(site)
    assert.equal([row!.author_email, row!.author_agent, row!.author_ip], ['sub@staff.test', 'tester', '127.0.0.1'])
    assert.is(row!.type, 'comment')
    assert.is(Date.parse(`${row!.date_gmt}Z`), Math.floor(Date.now() / 1000) * 1000)
    assert.is.not(row!.date, row!.date_gmt)
  })

  writing('accepts content as a string or an object, and returns the edit context to moderators', async ({ site }) => {
    const plain = await createComment(site, { post: 1, content: 'As text' })
    const object = await createComment(site, { post: 1, content: { raw: 'As an object' } })
    assert.equal(plain.content, { rendered: '<p>As text</p>\n', raw: 'As text' })
    assert.is(object.content.raw, 'As an object')
    assert.is(plain.author_email, 'ed@staff.test')
    assert.is(plain.status, 'approved')
  })

  writing('lets moderators set the author, the date and the status', async ({ site }) => {
    const comment = await createComment(site, {
      post: 1,
      content: 'From a letter.',
      author_name: 'Ann <b>Other</b>',
      author_email: 'ann@other.test',
      author_url: 'https://other.test',
      author_ip: '192.0.2.9',
      author_user_agent: 'paper',
      date: '2024-07-01T12:00:00',
      status: 'approve',
    })
    assert.is(comment.author, 0)
    assert.equal(
      [comment.author_name, comment.author_email, comment.author_url, comment.author_ip, comment.author_user_agent],
      ['Ann Other', 'ann@other.test', 'https://other.test', '192.0.2.9', 'paper'],
    )
    assert.equal([comment.date, comment.date_gmt], ['2024-07-01T12:00:00', '2024-07-01T10:00:00'])
    assert.is(comment.status, 'approved')
    const utc = await createComment(site, { post: 1, content: 'In UTC.', date_gmt: '2024-07-01T10:00:00', author: 7 })
    assert.equal([utc.date, utc.author, utc.author_email], ['2024-07-01T12:00:00', 7, 'sub@staff.test'])
  })

  writing('S13: lets only moderators set author, date, IP address and status', async ({ site }) => {
    const tryCreate = async (more: object) => codeOf(await post(site, { post: 1, content: 'x', ...more }, AUTHOR))
    assert.is(await tryCreate({ author: 4 }), '403 rest_comment_invalid_author')
    assert.is(await tryCreate({ author_name: 'The editor' }), '403 rest_comment_invalid_author')
    assert.is(await tryCreate({ author_email: 'ed@staff.test' }), '403 rest_comment_invalid_author')
    assert.is(await tryCreate({ author_url: 'https://ed.test' }), '403 rest_comment_invalid_author')
    assert.is(await tryCreate({ author_ip: '192.0.2.9' }), '403 rest_comment_invalid_author_ip')
    assert.is(await tryCreate({ status: 'approved' }), '403 rest_comment_invalid_status')
    assert.is(await tryCreate({ date: '2001-01-01T00:00:00' }), '403 rest_comment_invalid_date')
    assert.is((await rows(site)).length, 0)
    const own = { post: 1, content: 'x', author: 5, author_name: 'ann & Sons', author_email: 'ann@staff.test' }
    assert.is((await post(site, own, AUTHOR)).status, 201, 'values that equal the defaults are accepted')
  })

  writing('S13: rejects comments on posts that the user may not comment on', async ({ site }) => {
    const tryCommentOn = async (id: number, headers: Record<string, string>, more: object = {}) =>
      codeOf(await post(site, { post: id, content: 'x', ...more }, headers))
    for (const headers of [SUBSCRIBER, EDITOR]) {
      assert.is(await tryCommentOn(3, headers), '403 rest_comment_draft_post')
      assert.is(await tryCommentOn(7, headers), '403 rest_comment_draft_post')
      assert.is(await tryCommentOn(5, headers), '403 rest_comment_trash_post')
      assert.is(await tryCommentOn(6, headers), '403 rest_comment_closed')
      assert.is(await tryCommentOn(9, headers), '403 rest_cannot_read_post')
      assert.is(await tryCommentOn(99, headers), '403 rest_comment_invalid_post_id')
      assert.is(await tryCommentOn(0, headers), '403 rest_comment_invalid_post_id')
    }
    assert.is(await tryCommentOn(2, SUBSCRIBER), '403 rest_cannot_read_post')
    assert.is(await tryCommentOn(4, SUBSCRIBER), '403 rest_cannot_read_post')
    assert.is(await tryCommentOn(4, SUBSCRIBER, { password: 'wrong' }), '403 rest_cannot_read_post')
    assert.is(await tryCommentOn(1, VISITOR), '401 rest_comment_login_required')
    assert.is((await rows(site)).length, 0)
    assert.is(await tryCommentOn(2, EDITOR), '201 undefined')
    assert.is(await tryCommentOn(4, SUBSCRIBER, { password: 'secret' }), '201 undefined')
  })

  writing('rejects comments on old posts if the site closes them', async ({ site }) => {
    await site.kernel.services.options.set('close_comments_for_old_posts', true)
    assert.is(await codeOf(await post(site, { post: 8, content: 'x' }, EDITOR)), '403 rest_comment_closed')
    assert.is((await post(site, { post: 1, content: 'x' }, EDITOR)).status, 201)
  })

  writing('lets visitors comment with name and email address if a plugin allows it', async ({ site }) => {
    const open = { 'x-open': 'yes' }
    const comment = { post: 1, content: 'Hello', author_name: 'Vera', author_email: 'vera@mail.test' }
    assert.is(
      await codeOf(await post(site, { post: 1, content: 'Hello' }, open)),
      '400 rest_comment_author_data_required',
    )
    const first = await createComment(site, comment, open)
    assert.equal([first.status, first.author, first.author_email], ['hold', 0, undefined])
    assert.is(
      await codeOf(await post(site, { ...comment, content: 'x', status: 'approved' }, open)),
      '401 rest_comment_invalid_status',
    )
    await site.kernel.services.options.set('require_name_email', false)
    assert.is((await post(site, { post: 1, content: 'Nameless' }, open)).status, 201)
    await site.kernel.services.options.set('comment_registration', true)
    assert.is(await codeOf(await post(site, { ...comment, content: 'y' }, open)), '401 rest_comment_login_required')
  })

  writing('holds comments until a comment of the same author is approved', async ({ site }) => {
    const held = await createComment(site, { post: 1, content: 'One' }, CONTRIBUTOR)
    assert.is(held.status, 'hold')
    assert.is(await countOf(site), 0)
    await send(site, 'PUT', `${LIST}/${held.id}`, { status: 'approved' }, EDITOR)
    assert.is((await createComment(site, { post: 1, content: 'Two' }, CONTRIBUTOR)).status, 'approved')
    assert.is((await createComment(site, { post: 1, content: 'Own post' }, AUTHOR)).status, 'approved')
    // Signing with the name of an account does not count as the account.
    const forged = { post: 1, content: 'Three', author_name: 'con & Sons', author_email: 'con@staff.test' }
    assert.is((await createComment(site, forged, { 'x-open': 'yes' })).status, 'hold')
  })

  writing('moderates by number of links and words, and lets plugins decide', async ({ site }) => {
    const { options } = site.kernel.services
    await options.set('comment_previously_approved', false)
    const state = async (content: string) => (await createComment(site, { post: 10, content }, SUBSCRIBER)).status
    assert.is(await state('fine'), 'approved')
    assert.is(await state('<a href="https://a.test">a</a> <a href="https://b.test">b</a>'), 'hold')
    await options.set('moderation_keys', 'casino\n')
    await options.set('disallowed_keys', 'poker')
    assert.is(await state('a CASINO'), 'hold')
    assert.is(await state('po<b>ker</b>'), 'trash')
    assert.is(await state('buy now'), 'spam')
    await options.set('comment_moderation', true)
    assert.is(await state('also fine'), 'hold')
  })

  writing('rejects duplicate comments and comments in quick succession', async ({ site }) => {
    assert.is((await post(site, { post: 1, content: 'Once' }, SUBSCRIBER)).status, 201)
    assert.is(await codeOf(await post(site, { post: 1, content: 'Once' }, SUBSCRIBER)), '409 comment_duplicate')
    assert.is((await post(site, { post: 10, content: 'Once' }, SUBSCRIBER)).status, 201)
    await site.kernel.services.options.set('comment_flood_seconds', 15)
    assert.is(await codeOf(await post(site, { post: 1, content: 'More' }, SUBSCRIBER)), '400 comment_flood')
    assert.is((await post(site, { post: 1, content: 'More' }, EDITOR)).status, 201)
    assert.is((await post(site, { post: 1, content: 'Even more' }, EDITOR)).status, 201)
  })

  writing(
    'S38: stores one of several identical concurrent comments, and counts all different ones',
    async ({ site }) => {
      const same = await Promise.all([1, 2, 3, 4, 5].map(() => post(site, { post: 1, content: 'Same' }, EDITOR)))
      assert.equal(
        same.map(({ status }) => status).toSorted((one, other) => one - other),
        [201, 409, 409, 409, 409],
      )
      const many = Array.from({ length: 15 }, (_, at) => post(site, { post: 1, content: `Number ${at}` }, EDITOR))
      for (const { status } of await Promise.all(many)) assert.is(status, 201)
      assert.is(await countOf(site), 16)
    },
  )

  writing('returns a specific code for each invalid field', async ({ site }) => {
    const tryCreate = async (more: object) => codeOf(await post(site, { post: 1, content: 'x', ...more }, EDITOR))
    assert.is(await tryCreate({ content: '' }), '400 rest_comment_content_invalid')
    assert.is(await tryCreate({ content: { raw: ' ' } }), '400 rest_comment_content_invalid')
    assert.is(await tryCreate({ content: {} }), '400 rest_comment_content_invalid')
    for (const content of [7, true, null, ['x'], { rendered: 'x' }, { raw: ['x'] }])
      assert.is(await tryCreate({ content }), '400 rest_comment_content_invalid', JSON.stringify(content))
    assert.is(await tryCreate({ content: '<script></script>' }), '400 rest_comment_content_invalid')
    assert.is(await tryCreate({ type: 'pingback' }), '400 rest_invalid_comment_type')
    assert.is(await tryCreate({ id: 5 }), '400 rest_comment_exists')
    assert.is(await tryCreate({ status: 'nonsense' }), '400 rest_comment_failed_edit')
    assert.is(await tryCreate({ author: 99 }), '400 rest_comment_author_invalid')
    assert.is(await tryCreate({ author_name: 'Z' }), '400 rest_comment_author_data_required')
    assert.is(await tryCreate({ author_email: 'nobody' }), '400 rest_invalid_param')
    assert.is(await tryCreate({ author_ip: '999.1.1.1' }), '400 rest_invalid_param')
    assert.is(await tryCreate({ date: 'yesterday' }), '400 rest_invalid_param')
    const signed = { author_name: 'Z', author_email: 'z@mail.test' }
    assert.is(await tryCreate({ ...signed, author_name: 'n'.repeat(246) }), '400 comment_author_column_length')
    const email = `${'z'.repeat(60)}@${'z'.repeat(50)}.test`
    assert.is(await tryCreate({ ...signed, author_email: email }), '400 comment_author_email_column_length')
    const url = `https://${'z'.repeat(200)}.test`
    assert.is(await tryCreate({ ...signed, author_url: url }), '400 comment_author_url_column_length')
    assert.is(await tryCreate({ content: 'ü'.repeat(32_763) }), '400 comment_content_column_length')
    assert.is(await tryCreate({ content: 'ü'.repeat(32_762) }), '201 undefined')
    assert.is((await rows(site)).length, 1)
  })

  writing('accepts replies only to visible comments on the same post', async ({ site }) => {
    const one = await createComment(site, { post: 1, content: 'One' })
    const onOtherPost = await createComment(site, { post: 10, content: 'Elsewhere' })
    const held = await createComment(site, { post: 1, content: 'Held', status: 'hold' })
    const spam = await createComment(site, { post: 1, content: 'Spam', status: 'spam' })
    const reply = async (parent: number, headers = SUBSCRIBER) =>
      codeOf(await post(site, { post: 1, content: `To ${parent}`, parent }, headers))
    assert.is(await reply(one.id), '201 undefined')
    for (const { id } of [onOtherPost, held, spam, { id: 999 }]) {
      assert.is(await reply(id), '400 rest_comment_invalid_parent')
    }
    assert.is(await reply(held.id, EDITOR), '201 undefined')
    const answer = await createComment(site, { post: 1, content: 'Answer', parent: one.id })
    const cycle = await send(site, 'PUT', `${LIST}/${one.id}`, { parent: answer.id }, EDITOR)
    assert.is(await codeOf(cycle), '400 rest_comment_invalid_parent')
    await send(site, 'DELETE', `${LIST}/${one.id}?force=true`, null, EDITOR)
    assert.is((await site.json(`${LIST}/${answer.id}`)).parent, 0)
  })

  writing('moves a comment to another post without its parent and replies', async ({ site }) => {
    const top = await createComment(site, { post: 1, content: 'Top' })
    const reply = await createComment(site, { post: 1, content: 'Reply', parent: top.id })
    const below = await createComment(site, { post: 1, content: 'Below', parent: reply.id })
    const onOtherPost = await createComment(site, { post: 10, content: 'There' })
    const move = (body: object) => send(site, 'PUT', `${LIST}/${reply.id}`, body, EDITOR)
    const readPlace = async (id: number) => {
      const { post: postId, parent } = await site.json(`${LIST}/${id}`)
      return [postId, parent]
    }
    for (const refused of [
      { post: 10 },
      { post: 10, parent: top.id },
      { post: 10, parent: reply.id },
      { parent: onOtherPost.id },
    ]) {
      assert.is(await codeOf(await move(refused)), '400 rest_comment_invalid_parent', JSON.stringify(refused))
      assert.equal(
        [await readPlace(reply.id), await readPlace(below.id)],
        [
          [1, top.id],
          [1, reply.id],
        ],
      )
    }
    assert.is((await move({ content: 'Reply again' })).status, 200)
    assert.is((await move({ post: 10, parent: onOtherPost.id })).status, 200)
    assert.equal(
      [await readPlace(reply.id), await readPlace(below.id)],
      [
        [10, onOtherPost.id],
        [1, top.id],
      ],
    )
    assert.is((await send(site, 'PUT', `${LIST}/${top.id}`, { post: 10 }, EDITOR)).status, 200)
    assert.equal(
      [await readPlace(top.id), await readPlace(below.id)],
      [
        [10, 0],
        [1, 0],
      ],
    )
    assert.equal(await brokenInvariants(site.store), [])
  })

  writing('S31: removes scripts, event handlers and unsafe URLs', async ({ site }) => {
    const attack =
      '<script>alert(1)</script><b onclick="x()">bold</b><a href="javascript:x()">a</a><img src=x onerror=x()>' +
      '<svg onload=x()></svg><p style="color:red" class="k">p</p>'
    for (const headers of [SUBSCRIBER, EDITOR]) {
      const { id } = await createComment(site, { post: 1, content: attack }, headers)
      const row = await site.kernel.services.comments.get(id, new RequestCache())
      assert.not.match(row!.content, /<script|onclick|onerror|onload|javascript:|<svg/i)
      assert.match(row!.content, /<b>bold<\/b>/)
      assert.is(
        /<img|<p /.test(row!.content),
        headers === EDITOR,
        'images and styles only for users with unfiltered_html',
      )
    }
    const names = await createComment(site, {
      post: 1,
      content: 'Names',
      author_name: '<img src=x onerror=x()>Mallory "&" co',
      author_email: 'm@mail.test',
      author_url: 'javascript:alert(1)',
      author_user_agent: '<script>x</script>agent',
    })
    assert.equal([names.author_name, names.author_url, names.author_user_agent], ['Mallory "&amp;" co', '', 'agent'])
  })

  writing('adds rel="nofollow ugc" to links to other sites', async ({ site }) => {
    const content = `<a href="https://shop.test/?a=1&amp;b=2" title="1 > 2">shop</a> <a href="${site.home}/x">here</a>`
    const { content: stored, id } = await createComment(site, { post: 1, content })
    assert.match(stored.raw, /<a href="https:\/\/shop\.test\/\?a=1&amp;b=2" title="[^"]*" rel="nofollow ugc">shop<\/a>/)
    assert.match(stored.raw, /<a href="[^"]*\/x">here<\/a>/)
    const again = await bodyOf(await send(site, 'PUT', `${LIST}/${id}`, { content: stored.raw }, EDITOR))
    assert.is(again.content.raw, stored.raw)
  })

  writing('turns only URLs and email addresses in the text into links', async ({ site }) => {
    const shown = async (content: string) => {
      const { content: stored, id } = await createComment(site, { post: 1, content })
      const { content: read } = await bodyOf(await site.get(`${LIST}/${id}`, EDITOR))
      assert.not.match(stored.raw.replace(/<a .*?<\/a>/g, ''), /href/)
      return read.rendered.trim().replace(/^<p>|<\/p>$/g, '')
    }
    const link = (url: string) => `<a href="${url}" rel="nofollow ugc">${url}</a>`
    const mail = '<a href="mailto:me.too@mail.test">me.too@mail.test</a>'
    const table: [content: string, rendered: string][] = [
      ['See http://a.test/x?y=1&z=2, or not', `See ${link('http://a.test/x?y=1&#038;z=2')}, or not`],
      ['(https://b.test/w_(film)).', `(${link('https://b.test/w_(film)')}).`],
      ['www.c.test; me.too@mail.test!', `${link('http://www.c.test')}; ${mail}!`],
      [`<b>${site.home}/x</b>`, `<b><a href="${site.home}/x">${site.home}/x</a></b>`],
      ['&lt;http://d.test&gt;', `&lt;${link('http://d.test')}&gt;`],
      ['<code>http://e.test</code>', '<code>http://e.test</code>'],
      ['<a href="http://f.test">http://f.test</a>', link('http://f.test')],
      ['http:// http://. www.. a@b xhttp://g.test@h', 'http:// http://. www.. a@b xhttp://g.test@h'],
      ['javascript:alert(1)', 'javascript:alert(1)'],
    ]
    for (const [content, rendered] of table) assert.is(await shown(content), rendered)
  })

  writing('keeps the text of a comment when a change sends a value that is no text', async ({ site }) => {
    const { id } = await createComment(site, { post: 1, content: 'Kept' })
    for (const content of [7, false, null, ['x'], { rendered: 'x' }, { raw: ['x'] }]) {
      const changed = await send(site, 'PUT', `${LIST}/${id}`, { content }, EDITOR)
      assert.is((await bodyOf(changed)).content.raw, 'Kept', JSON.stringify(content))
    }
  })

  writing('treats empty form values as missing', async ({ site }) => {
    for (const empty of [
      { id: null, type: null },
      { id: 0, type: '' },
    ]) {
      const { id, type } = await createComment(site, { post: 1, content: `Empty ${empty.type}`, ...empty })
      assert.is(type, 'comment')
      const changed = await send(site, 'PUT', `${LIST}/${id}`, { type: null, content: 'Changed' }, EDITOR)
      assert.is((await bodyOf(changed)).content.raw, 'Changed')
    }
    const listed = async (query: string) => (await site.get(`${LIST}?${query}`, EDITOR)).headers.get('x-svc-total')
    assert.is(await listed('status=&type='), await listed('status=all&type=all'))
    assert.is(await listed('status=&type='), '2')
  })

  writing('does not change the date of a comment that is sent back as it was read', async ({ site }) => {
    const { id } = await createComment(site, { post: 1, content: 'From another zone' })
    const { db } = site.store
    const dates = { date: '2020-06-01 12:00:00', date_gmt: '2020-06-01 19:00:00' }
    await site.store.run(db.updateTable('comments').set(dates).where('id', '=', id))
    const { date, date_gmt } = await bodyOf(await site.get(`${LIST}/${id}`))
    for (const headers of [EDITOR, AUTHOR]) {
      const written = await bodyOf(
        await send(site, 'PUT', `${LIST}/${id}`, { date, date_gmt, content: 'Same day' }, headers),
      )
      assert.equal([written.date, written.date_gmt], ['2020-06-01T12:00:00', '2020-06-01T19:00:00'])
    }
    const moved = await bodyOf(await send(site, 'PUT', `${LIST}/${id}`, { date: '2020-06-01T13:00:00' }, EDITOR))
    assert.equal([moved.date, moved.date_gmt], ['2020-06-01T13:00:00', '2020-06-01T11:00:00'])
  })

  writing('changes only the fields in the request', async ({ site }) => {
    const { id } = await createComment(site, { post: 1, content: 'Before' }, SUBSCRIBER)
    const before = (await rows(site))[0]!
    for (const method of ['POST', 'PUT', 'PATCH']) {
      const response = await send(site, method, `${LIST}/${id}`, { content: `By ${method}` }, EDITOR)
      assert.is(response.status, 200)
      assert.is((await bodyOf(response)).content.raw, `By ${method}`)
    }
    assert.equal((await rows(site))[0], { ...before, content: 'By PATCH' })
    const { meta: _, ...whole } = await site.json(`${LIST}/${id}?context=edit`, EDITOR)
    assert.is(
      (await send(site, 'PUT', `${LIST}/${id}`, whole, EDITOR)).status,
      200,
      'the edit context can be sent back',
    )
    assert.equal((await rows(site))[0], { ...before, content: 'By PATCH' })
    const tryUpdate = async (change: object) => codeOf(await send(site, 'PUT', `${LIST}/${id}`, change, EDITOR))
    assert.is(await tryUpdate({ content: '' }), '400 rest_comment_content_invalid')
    assert.is(await tryUpdate({ type: 'note' }), '404 rest_comment_invalid_type')
    assert.is(await tryUpdate({ author: 99 }), '400 rest_comment_author_invalid')
    assert.is(await tryUpdate({ post: 5 }), '403 rest_comment_trash_post')
    assert.is(await tryUpdate({ post: 99 }), '403 rest_comment_invalid_post_id')
    assert.is(await tryUpdate({ author_name: 'n'.repeat(246) }), '400 comment_author_column_length')
    assert.is(await tryUpdate({ status: 'nonsense' }), '400 rest_comment_failed_edit')
  })

  writing('S8: lets only users who can edit the post or moderate change and delete comments', async ({ site }) => {
    const { id } = await createComment(site, { post: 1, content: 'Mine' }, SUBSCRIBER)
    const other = await createComment(site, { post: 2, content: 'On the private post' })
    const table: [Record<string, string>, number, string, string][] = [
      [VISITOR, id, '401 rest_cannot_edit', '401 rest_cannot_delete'],
      [SUBSCRIBER, id, '403 rest_cannot_edit', '403 rest_cannot_delete'],
      [CONTRIBUTOR, id, '403 rest_cannot_edit', '403 rest_cannot_delete'],
      [AUTHOR, other.id, '403 rest_cannot_edit', '403 rest_cannot_delete'],
      [AUTHOR, id, '200 undefined', '200 undefined'],
      [EDITOR, other.id, '200 undefined', '200 undefined'],
      [ADMIN, 999, '404 rest_comment_invalid_id', '404 rest_comment_invalid_id'],
    ]
    for (const [headers, comment, changed, deleted] of table) {
      assert.is(await codeOf(await send(site, 'PUT', `${LIST}/${comment}`, { content: 'Y' }, headers)), changed)
      assert.is(await codeOf(await send(site, 'DELETE', `${LIST}/${comment}`, null, headers)), deleted)
    }
  })

  writing('S13: lets the author of a post moderate comments, but not change their signature', async ({ site }) => {
    const { id } = await createComment(site, { post: 1, content: 'Theirs' }, SUBSCRIBER)
    const tryUpdate = async (change: object) => codeOf(await send(site, 'PUT', `${LIST}/${id}`, change, AUTHOR))
    assert.is(await tryUpdate({ status: 'approved' }), '200 undefined')
    assert.is(await tryUpdate({ author: 5 }), '403 rest_comment_invalid_author')
    assert.is(await tryUpdate({ author_name: 'Fool' }), '403 rest_comment_invalid_author')
    assert.is(await tryUpdate({ author_ip: '192.0.2.1' }), '403 rest_comment_invalid_author_ip')
    assert.is(await tryUpdate({ date: '2001-01-01T00:00:00' }), '403 rest_comment_invalid_date')
    assert.is(await tryUpdate({ post: 10 }), '403 rest_cannot_edit')
  })

  writing('S13: lets only users who can edit the post change notes', async ({ site }) => {
    const note = { post_id: 10, author_id: 4, content: 'A note', type: 'note', date: '', date_gmt: '' }
    const query = site.store.db.insertInto('comments').values(note).returning('id')
    const { id } = (await site.store.first<{ id: number }>(query))!
    site.kernel.services.roles.register('moderator', 'Moderator', ['read', 'moderate_comments'])
    const moderator = as('moderator', 7)
    const plain = await createComment(site, { post: 10, content: 'A comment' })
    assert.is((await send(site, 'PUT', `${LIST}/${plain.id}`, { content: 'x' }, moderator)).status, 200)
    assert.is(
      await codeOf(await send(site, 'PUT', `${LIST}/${id}`, { content: 'x' }, moderator)),
      '403 rest_cannot_edit',
    )
    assert.is((await send(site, 'PUT', `${LIST}/${id}`, { content: 'x' }, EDITOR)).status, 200)
    assert.is(await countOf(site, 10), 1, 'notes are not counted')
    const hidden = await createComment(site, { post: 2, content: 'Hidden' })
    const unseen = await send(site, 'PUT', `${LIST}/${hidden.id}`, { content: 'x' }, moderator)
    assert.is(
      await codeOf(unseen),
      '403 rest_cannot_edit',
      'moderators cannot change comments on posts that they cannot read',
    )
  })

  writing('changes the status and updates the comment count of the post', async ({ site }) => {
    const { id } = await createComment(site, { post: 1, content: 'Moves' })
    assert.is(await countOf(site), 1)
    const steps = [
      ['hold', 'hold', 0],
      ['approve', 'approved', 1],
      ['approved', 'approved', 1],
      ['0', 'hold', 0],
      ['1', 'approved', 1],
      ['spam', 'spam', 0],
      ['unspam', 'approved', 1],
      ['unapprove', 'hold', 0],
      ['trash', 'trash', 0],
      ['untrash', 'hold', 0],
      ['untrash', 'hold', 0],
      ['approve', 'approved', 1],
      ['spam', 'spam', 0],
      ['trash', 'trash', 0],
      ['untrash', 'spam', 0],
      // Each restored state is used up.
      ['unspam', 'hold', 0],
    ] as const
    for (const [word, status, count] of steps) {
      const response = await send(site, 'PUT', `${LIST}/${id}`, { status: word }, EDITOR)
      assert.is(response.status, 200, word)
      assert.is((await bodyOf(response)).status, status, word)
      assert.is(await countOf(site), count, word)
    }
    assert.equal(events.filter((line) => line.includes(' to ')).slice(0, 3), [
      `${id} 1 to 0`,
      `${id} 0 to 1`,
      `${id} 1 to 0`,
    ])
  })

  writing('updates both comment counts when a comment moves to another post', async ({ site }) => {
    const { id } = await createComment(site, { post: 1, content: 'Moves' })
    assert.is((await send(site, 'PUT', `${LIST}/${id}`, { post: 10 }, EDITOR)).status, 200)
    assert.equal([await countOf(site, 1), await countOf(site, 10)], [0, 1])
  })

  writing('moves a comment to the trash, and deletes it permanently with force', async ({ site }) => {
    const { id } = await createComment(site, { post: 1, content: 'Goes' })
    const deleteComment = async (query = '') => send(site, 'DELETE', `${LIST}/${id}${query}`, null, EDITOR)
    const trashed = await bodyOf(await deleteComment())
    assert.equal([trashed.status, trashed.content.raw], ['trash', 'Goes'])
    assert.is(await countOf(site), 0)
    assert.is(await codeOf(await deleteComment()), '410 rest_already_trashed')
    const deleted = await bodyOf(await deleteComment('?force=true'))
    assert.equal([deleted.deleted, deleted.previous.id, deleted.previous.status], [true, id, 'trash'])
    assert.is(await codeOf(await deleteComment('?force=true')), '404 rest_comment_invalid_id')
    const untrashable = await createComment(site, { post: 1, content: 'no trash' })
    const refused = await send(site, 'DELETE', `${LIST}/${untrashable.id}`, null, EDITOR)
    assert.is(await codeOf(refused), '501 rest_trash_not_supported')
  })

  writing('stores meta and registered fields with the comment, or neither', async ({ site }) => {
    const comment = await createComment(site, { post: 1, content: 'Scored', meta: { score: 4.5 }, mood: 'good' })
    assert.equal([comment.meta.score, comment.mood], [4.5, 'good'])
    const tryCreate = async (more: object, headers = EDITOR) =>
      codeOf(await post(site, { post: 1, content: 'No', ...more }, headers))
    assert.is(await tryCreate({ mood: 'reject' }), '400 mood_rejected')
    assert.is(await tryCreate({ meta: { score: 'much' } }), '400 rest_invalid_type')
    assert.is(await tryCreate({ meta: { _vault: 'x' } }), '403 rest_cannot_update')
    assert.is(await tryCreate({ meta: { score: 1 } }, SUBSCRIBER), '403 rest_cannot_update')
    assert.is((await rows(site)).length, 1)
    assert.is(await countOf(site), 1)
    const path = `${LIST}/${comment.id}`
    const change = { content: 'Changed', status: 'hold', mood: 'reject' }
    assert.is((await send(site, 'PUT', path, change, EDITOR)).status, 400)
    assert.is((await rows(site))[0]!.content, 'Scored')
    const changed = await bodyOf(await send(site, 'PUT', path, { meta: { score: null }, mood: 'bad' }, EDITOR))
    assert.equal([changed.meta.score, changed.mood], [0, 'bad'])
  })

  writing('runs hooks that can change or reject a comment, and reports each step to them', async ({ site }) => {
    assert.is(await codeOf(await post(site, { post: 1, content: 'refused' }, EDITOR)), '400 refused')
    const { id, content } = await createComment(site, { post: 1, content: 'rewrite' })
    assert.is(content.raw, 'rewritten')
    await send(site, 'PUT', `${LIST}/${id}`, { content: 'Changed' }, EDITOR)
    await send(site, 'DELETE', `${LIST}/${id}`, null, EDITOR)
    assert.equal(events, [
      `insert ${id} true`,
      `after ${id} true`,
      `insert ${id} false`,
      `after ${id} false`,
      `${id} 1 to trash`,
      `deleted ${id}`,
    ])
  })

  writing('S1: lets the path decide which comment is written', async ({ site }) => {
    const one = await createComment(site, { post: 1, content: 'One' })
    const two = await createComment(site, { post: 1, content: 'Two' })
    for (const id of [two.id, `${two.id}x`]) {
      await send(site, 'POST', `${LIST}/${one.id}?id=${id}`, { id, content: `Changed ${id}` }, EDITOR)
    }
    assert.is((await site.json(`${LIST}/${two.id}`)).content.rendered, '<p>Two</p>\n')
    await send(site, 'DELETE', `${LIST}/${one.id}?force=true&id=${two.id}`, { id: two.id }, EDITOR)
    assert.is((await site.get(`${LIST}/${two.id}`)).status, 200)
    assert.is((await site.get(`${LIST}/${one.id}`)).status, 404)
  })

  writing('S15, S24: ignores unknown fields and names of object prototypes', async ({ site }) => {
    const body =
      '{"post":1,"content":"Plain","karma":99,"approved":"1","link":"https://x.test","author_agent":"x",' +
      '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x",' +
      '"meta":{"__proto__":{"polluted":1},"constructor":"x","_secret":"x"}}'
    const headers = { 'content-type': 'application/json', ...SUBSCRIBER }
    const response = await site.request(LIST, { method: 'POST', headers, body })
    assert.is(response.status, 201)
    const [row] = await rows(site)
    assert.equal([row!.karma, row!.approved], [0, '0'])
    // oxlint-disable-next-line typescript/no-explicit-any -- the property must not exist
    assert.is(({} as any).polluted, undefined)
    assert.equal(await site.kernel.services.meta.rows('comment', row!.id, new RequestCache()), [])
    for (const word of ['constructor', '__proto__', 'toString']) {
      const changed = await send(site, 'PUT', `${LIST}/${row!.id}`, { status: word }, EDITOR)
      assert.is(await codeOf(changed), '400 rest_comment_failed_edit')
    }
  })

  writing('S9: returns the edit context only to users who can edit the comment', async ({ site }) => {
    const { id } = await createComment(site, { post: 10, content: 'x' })
    const shown = await bodyOf(await send(site, 'POST', `${LIST}?context=edit`, { post: 10, content: 'y' }, SUBSCRIBER))
    assert.is(shown.author_email, undefined)
    assert.is((await site.get(`${LIST}/${id}?context=edit`, AUTHOR)).status, 403)
  })

  writing('binds all values of a request', async ({ site }) => {
    const text = "Robert'); drop table comments;--"
    const statements = await site.statements(() =>
      createComment(site, { post: 1, content: text, author_name: text, author_email: 'r@mail.test' }),
    )
    assert.ok(statements.length > 0)
    assert.not.ok(statements.some((sql) => sql.includes('Robert')))
    assert.is((await rows(site))[0]!.content, text)
  })

  writing.run()
}
