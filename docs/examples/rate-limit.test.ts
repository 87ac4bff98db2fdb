import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from 'svc-rest/testing'
import limit from './rate-limit.ts'

test('request limit counts API responses, pages and files, and rejects requests above it', async () => {
  await using site = await serve({ add: [limit], plugins: { 'request-limit': { most: 4 } } })
  const paths = ['/svc/v2/posts', '/svc/v2/posts', `${site.home}/`, `${site.home}/nothing.png`]
  const left = []
  for (const path of paths) left.push((await site.get(path)).headers.get('ratelimit-remaining'))
  assert.deepEqual(left, ['3', '2', '1', '0'])
  for (const path of paths) {
    const refused = await site.get(path)
    assert.equal(refused.status, 429)
    assert.equal(refused.headers.get('retry-after'), '60')
  }
})
