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

responses('have the same content as when they are requested one by one', async () => {
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

responses('are refused with 400 above limits.response, while smaller requests succeed', async () => {
  await using site = await serve({ limits: { response: 1_048_576 } })
  await write(site, 6)
  const refused = await site.get('/svc/v2/posts')
  assert.is(refused.status, 400)
  assert.is(((await refused.json()) as { code: string }).code, 'rest_answer_too_large')
  assert.is((await site.get('/svc/v2/posts?per_page=3')).status, 200)
  assert.is((await site.get('/svc/v2/posts?_fields=id,title,excerpt')).status, 200)
})

responses(
  'get 503 while limits.responses is used up, short responses do not, and the budget is released afterwards',
  async () => {
    await using site = await serve({ limits: { responses: 1_048_576 } })
    await write(site, 6)
    // Different orders, because identical requests would share one response.
    const orders = ['date', 'id', 'modified', 'slug', 'title']
    const responses = await Promise.all(orders.map((order) => site.get(`/svc/v2/posts?orderby=${order}`)))
    const short = await site.get('/svc/v2/posts?_fields=id')
    for (const response of responses) await response.arrayBuffer()
    const statuses = responses.map(({ status }) => status)
    assert.ok(statuses.includes(200), String(statuses))
    assert.ok(statuses.includes(503), String(statuses))
    assert.ok(responses.every(({ status, headers }) => status === 200 || headers.get('retry-after') !== null))
    assert.is(short.status, 200)
    // The budget of aborted requests is released as well.
    const aborter = new AbortController()
    const left = site.request('/svc/v2/posts', { signal: aborter.signal }).catch(() => null)
    aborter.abort()
    await left
    let again = await site.get('/svc/v2/posts')
    for (let times = 0; again.status === 503 && times < 50; times += 1) again = await site.get('/svc/v2/posts')
    assert.is(again.status, 200)
  },
)

responses.run()
