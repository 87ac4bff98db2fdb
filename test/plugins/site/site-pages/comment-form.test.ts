import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../../../helpers/content.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

type Form = Readonly<Record<string, string | number>>

/** A site with one post that accepts comments, and its URL. */
async function talk(site: SiteWithUsers, post: Record<string, string> = {}) {
  const [id] = (await addPosts(site.store, { title: 'Talk', comment_status: 'open', ...post })) as [number]
  return { id, url: (await site.json(`/svc/v2/posts/${id}`)).link as string }
}

/** Submits the form like a browser. */
function send(site: SiteWithUsers, form: Form, headers: Record<string, string> = {}): Promise<Response> {
  const body = new URLSearchParams(Object.entries(form).map(([name, value]) => [name, String(value)]))
  return fetch(`${site.home}/svc-comments-post`, { method: 'POST', body, headers, redirect: 'manual' })
}

const ANN = { author: 'Ann & Co', email: 'ann@mail.example', url: '' }

for (const { name, place } of databases) {
  const forms = suite(`comments by form on ${name}`)

  forms('are published immediately without moderation, while the REST API refuses visitors', async () => {
    await using site = await serveWithUsers(place)
    const { options } = site.kernel.services
    await options.set('comment_previously_approved', false)
    const { id, url } = await talk(site)
    const page = await (await fetch(url)).text()
    assert.match(page, `<form action="${site.home}/svc-comments-post" method="post"`)
    assert.match(page, /<label for="comment-field-email">Email <span class="required" aria-hidden="true">/)
    const sent = await send(site, { ...ANN, comment_post_ID: id, comment_parent: 0, comment: 'Hello <b>all</b>' })
    assert.is(sent.status, 303)
    const [, comment] = /#comment-(\d+)$/.exec(sent.headers.get('location')!)!
    assert.is(sent.headers.get('location'), `${url}#comment-${comment}`)
    const after = await (await fetch(url)).text()
    assert.match(after, `<li id="comment-${comment}"`)
    assert.match(after, 'Hello <b>all</b>')
    assert.match(after, 'Ann &amp; Co')
    // A reply, by the link below the comment.
    const replying = await (await fetch(`${url}?replytocom=${comment}`)).text()
    assert.match(replying, 'Reply to Ann &amp; Co')
    assert.match(replying, `name="comment_parent" value="${comment}"`)
    await options.set('comment_flood_seconds', 0)
    const reply = await send(site, { ...ANN, comment_post_ID: id, comment_parent: comment!, comment: 'Me again' })
    assert.is(reply.status, 303)
    assert.match(await (await fetch(url)).text(), /depth-2/)
    const direct = await site.send('POST', '/svc/v2/comments', {
      post: id,
      content: 'x',
      author_name: 'A',
      author_email: 'a@b.example',
    })
    assert.is(direct.status, 401)
  })

  forms('S35 that await moderation are shown only to their author', async () => {
    await using site = await serveWithUsers(place)
    const { id, url } = await talk(site)
    const sent = await send(site, { ...ANN, comment_post_ID: id, comment: 'Waiting words' })
    const held = sent.headers.get('location')!
    const mine = await fetch(held)
    assert.match(await mine.text(), /<p role="status" id="comment-held"/)
    assert.match(mine.headers.get('cache-control')!, 'no-store')
    const guessed = await fetch(held.replace(/_svcnonce=\w{4}/, '_svcnonce=0000'))
    assert.not.match(await guessed.text(), 'comment-held')
    const theirs = await (await fetch(url)).text()
    assert.not.match(theirs, 'comment-held')
    assert.not.match(theirs, 'Waiting words')
    await site.store.run(site.store.db.updateTable('comments').set({ approved: '1' }))
    assert.not.match(await (await fetch(held)).text(), 'comment-held')
  })

  forms('that are refused are shown again with their values and errors', async () => {
    await using site = await serveWithUsers(place)
    const { id } = await talk(site)
    const sent = await send(site, {
      comment_post_ID: id,
      author: '"><b>',
      email: 'no',
      url: 'javascript:1',
      comment: '</textarea>[gallery]',
    })
    assert.is(sent.status, 400)
    assert.match(sent.headers.get('cache-control')!, 'private, no-store')
    const page = await sent.text()
    assert.match(page, '<div role="alert" class="comment-problems"')
    assert.match(
      page,
      /id="comment-field-email" name="email" type="email" value="no"[^>]* aria-invalid="true" aria-describedby="comment-field-email-problem"/,
    )
    assert.match(page, 'value="&quot;&gt;&lt;b&gt;"')
    assert.match(page, '&lt;/textarea&gt;&#91;gallery]</textarea>')
    const empty = await (await send(site, { comment_post_ID: id, comment: 'Words' })).text()
    for (const text of ['Enter your name.', 'Enter a valid email address']) assert.match(empty, text)
    const none = await (await send(site, { ...ANN, comment_post_ID: id, comment: ' ' })).text()
    assert.match(none, 'Enter a comment.')
    const twice = { ...ANN, comment_post_ID: id, comment: 'The same' }
    assert.is((await send(site, twice)).status, 303)
    assert.is((await send(site, twice)).status, 409)
    const fast = await send(site, { ...twice, comment: 'Another' })
    assert.is(fast.status, 400)
    assert.match(await fast.text(), 'too fast')
  })

  forms('obey the settings of the site and of the post', async () => {
    await using site = await serveWithUsers(place)
    const { options } = site.kernel.services
    const { id, url } = await talk(site)
    const closed = await talk(site, { title: 'Closed', comment_status: 'closed' })
    const old = await talk(site, { title: 'Old' })
    const draft = (await addPosts(site.store, { title: 'Draft words', status: 'draft', comment_status: 'open' }))[0]!
    const form = { ...ANN, comment: 'Words' }
    assert.is((await send(site, { ...form, comment_post_ID: closed.id })).status, 403)
    for (const none of [draft, 999_999, 0]) {
      const answer = await send(site, { ...form, comment_post_ID: none })
      assert.is(answer.status, 404)
      assert.not.match(await answer.text(), 'Draft words')
    }
    await options.set('close_comments_for_old_posts', true)
    assert.is((await send(site, { ...form, comment_post_ID: old.id })).status, 403)
    await options.set('close_comments_for_old_posts', false)
    await options.set('comment_registration', true)
    assert.is((await send(site, { ...form, comment_post_ID: id })).status, 401)
    const page = await (await fetch(url)).text()
    assert.match(page, `/svc-login?redirect_to=${encodeURIComponent(url)}`)
    assert.not.match(page, 'svc-comments-post')
    await options.set('comment_registration', false)
    await options.set('require_name_email', false)
    assert.is((await send(site, { comment_post_ID: id, comment: 'Nameless' })).status, 303)
    assert.is((await fetch(`${site.home}/svc-comments-post`)).status, 405)
  })

  forms('S19 that other sites or bots submit are not stored', async () => {
    await using site = await serveWithUsers(place)
    const { id } = await talk(site)
    const form = { ...ANN, comment_post_ID: id, comment: 'Words' }
    assert.is((await send(site, form, { origin: 'https://elsewhere.example' })).status, 403)
    assert.is((await send(site, form, { 'sec-fetch-site': 'cross-site' })).status, 403)
    assert.is((await send(site, { ...form, comment_again: 'x' })).status, 400)
    // Forms of users contain a nonce.
    const by = site.by('ann')
    assert.is((await send(site, form, by)).status, 403)
    const rows = await site.store.all(site.store.db.selectFrom('comments').select('id'))
    assert.is(rows.length, 0)
  })

  forms('of users have the name of the account, even if the form contains another name', async () => {
    await using site = await serveWithUsers(place)
    const { id, url } = await talk(site)
    const page = await (await fetch(url, { headers: site.by('sub') })).text()
    assert.not.match(page, 'name="email"')
    const [, nonce = ''] = /name="_svcnonce" value="([^"]+)"/.exec(page)!
    const form = { ...ANN, comment_post_ID: id, comment: 'Mine', _svcnonce: nonce }
    assert.is((await send(site, form, site.by('sub'))).status, 303)
    assert.is((await send(site, { ...form, comment: 'Stolen' }, site.by('con'))).status, 403)
    const rows = await site.store.all(site.store.db.selectFrom('comments').select(['author_id', 'author_name']))
    assert.equal(rows, [{ author_id: site.users.sub, author_name: 'SUB Writer' }])
  })

  forms('on protected posts require the password, and pass it on', async () => {
    await using site = await serveWithUsers(place)
    const { id, url } = await talk(site, { password: 'key', content: 'Locked words' })
    const form = { ...ANN, comment_post_ID: id, comment: 'Words' }
    const refused = await send(site, form)
    assert.is(refused.status, 401)
    assert.not.match(await refused.text(), 'Locked words')
    const opened = await fetch(url, { method: 'POST', body: new URLSearchParams({ post_password: 'key' }) })
    assert.match(await opened.text(), '<input type="hidden" name="post_password" value="key">')
    assert.is((await send(site, { ...form, post_password: 'key' })).status, 303)
  })

  forms('are accepted at the path of WordPress if the word is wp', async () => {
    await using site = await serveWithUsers(place, { word: 'wp' })
    const [id] = (await addPosts(site.store, { title: 'Talk', comment_status: 'open' })) as [number]
    const page = await (await fetch(`${site.home}/?p=${id}`)).text()
    const [, action = ''] = /<form action="([^"]+)" method="post" id="commentform"/.exec(page) ?? []
    assert.is(action, `${site.home}/wp-comments-post.php`)
    const body = new URLSearchParams({ ...ANN, comment_post_ID: String(id), comment: 'Words' })
    assert.is((await fetch(action, { method: 'POST', body, redirect: 'manual' })).status, 303)
  })

  forms('are paged and nested according to the settings', async () => {
    await using site = await serveWithUsers(place)
    const { options } = site.kernel.services
    for (const [setting, value] of Object.entries({
      page_comments: true,
      comments_per_page: 2,
      thread_comments_depth: 2,
      comment_previously_approved: false,
      comment_flood_seconds: 0,
    }))
      await options.set(setting, value)
    const { id, url } = await talk(site)
    const ids: number[] = []
    for (let at = 0; at < 5; at += 1) {
      const date = `2025-06-0${at + 1} 10:00:00`
      const row = {
        post_id: id,
        author_name: 'Bob',
        approved: '1',
        type: 'comment',
        date,
        date_gmt: date,
        content: `Number ${at}`,
      }
      ids.push((await site.store.first(site.store.db.insertInto('comments').values(row).returning('id')))!.id)
    }
    const send2 = (comment: string, parent: number) =>
      send(site, { ...ANN, comment_post_ID: id, comment, comment_parent: parent })
    const reply = await send2('Reply to the first', ids[0]!)
    assert.match(reply.headers.get('location')!, `${url}comment-page-1/#comment-`)
    const [, replyId] = /#comment-(\d+)/.exec(reply.headers.get('location')!)!
    await send2('Reply to the reply', Number(replyId))
    const shown = async (at: string) => {
      const text = await (await fetch(at)).text()
      return { text, numbers: [...text.matchAll(/Number (\d)/g)].map(([, number]) => Number(number)) }
    }
    const last = await shown(url)
    assert.equal(last.numbers, [4])
    assert.match(last.text, `href="${url}comment-page-2/#comments"`)
    assert.match(last.text, 'Older comments')
    const first = await shown(`${url}comment-page-1/`)
    assert.equal(first.numbers, [0, 1])
    assert.match(first.text, 'Reply to the reply')
    assert.not.match(first.text, 'depth-3')
    // The last level has no reply links.
    assert.not.match(first.text, `replytocom=${replyId}`)
    assert.match(first.text, 'aria-current="page"')
    assert.is((await fetch(`${url}comment-page-3/`, { redirect: 'manual' })).status, 301)
    assert.is((await fetch(`${url}comment-page-4/`)).status, 404)
    await options.set('comment_order', 'desc')
    await options.set('default_comments_page', 'oldest')
    assert.equal((await shown(url)).numbers, [0])
    const newest = await send2('The newest', 0)
    assert.match(newest.headers.get('location')!, `${url}comment-page-1/#comment-`)
  })

  forms('in the content of a post are the same for all readers, and store comments of visitors', async () => {
    await using site = await serveWithUsers(place)
    const { options } = site.kernel.services
    const content = '<!-- wp:post-comments-form /-->'
    const { id, url } = await talk(site, { content, slug: 'talk' })
    const contentOf = (page: string) => (page.split('class="entry-content')[1] ?? '').split('</main>')[0]!
    const form = contentOf(await (await fetch(url)).text())
    assert.match(form, `<form action="${site.home}/svc-comments-post" method="post"`)
    assert.match(form, `name="comment_post_ID" value="${id}"`)
    assert.not.match(form, '_svcnonce', 'cached content contains no nonce')
    assert.is((await send(site, { ...ANN, comment_post_ID: id, comment: 'From the content' })).status, 303)
    const shut = await talk(site, { content, slug: 'shut', password: 'word' })
    const read = async (path: string) => JSON.stringify(await site.json(path))
    assert.not.match(await read(`/svc/v2/posts/${shut.id}?password=word`), 'svc-comments-post')
    assert.match(await read(`/svc/v2/posts/${shut.id}?password=word`), 'must-log-in')
    const closed = await talk(site, { content, slug: 'closed', comment_status: 'closed' })
    assert.not.match(await read(`/svc/v2/posts/${closed.id}`), 'comment-respond')
    await options.set('comment_registration', true)
    assert.match(contentOf(await (await fetch(url)).text()), 'must-log-in')
    assert.not.match(await read(`/svc/v2/posts/${id}`), 'svc-comments-post')
  })

  forms.run()
}
