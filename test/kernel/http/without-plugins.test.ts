import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { HeaderMap } from '../../../kernel/index.ts'
import { bare, IT, open, routed } from '../bare.ts'

const without = suite('kernel without the plugins that read and limit requests')

const OFF = { plugins: { bodies: false, limits: false, 'request-hooks': false } }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** A route for each method, and a page that reads a form. */
const plugin = routed({ ...open, methods: 'GET, POST, PUT', callback: ({ method }) => method }, ({ hooks }) => {
  hooks.site_request.tapPromise('test', async (_page, request) => {
    return { status: 200, headers: new HeaderMap(), body: JSON.stringify(await request.form()) }
  })
})

without('serves routes and pages', async () => {
  await using site = await bare([plugin], OFF)
  const answers = await Promise.all(Array.from({ length: 100 }, () => site.raw(IT)))
  assert.ok(answers.every(({ status, json }) => status === 200 && json === 'GET'))
  const named = await site.raw(IT, { method: 'POST', headers: { 'x-http-method-override': 'PUT' } })
  assert.is(named.json, 'PUT')
  assert.is((await site.raw('/page')).text, '{}')
})

without('refuses bodies with an error that names the plugin for them', async () => {
  await using site = await bare([plugin], OFF)
  for (const target of [IT, '/page']) {
    const { status, json } = await site.raw(target, { method: 'POST', headers: FORM, body: 'a=1' })
    assert.is(status, 415, target)
    assert.is(json.code, 'rest_body_not_read', target)
    assert.match(json.message, /plugin "bodies"/)
  }
})

without.run()
