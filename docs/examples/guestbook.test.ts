import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { serve, type Site } from 'svc-rest/testing'
import guestbook from './guestbook.ts'

const leave = (site: Site, message: string) =>
  site.request('/guestbook/v1/entries', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ author: 'Ada', message }),
  })

test('guestbook keeps entries across restarts, lists the newest first, and rejects empty messages', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'guestbook-'))
  const options = { database: `sqlite:${join(folder, 'site.db')}`, add: [guestbook] }
  try {
    for (const message of ['first', 'second']) {
      await using site = await serve(options)
      assert.equal((await leave(site, message)).status, 200)
    }
    await using site = await serve(options)
    const entries = (await site.json('/guestbook/v1/entries')) as { message: string }[]
    assert.deepEqual(
      entries.map(({ message }) => message),
      ['second', 'first'],
    )
    assert.equal((await leave(site, '')).status, 400)
  } finally {
    await rm(folder, { recursive: true })
  }
})
