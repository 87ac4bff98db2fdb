import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from 'svc-rest/testing'
import header from './response-header.ts'

test('response header is sent with cached and uncached responses, pages, files and errors', async () => {
  await using site = await serve({
    add: [header],
    plugins: { 'response-header': { policy: 'same-origin-allow-popups' } },
  })
  for (const path of [
    '/svc/v2/posts',
    '/svc/v2/posts',
    '/svc/v2/nothing',
    '/',
    `${site.home}/`,
    `${site.home}/x.png`,
  ]) {
    assert.equal((await site.get(path)).headers.get('cross-origin-opener-policy'), 'same-origin-allow-popups', path)
  }
})
