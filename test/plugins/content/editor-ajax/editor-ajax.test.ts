import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse } from '../../../helpers/browser.ts'
import { addPosts } from '../../../helpers/content.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'
import { addMedia } from '../media/content.ts'

for (const { name, place } of databases) {
  const ajax = suite(`requests of editors on ${name}`)

  const start = async () => {
    const site = await serveWithUsers(place, { word: 'wp' })
    const open = async (login: string | null) => {
      const browser = browse(site)
      if (login !== null) await browser.logIn(login, `pass phrase of ${login}`)
      const nonce = login === null ? '' : await browser.nonce()
      const send = async (action: string, form: Record<string, string>) => {
        const response = await browser.send('/wp-admin/admin-ajax.php', { action, ...form })
        const text = await response.text()
        return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
      }
      return { browser, nonce, send }
    }
    return { site, open }
  }
  const LOCK = 'wp-refresh-post-lock'
  const beat = (post: number, nonce: string) => ({ [`data[${LOCK}][post_id]`]: String(post), _nonce: nonce })

  ajax('return the current editor of a post, and fresh nonces to logged-in users', async () => {
    const { site, open } = await start()
    await using _site = site
    const [post] = (await addPosts(site.store, { title: 'Hello', author_id: site.users.ann })) as [number]
    const [ed, ann, con, visitor] = await Promise.all([open('ed'), open('ann'), open('con'), open(null)])
    const first = await ed.send('heartbeat', beat(post, ed.nonce))
    assert.is(first.status, 200)
    assert.match(first.body[LOCK].new_lock, new RegExp(`^\\d+:${site.users.ed}$`))
    assert.ok(first.body.rest_nonce.length > 5)
    const second = await ann.send('heartbeat', beat(post, ann.nonce))
    assert.ok(second.body[LOCK].lock_error.text)
    assert.is((await con.send('heartbeat', beat(post, con.nonce))).body[LOCK], undefined, 'not for who may not edit it')
    const wrong = await ann.send('heartbeat', beat(post, 'wrong'))
    assert.equal([wrong.body.nonces_expired, wrong.body.rest_nonce, wrong.body[LOCK]], [true, undefined, undefined])
    const out = await visitor.send('heartbeat', beat(post, ed.nonce))
    assert.equal([out.body['wp-auth-check'], out.body.rest_nonce], [false, undefined])

    const letGo = (nonce: string) => ({ post_ID: String(post), _wpnonce: nonce })
    assert.is((await ann.send('wp-remove-post-lock', letGo(ann.nonce))).body, '1')
    assert.ok((await ann.send('heartbeat', beat(post, ann.nonce))).body[LOCK].lock_error, 'the lock is not theirs')
    assert.is((await ed.send('wp-remove-post-lock', letGo('wrong'))).status, 403)
    assert.is((await con.send('wp-remove-post-lock', letGo(con.nonce))).status, 403)
    assert.is((await ed.send('wp-remove-post-lock', letGo(ed.nonce))).body, '1')
    assert.ok((await ann.send('heartbeat', beat(post, ann.nonce))).body[LOCK].new_lock)
    assert.is((await visitor.send('wp-remove-post-lock', letGo(''))).status, 400)
    assert.is((await ed.send('no-such-action', {})).status, 404)
    assert.is((await ed.send('__proto__', {})).status, 404)
  })

  ajax('list only readable media, and only for users who may upload', async () => {
    const { site, open } = await start()
    await using _site = site
    const [draft] = (await addPosts(site.store, { title: 'Draft', status: 'draft', author_id: site.users.ed })) as [
      number,
    ]
    await addMedia(
      site,
      { title: 'Lake' },
      { title: 'Notes', mime_type: 'text/plain' },
      { title: 'Hidden', parent_id: draft },
    )
    const [ed, ann, con, visitor] = await Promise.all([open('ed'), open('ann'), open('con'), open(null)])
    const all = await ed.send('query-attachments', { 'query[orderby]': 'title', 'query[order]': 'ASC' })
    assert.equal(
      all.body.data.map((one: { title: string }) => one.title),
      ['Hidden', 'Lake', 'Notes'],
    )
    const images = await ann.send('query-attachments', {
      'query[post_mime_type]': 'image',
      'query[posts_per_page]': '5',
    })
    assert.equal(
      images.body.data.map((one: { title: string }) => one.title),
      ['Lake'],
    )
    assert.equal(images.body.data[0].sizes.thumbnail.width, 150)
    assert.is((await con.send('query-attachments', {})).status, 403)
    assert.is((await visitor.send('query-attachments', {})).status, 401)
    const odd = { 'query[posts_per_page]': '-1', 'query[paged]': 'x', 'query[s]': '%', 'query[__proto__][a]': '1' }
    assert.is((await ed.send('query-attachments', odd)).status, 200)
  })

  ajax('redirect from the profile to the application passwords', async () => {
    const { site, open } = await start()
    await using _site = site
    const { browser } = await open('ann')
    const answer = await browser.open('/wp-admin/profile.php')
    assert.is(answer.status, 302)
    const page = await browser.open(answer.headers.get('location')!)
    assert.is(page.status, 200)
    const visitor = await browse(site).open('/wp-admin/profile.php')
    assert.match(visitor.headers.get('location')!, 'wp-login.php')
  })

  ajax.run()
}
