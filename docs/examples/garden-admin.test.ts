import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { serve } from 'svc-rest/testing'
import garden from './garden-admin.ts'

test('garden page lets editors add beds with pictures, and refuses authors', async () => {
  const uploads = await mkdtemp(join(tmpdir(), 'garden-'))
  await using site = await serve({ add: [garden], uploads })
  const logIn = async (login: string, role: string) => {
    const password = `pass phrase of ${login}`
    const { users } = site.kernel.services
    await users.create({
      ...(await users.secured({ password })),
      login,
      email: `${login}@site.test`,
      roles: [role],
      locale: 'de_DE',
    })
    const body = new URLSearchParams({ log: login, pwd: password })
    const response = await site.request(`${site.home}/svc-login`, { method: 'POST', body })
    const cookie = response.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ')
    return (path: string, init: RequestInit = {}) =>
      site.request(`${site.home}${path}`, { ...init, headers: { cookie } })
  }
  const [editor, author] = [await logIn('ed', 'editor'), await logIn('ann', 'author')]
  assert.equal((await author('/svc-admin/garden')).status, 403)
  const page = await (await editor('/svc-admin/garden')).text()
  assert.match(page, /<h1>Garten<\/h1>/)
  assert.equal((await editor(/href="[^"]*(\/svc-admin\/assets\/garden\/[^"]+)"/.exec(page)![1]!)).status, 200)

  const form = new FormData()
  form.set('_svcnonce', /name="_svcnonce" value="(\w+)"/.exec(page)![1]!)
  form.set('do', 'add')
  form.set('bed', '<Roses>')
  const pixel = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
  form.set('picture', new Blob([Buffer.from(pixel, 'base64')], { type: 'image/gif' }), 'rose.gif')
  const added = await editor('/svc-admin/garden', { method: 'POST', body: form })
  assert.equal(added.status, 303, await added.text())
  assert.match(await (await editor('/svc-admin/garden')).text(), /<li>&#60;Roses&#62;<\/li>/)
  assert.equal((await site.json('/svc/v2/media')).length, 1)
})
