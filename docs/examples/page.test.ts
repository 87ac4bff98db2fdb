import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, serve } from 'svc-rest/testing'
import page from './page.ts'

test('page greets visitors and users, and does not respond at other URLs', async () => {
  await using site = await serve({ add: [page] })
  const stranger = await site.get(`${site.home}/hello/`)
  assert.match(await stranger.text(), /Hello stranger/)
  const user = await site.kernel.services.users.create({ login: 'ada', email: 'ada@site.test', name: '<Ada>' })
  assert.match(
    await (await site.get(`${site.home}/hello`, as('editor', user.id))).text(),
    /Hello (&lt;Ada&gt;|stranger)/,
  )
  assert.equal((await site.get(`${site.home}/hello/you`)).status, 404)
})
