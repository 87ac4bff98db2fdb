import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { as, serve, type Site } from '../../kit/index.ts'

const responses = suite('long responses')

const LONG = 'word '.repeat(60_000)
const AUTHOR = as('author')

async function write(site: Site, count: number, content = LONG): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const body = JSON.stringify({ title: `Post ${number}`, content: `${number} ${content}`, status: 'publish' })
    const headers = { ...AUTHOR, 'content-type': 'application/json' }
    assert.is((await site.request('/svc/v2/posts', { method: 'POST', headers, body })).status, 201)
  }
}

responses('are those of short ones, whatever their length', async () => {
  await using site = await serve()
  await write(site, 6)
  const whole: Record<string, unknown>[] = await site.json('/svc/v2/posts')
  assert.is(whole.length, 6)
  for (const post of whole)
    assert.equal(await site.json(`/svc/v2/posts/${String(post['id'])}?_fields=id,title,content`), {
      id: post['id'],
      title: post['title'],
      content: post['content'],
    })
  const enveloped = await site.json('/svc/v2/posts?_envelope&_fields=id,title,content')
  assert.equal(enveloped.body.length, 6)
  const head = await site.request('/svc/v2/posts', { method: 'HEAD' })
  assert.is(head.status, 200)
})

responses('are refused to readers above the limit, who may ask for less', async () => {
  await using site = await serve({ limits: { answer: 1_048_576 } })
  await write(site, 6)
  const refused = await site.get('/svc/v2/posts')
  assert.is(refused.status, 400)
  assert.is(((await refused.json()) as { code: string }).code, 'rest_answer_too_large')
  assert.is((await site.get('/svc/v2/posts?per_page=3')).status, 200)
  assert.is((await site.get('/svc/v2/posts?_fields=id,title,excerpt')).status, 200)
})

responses('wait for others where there is no room, short ones never; the room is given back', async () => {
  await using site = await serve({ limits: { answers: 1_048_576 } })
  await write(site, 6)
  // The same would be made once for all of them.
  const orders = ['date', 'id', 'modified', 'slug', 'title']
  const asked = await Promise.all(orders.map((order) => site.get(`/svc/v2/posts?orderby=${order}`)))
  const short = await site.get('/svc/v2/posts?_fields=id')
  for (const answer of asked) await answer.arrayBuffer()
  const statuses = asked.map(({ status }) => status)
  assert.ok(statuses.includes(200), String(statuses))
  assert.ok(statuses.includes(503), String(statuses))
  assert.ok(asked.every(({ status, headers }) => status === 200 || headers.get('retry-after') !== null))
  assert.is(short.status, 200)
  // Also of those that nobody waited for.
  const gone = new AbortController()
  const left = site.request('/svc/v2/posts', { signal: gone.signal }).catch(() => null)
  gone.abort()
  await left
  let again = await site.get('/svc/v2/posts')
  for (let times = 0; again.status === 503 && times < 50; times += 1) again = await site.get('/svc/v2/posts')
  assert.is(again.status, 200)
})

responses.run()
