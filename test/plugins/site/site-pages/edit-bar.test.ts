import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse } from '../../../helpers/browser.ts'
import { addPosts } from '../../../helpers/content.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'

for (const { name, place } of databases) {
  const bar = suite(`the bar above pages on ${name}`)

  bar('links users with permission to the edit page, and is never cached', async () => {
    await using site = await serveWithUsers(place)
    const [id] = (await addPosts(site.store, {
      title: 'Theirs',
      author_id: site.users.ed,
      comment_status: 'open',
    })) as [number]
    const when = '2025-06-01 10:00:00'
    await site.store.run(
      site.store.db.insertInto('comments').values({
        post_id: id,
        author_name: 'Bob',
        approved: '1',
        type: 'comment',
        date: when,
        date_gmt: when,
        content: 'Hi',
      }),
    )
    const { link } = (await site.json(`/svc/v2/posts/${id}`)) as { link: string }
    const path = link.slice(site.home.length)
    const edit = `href="${site.home}/svc-admin/content/post/${id}"`
    const ed = browse(site)
    await ed.logIn('ed', 'pass phrase of ed')
    const page = await ed.open(path)
    assert.match(page.headers.get('cache-control')!, 'private, no-store')
    const text = await page.text()
    assert.match(text, '<nav class="edit-bar"')
    assert.match(text, edit)
    assert.match(text, 'Log out')
    assert.match(await (await ed.open('/author/ed-w/')).text(), '/svc-admin/account"')
    assert.match(text, '/svc-admin/comments/')
    const sub = browse(site)
    await sub.logIn('sub', 'pass phrase of sub')
    const theirs = await (await sub.open(path)).text()
    assert.match(theirs, '<nav class="edit-bar"')
    assert.not.match(theirs, edit)
    assert.not.match(theirs, '/svc-admin/comments/')
    const visitors = await fetch(link)
    assert.not.match(await visitors.text(), 'edit-bar')
    assert.match(visitors.headers.get('cache-control')!, 'public')
  })

  bar.run()
}
