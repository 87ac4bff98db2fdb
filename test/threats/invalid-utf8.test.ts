import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers, type SiteWithUsers } from '../helpers/site-with-users.ts'

const ROUTE = '/svc-json/svc/v2'

/** Texts that are not UTF-8: single bytes of windows-1252, a cut character, half a surrogate pair, a long form of `/`. */
const BROKEN = ['%ff', 'caf%e9', '%C3', '%ED%A0%80', '%c0%af', 'a%FEb']

async function answer(site: SiteWithUsers, path: string, init: RequestInit = {}) {
  const response = await fetch(`${site.home}${path}`, { redirect: 'manual', ...init })
  const text = await response.text()
  const { code } = text.startsWith('{') ? (JSON.parse(text) as { code?: string }) : {}
  return { status: response.status, code, text }
}

for (const { name, place } of databases) {
  const utf8 = suite(`invalid UTF-8 on ${name}`)

  utf8('in a JSON body gets 400 and stores nothing', async () => {
    await using site = await serveWithUsers(place)
    const count = async () => (await site.json('/svc/v2/posts?status=any', site.by('admin'))).length
    const before = await count()
    const headers = { ...site.by('admin'), 'content-type': 'application/json' }
    const body = (text: string) => Buffer.from(text, 'latin1')
    const broken = await answer(site, `${ROUTE}/posts`, {
      method: 'POST',
      headers,
      body: body('{"title":"caf\xe9 x","status":"draft"}'),
    })
    assert.equal([broken.status, broken.code], [400, 'rest_invalid_utf8'])
    assert.is(await count(), before)
    const whole = await answer(site, `${ROUTE}/posts`, { method: 'POST', headers, body: '{"title":"café x"}' })
    assert.is(whole.status, 201)
    assert.match(whole.text, 'café x')
  })

  utf8('in a query gets 400 from the REST API, also for plain URLs, writes and items of batches', async () => {
    await using site = await serveWithUsers(place)
    for (const text of BROKEN) {
      for (const path of [
        `${ROUTE}/posts?search=${text}`,
        `${ROUTE}/posts?slug[]=hello&slug[]=${text}`,
        `${ROUTE}/tags?slug=${text}`,
        `${ROUTE}/posts?${text}=1`,
        `/?rest_route=/svc/v2/posts&search=${text}`,
      ]) {
        const { status, code } = await answer(site, path)
        assert.equal([status, code], [400, 'rest_invalid_utf8'], path)
      }
      const write = await answer(site, `${ROUTE}/tags?name=${text}`, { method: 'POST', headers: site.by('admin') })
      assert.equal([write.status, write.code], [400, 'rest_invalid_utf8'], text)
      const requests = [{ method: 'POST', path: `/svc/v2/tags?name=${text}` }]
      const batch = await site.send('POST', '/batch/v1', { requests }, 'admin')
      const { responses } = (await batch.json()) as { responses: { status: number }[] }
      assert.is(responses[0]?.status, 400, text)
    }
    assert.equal(await site.json('/svc/v2/tags'), [])
  })

  utf8('in a query shares no cached response with U+FFFD, and incomplete escapes stay text', async () => {
    await using site = await serveWithUsers(place)
    for (let round = 0; round < 3; round += 1) {
      for (const [text, status] of [
        ['%ff', 400],
        ['%EF%BF%BD', 200],
        ['%zz', 200],
        ['100%', 200],
        ['%C3%A9', 200],
      ] as const) {
        assert.is((await answer(site, `${ROUTE}/posts?search=${text}`)).status, status, text)
        assert.is((await answer(site, `/?s=${text}`)).status, status, text)
      }
    }
  })

  utf8('gets 400 from pages in parameters that select content, and is ignored in others', async () => {
    await using site = await serveWithUsers(place)
    for (const text of BROKEN) {
      for (const parameter of ['s', 'name', 'tag', 'author_name', 'category_name'])
        assert.is((await answer(site, `/?${parameter}=${text}`)).status, 400, `${parameter}=${text}`)
      assert.is((await answer(site, `/2025/01/05/hello/?campaign=${text}`)).status, 200, text)
      assert.is((await answer(site, `/${text}/`)).status, 400, text)
      assert.is((await answer(site, `${ROUTE}/${text}`)).status, 400, text)
    }
  })

  utf8('in file names and credentials of headers is never replaced', async () => {
    await using site = await serveWithUsers(place)
    const upload = (disposition: string) =>
      answer(site, `${ROUTE}/media`, {
        method: 'POST',
        headers: { ...site.by('admin'), 'content-type': 'text/plain', 'content-disposition': disposition },
        body: 'text',
      })
    assert.is((await upload("attachment; filename*=UTF-8''caf%e9.txt")).code, 'rest_upload_invalid_disposition')
    for (const disposition of [
      'attachment; filename="caf\xe9.txt"',
      `attachment; filename="plain.txt"; filename*=UTF-8''caf%e9.txt`,
    ]) {
      const { status, text } = await upload(disposition)
      assert.is(status, 201, text)
      assert.not.match(text, '\uFFFD')
      assert.not.match(text, '%EF%BF%BD')
    }
    const authorization = `Basic ${Buffer.from('ann\xff:secret', 'latin1').toString('base64')}`
    assert.is((await answer(site, `${ROUTE}/posts`, { headers: { authorization } })).status, 200)
    assert.is((await answer(site, `${ROUTE}/users/me`, { headers: { authorization } })).status, 401)
  })

  utf8.run()
}
