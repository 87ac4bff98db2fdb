import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse } from '../../../helpers/browser.ts'
import { status, verify } from '../../../helpers/receiver.ts'
import { databases, type UserIds } from '../../../helpers/site-with-users.ts'
import { until } from '../../../helpers/until.ts'
import { addWebhook, BASE, hooked, type Shown } from './hooks.ts'

const OTHERS: readonly (keyof UserIds | undefined)[] = ['ed', 'ann', 'con', 'sub', undefined]

for (const { name, place } of databases) {
  const routes = suite(`routes of webhooks on ${name}`)

  routes('are for administrators only', async () => {
    await using at = await hooked(place)
    const { site, webhook } = at
    await at.post('Sea')
    await at.waitForDeliveries()
    const [delivery] = await at.deliveries()
    const one = `${BASE}/${webhook.id}`
    const requests = [
      ['GET', BASE],
      ['POST', BASE],
      ['GET', one],
      ['PUT', one],
      ['DELETE', one],
      ['POST', `${one}/secret`],
      ['POST', `${one}/test`],
      ['GET', `${one}/deliveries`],
      ['POST', `${one}/deliveries/replay`],
      ['POST', `${one}/deliveries/${delivery!.id}/replay`],
    ] as const
    for (const [method, path] of requests) {
      for (const login of OTHERS) {
        const response = await site.send(method, path, { url: 'https://a.example' }, login)
        assert.is(response.status, login === undefined ? 401 : 403, `${method} ${path} by ${login}`)
        const text = await response.text()
        assert.ok(text.includes('rest_cannot_manage_webhooks') && !text.includes(webhook.url as string))
      }
    }
    assert.is((await site.send('GET', one, undefined, 'admin')).status, 200)
  })

  routes('accept a cookie with a nonce and application passwords, but no cookie without a nonce', async () => {
    await using at = await hooked(place)
    const { site, webhook } = at
    const one = `${BASE}/${webhook.id}`
    const admin = browse(site)
    await admin.logIn('admin', 'pass phrase of admin')
    for (const [method, path] of [
      ['GET', BASE],
      ['POST', `${one}/secret`],
      ['DELETE', one],
      ['POST', `${one}/test`],
    ] as const) {
      assert.is((await admin.api(path, null, { method })).status, 401, path)
      assert.is((await admin.api(path, 'wrong', { method })).status, 403, path)
    }
    assert.is((await admin.api(one, await admin.nonce())).status, 200)
    const fetchStatus = async (login: 'admin' | 'ed') => {
      const { password } = await site.kernel.services.applicationPasswords.create(site.users[login], { name: 'x' })
      const authorization = `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`
      return (await site.request(one, { headers: { authorization } })).status
    }
    assert.is(await fetchStatus('admin'), 200)
    assert.is(await fetchStatus('ed'), 403)
    const batch = {
      requests: [
        { method: 'GET', path: one },
        { method: 'DELETE', path: one },
      ],
    }
    const batched = await (await site.send('POST', '/batch/v1', batch, 'ed')).text()
    assert.not.ok(batched.includes(at.receiver.url))
    assert.is((await at.now()).id, webhook.id)
  })

  routes('S17: return the secret only when it is created', async () => {
    const lines: string[] = []
    await using at = await hooked(place, { log: 'trace', logTo: (line) => void lines.push(line), trace: true })
    const { site, webhook, receiver } = at
    const one = `${BASE}/${webhook.id}`
    const rotated = (await (await site.send('POST', `${one}/secret`, {}, 'admin')).json()) as Shown
    await at.post('Sea')
    await at.waitForDeliveries()
    const shown = await Promise.all(
      [BASE, one, `${one}/deliveries`, `${BASE}?context=edit`, `${one}?_fields=secret,secrets,url`, '/'].map(
        async (path) => (await site.send('GET', path, undefined, 'admin')).text(),
      ),
    )
    const admin = browse(site)
    await admin.logIn('admin', 'pass phrase of admin')
    const traced = await (await admin.open('/svc-admin/trace/requests?after=0')).text()
    const { requests } = JSON.parse(traced) as { requests: { number: number }[] }
    for (const { number } of requests)
      shown.push(await (await admin.open(`/svc-admin/trace/requests/${number}`)).text())
    assert.ok(shown.some((text) => text.includes('webhooks')))
    const services = [await site.kernel.services.webhooks.list(), await at.now()]
    const all = [
      ...shown,
      ...lines,
      JSON.stringify(services),
      ...receiver.messages.map((message) => JSON.stringify(message)),
    ]
    const changes = await site.kernel.services.changeHistory.after(0, 1000)
    for (const secret of [webhook.secret, rotated.secret]) {
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.not.ok([...all, JSON.stringify(changes)].some((text) => text.includes(secret.slice(6))))
    }
  })

  routes('rotate secrets, and both sign during the overlap', async () => {
    await using at = await hooked(place, { webhook: { kinds: ['post'] } })
    const { site, webhook, receiver } = at
    const rotate = async (body: object) => {
      const response = await site.send('POST', `${BASE}/${webhook.id}/secret`, body, 'admin')
      return ((await response.json()) as Shown).secret
    }
    const message = async () => {
      const { length } = receiver.messages
      await at.post('Sea')
      await until(() => receiver.messages.length > length)
      return receiver.messages.at(-1)!
    }
    const second = await rotate({})
    const signedWithBoth = await message()
    verify(signedWithBoth, webhook.secret)
    verify(signedWithBoth, second)
    assert.is(signedWithBoth.headers['webhook-signature']!.split(' ').length, 2)
    const third = await rotate({ overlap: 0 })
    const signedWithThird = await message()
    verify(signedWithThird, third)
    assert.throws(() => verify(signedWithThird, second))
    assert.throws(() => verify(signedWithThird, webhook.secret))
    assert.is((await site.send('POST', `${BASE}/${webhook.id}/secret`, { overlap: -1 }, 'admin')).status, 400)
  })

  routes('reject invalid input', async () => {
    await using at = await hooked(place)
    const { site, webhook } = at
    const wrong = [
      {},
      { url: '' },
      { url: 'nonsense' },
      { url: 'ftp://a.example' },
      { url: 'file:///etc/passwd' },
      { url: 'javascript:alert(1)' },
      { url: 'https://user@a.example' },
      { url: 'https://user:pass@a.example' },
      { url: `https://a.example/${'x'.repeat(2000)}` },
      { url: 12 },
      { url: 'https://a.example', kinds: ['session'] },
      { url: 'https://a.example', kinds: 'all of them' },
      { url: 'https://a.example', types: [''] },
      { url: 'https://a.example', types: Array.from({ length: 101 }, (_, index) => `t${index}`) },
      { url: 'https://a.example', unpublished: 'perhaps' },
      { url: 'https://a.example', name: 'x'.repeat(101) },
    ]
    for (const body of wrong) {
      const response = await site.send('POST', BASE, body, 'admin')
      assert.is(response.status, 400, JSON.stringify(body).slice(0, 80))
      const text = await response.text()
      assert.not.ok(text.includes('pass@'))
    }
    assert.is((await site.send('PUT', `${BASE}/${webhook.id}`, { url: 'nonsense' }, 'admin')).status, 400)
    for (const path of ['/99', '/99/deliveries']) {
      assert.is((await site.send('GET', `${BASE}${path}`, undefined, 'admin')).status, 404)
    }
    for (const path of ['/99/test', '/99/secret', '/99/deliveries/replay', `/${webhook.id}/deliveries/99999/replay`]) {
      assert.is((await site.send('POST', `${BASE}${path}`, {}, 'admin')).status, 404, path)
    }
    assert.is((await site.send('DELETE', `${BASE}/99`, undefined, 'admin')).status, 404)
    const deliveries = `${BASE}/${webhook.id}/deliveries`
    for (const query of ['?state=odd', '?per_page=0', '?per_page=101', '?page=0']) {
      assert.is((await site.send('GET', deliveries + query, undefined, 'admin')).status, 400)
    }
  })

  routes('change, disable and list webhooks', async () => {
    await using at = await hooked(place)
    const { site, webhook, receiver } = at
    const one = `${BASE}/${webhook.id}`
    const changed = await site.send('PATCH', one, { name: ' Front\u0007 end ', kinds: ['term'] }, 'admin')
    const body = (await changed.json()) as Shown
    assert.is(body['name'], 'Front end')
    assert.equal(body['kinds'], ['term'])
    assert.is(body['url'], receiver.url)
    await site.send('PATCH', one, { enabled: false }, 'admin')
    assert.match((await at.now()).reason, /disabled/)
    await at.post('Sea')
    await addWebhook(site, { url: 'https://B.example/x' })
    const list = await site.send('GET', BASE, undefined, 'admin')
    const all = (await list.json()) as Shown[]
    assert.equal(
      all.map(({ name: called }) => called),
      ['Front end', 'b.example'],
    )
    assert.is(list.headers.get('x-svc-total'), '2')
    const removed = await site.send('DELETE', one, undefined, 'admin')
    assert.is(((await removed.json()) as { deleted: boolean }).deleted, true)
    assert.is((await site.send('GET', one, undefined, 'admin')).status, 404)
    assert.is(receiver.messages.length, 0)
  })

  routes('list deliveries by page and state, newest first', async () => {
    await using at = await hooked(place, { webhook: { kinds: ['post'] } })
    const { site, webhook } = at
    for (const title of ['A', 'B', 'C']) await at.post(title)
    await until(async () => (await at.deliveries('&state=done')).length === 3)
    const path = `${BASE}/${webhook.id}/deliveries`
    const page = await site.send('GET', `${path}?per_page=2&page=2`, undefined, 'admin')
    assert.is(page.headers.get('x-svc-total'), '3')
    assert.is(page.headers.get('x-svc-totalpages'), '2')
    assert.match(page.headers.get('link')!, /rel="prev"/)
    const [last] = (await page.json()) as [{ payload: { data: { slug: string } }; finished: string | null }]
    assert.is(last.payload.data.slug, 'a')
    assert.ok(last.finished !== null)
    assert.equal(await at.deliveries('&state=dead'), [])
    const { id } = (await at.deliveries('&state=done'))[0]!
    const again = await site.send('POST', `${path}/${id}/replay`, {}, 'admin')
    assert.ok(['queued', 'waiting'].includes(((await again.json()) as { state: string }).state))
  })

  routes('send a test message and return its result', async () => {
    await using at = await hooked(place)
    const { site, webhook, receiver } = at
    const test = async () =>
      (await (await site.send('POST', `${BASE}/${webhook.id}/test`, {}, 'admin')).json()) as Record<string, unknown>
    const sent = await test()
    assert.is(sent['delivered'], true)
    assert.is(sent['status'], 204)
    const message = receiver.messages.find(({ type }) => type === 'webhooks.test')!
    verify(message, webhook.secret)
    receiver.answer(status(418))
    const refused = await test()
    assert.is(refused['delivered'], false)
    assert.match(String(refused['error']), /418/)
  })

  routes('use the configured word in namespace and header names', async () => {
    await using at = await hooked(place, { webhook: null, word: 'wp' })
    const response = await fetch(`${at.site.home}/wp-json/wp-webhooks/v1/webhooks`, { headers: at.site.by('admin') })
    assert.is(response.status, 200)
    assert.is(response.headers.get('x-wp-total'), '0')
  })

  routes.run()
}
