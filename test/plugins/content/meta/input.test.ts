import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

const fields = definePlugin({
  name: 'test-fields',
  needs: ['meta', 'roles'],
  apply({ services: { meta, capabilities } }) {
    const shown = { type: 'string', single: true, show_in_rest: true } as const
    meta.register('user', 'plain', shown)
    meta.register('user', 'stored_name', {
      ...shown,
      show_in_rest: { name: 'shown_name' },
      sanitize_callback: (value) => String(value).toLowerCase(),
    })
    meta.register('user', '_protected', shown)
    meta.register('user', '_opened', {
      ...shown,
      auth_callback: (_, __, ___, { user }) => capabilities.can(user, 'manage_options'),
    })
    meta.register('user', 'closed', { ...shown, auth_callback: async () => false })
    meta.register('user', 'unseen', { type: 'string', single: true })
    meta.register('user', 'sizes', { type: 'integer', show_in_rest: true })
    meta.register('user', 'box', {
      type: 'object',
      single: true,
      show_in_rest: { schema: { properties: { width: { type: 'integer' } } } },
    })
  },
})

for (const { name, place } of databases) {
  const writing = suite<{ site: SiteWithUsers }>(`writing meta on ${name}`)

  writing.before(async (context) => {
    context.site = await serveWithUsers(place, { add: [fields] })
  })
  writing.after(async ({ site }) => site?.[Symbol.asyncDispose]())

  /** Writes meta of the subscriber, and returns the status with the meta or the error. */
  const writeMeta = async (site: SiteWithUsers, meta: unknown, login: 'sub' | 'admin' = 'sub') => {
    const response = await site.send('PUT', `/svc/v2/users/${site.users.sub}`, { meta }, login)
    // oxlint-disable-next-line typescript/no-explicit-any -- tests read properties of any JSON body
    const body = (await response.json()) as any
    return response.status === 200 ? body.meta : [response.status, body.code, body.data]
  }

  writing('stores the sanitized value under the key of the public name', async ({ site }) => {
    assert.is((await writeMeta(site, { shown_name: 'LOUD' })).shown_name, 'loud')
    assert.is((await writeMeta(site, { stored_name: 'other' })).shown_name, 'loud')
  })

  writing('rejects protected keys unless auth_callback allows the user', async ({ site }) => {
    const status = 403
    assert.equal(await writeMeta(site, { _protected: 'x' }, 'admin'), [
      403,
      'rest_cannot_update',
      { status, key: '_protected' },
    ])
    assert.equal(await writeMeta(site, { _opened: 'x' }), [403, 'rest_cannot_update', { status, key: '_opened' }])
    assert.equal(await writeMeta(site, { closed: null }, 'admin'), [
      403,
      'rest_cannot_delete',
      { status, key: 'closed' },
    ])
    assert.is((await writeMeta(site, { _opened: 'x' }, 'admin'))._opened, 'x')
  })

  writing('ignores unregistered keys and keys without show_in_rest', async ({ site }) => {
    const meta = await writeMeta(site, { unseen: 'x', unknown: 'x' })
    assert.not('unseen' in meta)
    assert.not('unknown' in meta)
  })

  writing('changes nothing if one value is rejected', async ({ site }) => {
    await writeMeta(site, { plain: 'before' })
    const [status, code] = await writeMeta(site, { plain: 'after', sizes: ['small'] })
    assert.equal([status, code], [400, 'rest_invalid_type'])
    assert.is((await writeMeta(site, {})).plain, 'before')
  })

  writing('validates lists and objects by their schemas', async ({ site }) => {
    assert.equal((await writeMeta(site, { sizes: ['1', 2, 2] })).sizes, [1, 2, 2])
    assert.equal((await writeMeta(site, { sizes: [] })).sizes, [])
    assert.equal((await writeMeta(site, { box: { width: '3' } })).box, { width: 3 })
    assert.is((await writeMeta(site, { box: { height: 3 } }))[1], 'rest_additional_properties_forbidden')
    assert.equal((await writeMeta(site, { box: null })).box, [])
  })

  writing('treats an empty list as no meta, and rejects values that are not objects', async ({ site }) => {
    assert.is((await writeMeta(site, [])).plain, 'before')
    assert.is((await writeMeta(site, null)).plain, 'before')
    assert.is((await writeMeta(site, 'text'))[1], 'rest_invalid_param')
    assert.is((await writeMeta(site, ['a']))[1], 'rest_invalid_param')
  })

  writing.run()
}
