import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { as, serve, CONTENT_PLUGINS, startOnly } from '../../helpers/site.ts'

startOnly('jsonp', ...CONTENT_PLUGINS)

const jsonp = suite('jsonp')

jsonp('S23: is refused unless it is enabled', async () => {
  await using site = await serve()
  const { code, data } = await site.json('/svc/v2/types?_jsonp=cb')
  assert.equal([code, data.status], ['rest_callback_disabled', 400])
})

jsonp('responds with a script that calls the callback', async () => {
  await using site = await serve({ plugins: { jsonp: { enabled: true } } })
  const answer = await site.get('/svc/v2/types?_jsonp=my.call_back1&_fields=post.slug')
  assert.match(await answer.text(), /^\/\*\*\/my\.call_back1\(\{.*\}\)$/)
  assert.is(answer.headers.get('content-type'), 'application/javascript; charset=UTF-8')
  assert.is(answer.headers.get('x-content-type-options'), 'nosniff')
})

jsonp('S23: accepts only plain names as callback', async () => {
  await using site = await serve({ plugins: { jsonp: { enabled: true } } })
  for (const name of ['alert(1)', 'a b', '', 'a'.repeat(65), 'a-b', '<', 'ü']) {
    const answer = await site.get(`/svc/v2/types?_jsonp=${encodeURIComponent(name)}`)
    assert.is(((await answer.json()) as { code: string }).code, 'rest_callback_invalid', name)
    assert.is(answer.headers.get('content-type'), 'application/json; charset=UTF-8')
  }
  assert.is((await site.json('/svc/v2/types?_jsonp[]=a')).code, 'rest_callback_invalid')
})

jsonp('S23: refuses logged-in users', async () => {
  await using site = await serve({ plugins: { jsonp: { enabled: true } } })
  const answer = await site.get('/svc/v2/types?_jsonp=cb', as('administrator'))
  assert.is(answer.status, 403)
  assert.is(((await answer.json()) as { code: string }).code, 'rest_callback_forbidden')
})

jsonp('responds to HEAD as to GET', async () => {
  for (const enabled of [true, false]) {
    await using site = await serve({ plugins: { jsonp: { enabled } } })
    for (const callback of ['cb', 'a-b']) {
      for (const user of [{}, as('administrator')]) {
        const [get, head] = await Promise.all(
          ['GET', 'HEAD'].map((method) =>
            site.request(`/svc/v2/types?_jsonp=${callback}`, { method, headers: { ...user } }),
          ),
        )
        const about = `${enabled} ${callback}`
        assert.is(head!.status, get!.status, about)
        assert.is(head!.headers.get('content-type'), get!.headers.get('content-type'), about)
      }
    }
  }
})

jsonp('applies to reads only', async () => {
  await using site = await serve({ plugins: { jsonp: { enabled: true } } })
  const answer = await site.request('/svc/v2/types?_jsonp=cb', { method: 'POST' })
  assert.is(answer.headers.get('content-type'), 'application/json; charset=UTF-8')
})

jsonp('S23: ignores cookies, so that other sites can read public data only', async () => {
  await using site = await serve({ plugins: { jsonp: { enabled: true } } })
  const cookie = 'svc_logged_in=admin%7C9999999999%7Ctoken%7Chash'
  const answer = await site.get('/svc/v2/users/me?_jsonp=cb', { cookie })
  assert.match(await answer.text(), /^\/\*\*\/cb\(\{"code":"rest_not_logged_in"/)
  for (const path of ['/svc/v2/settings', '/svc/v2/posts?context=edit']) {
    const refused = await site.get(`${path}${path.includes('?') ? '&' : '?'}_jsonp=cb`, { cookie })
    assert.is(refused.status, 401, path)
    assert.is(refused.headers.get('x-content-type-options'), 'nosniff')
  }
})

jsonp.run()
