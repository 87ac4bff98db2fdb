import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { as, serve } from '../site.ts'

const jsonp = suite('jsonp')

jsonp('is refused unless it is enabled', async () => {
  await using site = await serve()
  const { code, data } = await site.json('/svc/v2/types?_jsonp=cb')
  assert.equal([code, data.status], ['rest_callback_disabled', 400])
})

jsonp('answers with a script that calls the callback', async () => {
  await using site = await serve({ plugins: { jsonp: { enabled: true } } })
  const answer = await site.get('/svc/v2/types?_jsonp=my.call_back1&_fields=post.slug')
  assert.match(await answer.text(), /^\/\*\*\/my\.call_back1\(\{.*\}\)$/)
  assert.is(answer.headers.get('content-type'), 'application/javascript; charset=UTF-8')
  assert.is(answer.headers.get('x-content-type-options'), 'nosniff')
})

jsonp('takes no callback but a plain name', async () => {
  await using site = await serve({ plugins: { jsonp: { enabled: true } } })
  for (const name of ['alert(1)', 'a b', '', 'a'.repeat(65), 'a-b', '<', 'ü']) {
    const answer = await site.get(`/svc/v2/types?_jsonp=${encodeURIComponent(name)}`)
    assert.is(((await answer.json()) as { code: string }).code, 'rest_callback_invalid', name)
    assert.is(answer.headers.get('content-type'), 'application/json; charset=UTF-8')
  }
  assert.is((await site.json('/svc/v2/types?_jsonp[]=a')).code, 'rest_callback_invalid')
})

jsonp('gives nothing to people who are logged in', async () => {
  await using site = await serve({ plugins: { jsonp: { enabled: true } } })
  const answer = await site.get('/svc/v2/types?_jsonp=cb', as('administrator'))
  assert.is(answer.status, 403)
  assert.is(((await answer.json()) as { code: string }).code, 'rest_callback_forbidden')
})

jsonp('is for reading alone', async () => {
  await using site = await serve({ plugins: { jsonp: { enabled: true } } })
  const answer = await site.request('/svc/v2/types?_jsonp=cb', { method: 'POST' })
  assert.is(answer.headers.get('content-type'), 'application/json; charset=UTF-8')
})

jsonp.run()
