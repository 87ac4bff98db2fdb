import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, serve } from 'svc-rest/testing'
import hello from './hello.ts'

test('greets by name, at most three times', async () => {
  await using site = await serve({ add: [hello], plugins: { hello: { greeting: 'Good morning' } } })
  assert.deepEqual(await site.json('/hello/v1/greet/Ada?times=2'), { lines: Array(2).fill('Good morning, Ada!') })
  assert.equal((await site.get('/hello/v1/greet/Ada?times=9')).status, 400)
})

test('counts the words of posts and serves recipes', async () => {
  await using site = await serve({ add: [hello] })
  const created = await site.request('/svc/v2/posts', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...as('administrator') },
    body: JSON.stringify({ title: 'Soup', content: 'Boil some water.', status: 'publish' }),
  })
  assert.equal(created.status, 201)
  const [post] = await site.json('/svc/v2/posts?_fields=words,content')
  assert.equal(post.words, 3)
  assert.deepEqual(await site.json('/svc/v2/recipes'), [])
})
