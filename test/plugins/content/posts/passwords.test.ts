import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { stopClockFor } from '../../../helpers/clock.ts'
import { addPosts } from '../../../helpers/content.ts'
import { as, serveOn, type Site } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'

const LIMIT = { 'login-attempts': { tries: 3, window: 90 } }

/** Clients connect through a proxy that sends their IP address. */
const from = (ip: string) => ({ 'x-forwarded-for': ip })
const ANN = from('192.0.2.1')
const BOB = from('192.0.2.2')

for (const { name, make } of places) {
  const passwords = suite(`post passwords on ${name}`)
  stopClockFor(passwords)

  /** A site with a protected post and a comment on it. */
  const serveProtectedPost = async () => {
    const site = await serveOn(await make(), { plugins: LIMIT, trust_proxy: true })
    const [id] = (await addPosts(site.store, { content: 'the text', password: 'word', comment_status: 'open' })) as [
      number,
    ]
    const date = '2024-05-01 10:00:00'
    const comment = { post_id: id, content: 'said', approved: '1', date, date_gmt: date }
    const stored = await site.store.first(site.store.db.insertInto('comments').values(comment).returning('id'))
    return { site, id, comment: stored!.id, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() }
  }
  const statuses = async (site: Site, path: string, headers: Record<string, string>, times: number) => {
    const codes: number[] = []
    for (let at = 0; at < times; at += 1) codes.push((await site.get(path, headers)).status)
    return codes
  }

  passwords('S11: are limited by post and IP address after wrong attempts, with the time to wait', async () => {
    await using fixture = await serveProtectedPost()
    const { site, id } = fixture
    const path = `/svc/v2/posts/${id}`
    assert.equal(await statuses(site, `${path}?password=Word`, ANN, 4), [403, 403, 403, 429])
    const late = await site.get(`${path}?password=Word`, ANN)
    const { code, data } = (await late.json()) as { code: string; data: { status: number } }
    assert.equal([code, data.status], ['rest_post_too_many_attempts', 429])
    const wait = Number(late.headers.get('retry-after'))
    assert.ok(wait > 0 && wait <= 90)
    // Even the right password is refused then, so that a client cannot find it by guessing on.
    assert.is((await site.get(`${path}?password=word`, ANN)).status, 429)
  })

  passwords('S11: stay open for other clients, and posts without a password for the blocked one', async () => {
    await using fixture = await serveProtectedPost()
    const { site, id } = fixture
    const path = `/svc/v2/posts/${id}`
    for (let at = 1; at <= 20; at += 1) await statuses(site, `${path}?password=Word`, from(`198.51.100.${at}`), 4)
    const open = await site.json(`${path}?password=word`, BOB)
    assert.match(open.content.rendered, 'the text')
    const without = await site.json(path, from('198.51.100.1'))
    assert.equal([without.content.rendered, without.content.protected], ['', true])
    assert.is((await site.get(`${path}?context=edit`, { ...from('198.51.100.1'), ...as('editor') })).status, 200)
  })

  passwords('S11: are limited together across all routes that accept one', async () => {
    await using fixture = await serveProtectedPost()
    const { site, id, comment } = fixture
    assert.equal(await statuses(site, `/svc/v2/comments?post=${id}&password=a`, ANN, 1), [401])
    assert.equal(await statuses(site, `/svc/v2/comments/${comment}?password=b`, ANN, 1), [401])
    assert.equal(await statuses(site, `/svc/v2/posts/${id}?password=c`, ANN, 1), [403])
    for (const path of [
      `/svc/v2/comments?post=${id}&password=word`,
      `/svc/v2/comments/${comment}?password=word`,
      `/svc/v2/posts/${id}?password=word`,
    ]) {
      const { status, headers } = await site.get(path, ANN)
      assert.equal([status, headers.has('retry-after')], [429, true], path)
    }
    const body = JSON.stringify({ post: id, content: 'more', password: 'word' })
    const request = {
      method: 'POST',
      body,
      headers: { ...ANN, ...as('subscriber'), 'content-type': 'application/json' },
    }
    assert.is((await site.request('/svc/v2/comments', request)).status, 429)
    // Editors of the post do not need a password.
    const editor = { ...ANN, ...as('editor') }
    assert.equal(await statuses(site, `/svc/v2/comments?post=${id}&password=wrong`, editor, 3), [200, 200, 200])
  })

  passwords('S11: are limited for concurrent attempts as well', async () => {
    await using fixture = await serveProtectedPost()
    const { site, id } = fixture
    const guesses = Array.from({ length: 20 }, (_, at) => (at === 19 ? 'word' : `guess${at}`))
    const answers = await Promise.all(guesses.map((word) => site.get(`/svc/v2/posts/${id}?password=${word}`, ANN)))
    assert.equal(
      answers.map(({ status }) => status).sort((one, other) => one - other),
      [...Array.from({ length: 3 }, () => 403), ...Array.from({ length: 17 }, () => 429)],
    )
  })

  passwords('S11: count as one attempt per request, also for an embedded post', async () => {
    await using fixture = await serveProtectedPost()
    const { site, id } = fixture
    const path = `/svc/v2/comments?post=${id}&password=wrong`
    assert.equal(await statuses(site, path, ANN, 4), [401, 401, 401, 429])
  })

  passwords('cause no write when they are right', async () => {
    await using fixture = await serveProtectedPost()
    const { site, id } = fixture
    const work = () => site.get(`/svc/v2/posts/${id}?password=word`, ANN).then((answer) => answer.text())
    for (const statement of await site.statements(work)) assert.match(statement, /^\s*(?:select|with)/i)
  })

  passwords('are stored with the post only, not with its revisions', async () => {
    await using fixture = await serveProtectedPost()
    const { site, id } = fixture
    const headers = { 'content-type': 'application/json', ...as('editor') }
    const send = (path: string, body: object) =>
      site.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
    await send(`/svc/v2/posts/${id}`, { title: 'other', password: 'another word' })
    await send(`/svc/v2/posts/${id}`, { content: 'other' })
    await send(`/svc/v2/posts/${id}/autosaves`, { title: 'aside', content: 'aside', password: 'third word' })
    const select = site.store.db.selectFrom('posts').select(['type', 'password'])
    const rows = await site.store.all<{ type: string; password: string }>(select)
    assert.ok(rows.filter(({ type }) => type === 'revision').length >= 2)
    for (const { type, password } of rows) assert.is(password, type === 'revision' ? '' : 'another word')
  })

  passwords.run()
}
