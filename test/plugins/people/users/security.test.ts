import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { stopClockFor } from '../../../helpers/clock.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

const LIST = '/svc/v2/users'

/** A meta key that is never shown, and one that only editors see. */
const extras = definePlugin({
  name: 'test-extras',
  needs: ['users', 'meta'],
  apply({ services }) {
    services.meta.register('user', '_secret', { type: 'string', single: true })
    services.meta.register('user', 'note', {
      type: 'string',
      single: true,
      show_in_rest: { schema: { context: ['edit'] } },
    })
  },
})

for (const { name, place } of databases) {
  const security = suite<{ site: SiteWithUsers }>(`what users keep to themselves on ${name}`)
  stopClockFor(security)

  security.before(async (context) => {
    context.site = await serveWithUsers(place, { add: [extras] })
  })
  security.after(async ({ site }) => site?.[Symbol.asyncDispose]())

  /** Requests as a visitor; returns status, totals and the body. */
  const visit = async (site: SiteWithUsers, query: string) => {
    const response = await site.get(`${LIST}${query}`)
    return [response.status, response.headers.get('x-svc-total'), await response.text()] as const
  }
  const refusal = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code]

  security('S2: executes the same SQL for all values', async ({ site }) => {
    const admin = site.by('admin')
    const nasty = [
      '7',
      'a@b.example',
      'https://a.example',
      "'",
      '"',
      "');drop table users;--",
      '%',
      '\\',
      'x'.repeat(1500),
      '٣',
    ]
    const of = (query: string) => site.statements(() => site.get(`${LIST}?${query}`, admin))
    for (const param of ['search=', 'slug=', 'roles=', 'slug[]=', 'slug[a]=']) {
      const plain = await of(`${param}plain`)
      for (const value of nasty) {
        // A comma would make another number of roles or list items, which the SQL can depend on.
        assert.equal(await of(param + encodeURIComponent(value.replaceAll(' ', ''))), plain, param + value)
      }
    }
    for (const query of [
      'include[]=1;--',
      'include[x]=a',
      'exclude=1,b',
      'order=;',
      'per_page=9e99',
      'roles[a][b]=1',
    ]) {
      assert.is((await site.get(`${LIST}?${query}`, admin)).status, 400, query)
    }
    assert.equal(await of('where[id]=1&$or=1&filter[login]=x'), await of(''))
  })

  security('S5: refuses orders and filters by fields that the user cannot read', async ({ site }) => {
    const refused = {
      'orderby=email': 'rest_forbidden_orderby',
      'orderby=registered_date': 'rest_forbidden_orderby',
      'roles=administrator': 'rest_user_cannot_view',
      'capabilities=edit_posts': 'rest_user_cannot_view',
      'who=authors': 'rest_forbidden_who',
      'context=edit': 'rest_forbidden_context',
    }
    for (const [query, code] of Object.entries(refused)) {
      assert.equal(await refusal(await site.get(`${LIST}?${query}`)), [401, code], query)
      assert.equal(await refusal(await site.get(`${LIST}?${query}`, site.by('sub'))), [403, code], query)
    }
    for (const order of ['password_hash', 'login', 'meta', 'email;--']) {
      assert.equal(await refusal(await site.get(`${LIST}?orderby=${encodeURIComponent(order)}`)), [
        400,
        'rest_invalid_param',
      ])
    }
  })

  security('S6: returns the same responses to visitors for all secrets', async ({ site }) => {
    const { ann, shy } = site.users
    const { users, meta } = site.kernel.services
    const queries = [
      '',
      '?search=zz',
      '?search=mail.example',
      '?search=topsecret',
      `?search=${encodeURIComponent('@')}`,
      '?search=First',
      '?orderby=name&order=desc',
      `?include=${shy}`,
      `/${ann}`,
      `/${shy}`,
    ]
    const all = () => Promise.all(queries.map((query) => visit(site, query)))
    const hidden = ([status, total, text]: readonly [number, string | null, string]) =>
      // Avatar URLs contain the hash of the email address by design.
      [status, total, text.replace(/avatar\/[0-9a-f]{64}/g, '')]
    const before = (await all()).map(hidden)
    const { store } = site
    for (const id of [ann, shy]) {
      await users.update(id, {
        email: `topsecret-${id}@zz.example`,
        password: 'topsecret zz',
        first_name: 'topsecret',
        nickname: 'zz',
      })
      await store.run(
        store.db
          .updateTable('users')
          .set({ login: `topsecret-${id}` })
          .where('id', '=', id),
      )
      for (const key of ['_secret', 'note']) await meta.write('user', id, key, ['topsecret'], { clear() {} } as never)
    }
    await store.run(store.db.updateTable('posts').set({ title: 'topsecret' }).where('author_id', '=', shy))
    assert.equal((await all()).map(hidden), before)
  })

  security('S6: searches only name and slug for visitors, and matches wildcards literally', async ({ site }) => {
    const found = async (search: string) => (await visit(site, `?search=${encodeURIComponent(search)}`))[1]
    assert.is(await found('ann-w'), '1')
    assert.is(await found('writer'), '1')
    assert.is(await found('%'), '0')
    assert.is(await found('_'), '0')
  })

  security('S12: hides private fields from visitors', async ({ site }) => {
    for (const query of [
      '',
      '?context=embed',
      '?_fields=id,username,email,roles,capabilities,registered_date,password',
    ]) {
      for (const user of JSON.parse((await visit(site, query))[2]) as object[]) {
        for (const field of [
          'username',
          'email',
          'roles',
          'capabilities',
          'extra_capabilities',
          'registered_date',
          'locale',
          'nickname',
          'first_name',
          'password',
        ]) {
          assert.not(field in user, `${query} shows ${field}`)
        }
      }
    }
    const [one] = JSON.parse((await visit(site, ''))[2]) as { meta: object }[]
    assert.not('note' in one!.meta)
    assert.not('persisted_preferences' in one!.meta)
  })

  security('S12: with hide_logins, reveals a login neither by the default slug nor by the default name', async () => {
    await using site = await serveWithUsers(place, { plugins: { users: { hide_logins: true } } })
    const { users } = site.kernel.services
    const {
      id,
      slug,
      name: shown,
    } = await users.create({ login: 'hush.hush', email: 'hush@mail.example', roles: ['author'] })
    assert.equal([slug, shown], [`user-${id}`, `User ${id}`])
    const named = await users.create({ login: 'quiet', email: 'quiet@mail.example', first_name: 'Jo', last_name: 'Do' })
    assert.equal([named.slug, named.name], ['jo-do', 'Jo Do'])
  })

  security('S12: hides authors whose posts visitors cannot see', async ({ site }) => {
    const { store, users } = site
    const hidden = [
      { status: 'private', type: 'post' },
      { status: 'future', type: 'post' },
      { status: 'trash', type: 'post' },
      { status: 'publish', type: 'revision' },
      { status: 'publish', type: 'svc_block' },
      { status: 'publish', type: 'nobody_registered' },
    ]
    for (const post of hidden) await store.run(store.db.insertInto('posts').values({ ...post, author_id: users.con }))
    assert.is((await site.get(`${LIST}/${users.con}`)).status, 401)
    assert.equal(
      (JSON.parse((await visit(site, ''))[2]) as { id: number }[]).map(({ id }) => id),
      [users.ann],
    )
    assert.is((await visit(site, '?has_published_posts[]=svc_block'))[1], '0')
    await store.run(store.db.insertInto('posts').values({ type: 'page', status: 'publish', author_id: users.con }))
    assert.is((await site.get(`${LIST}/${users.con}`)).status, 200)
  })

  security('S15: changes no field that the user cannot write', async ({ site }) => {
    const { sub, admin } = site.users
    const forged = {
      id: admin,
      registered_date: '2001-01-01T00:00:00',
      capabilities: { administrator: true },
      extra_capabilities: { administrator: true },
      link: 'https://evil.example',
      avatar_urls: {},
      password_hash: 'x',
      status: 5,
      login: 'evil',
      meta: { _secret: 'x', note: 'fine', roles: ['administrator'], persisted_preferences: { a: 1 } },
      __proto__: { roles: ['administrator'] },
    }
    const before = await site.json(`${LIST}/me?context=edit`, site.by('sub'))
    const response = await site.request(`${LIST}/me`, {
      method: 'PUT',
      headers: { ...site.by('sub'), 'content-type': 'application/json' },
      body: JSON.stringify(forged).replace('{', '{"__proto__":{"roles":["administrator"]},'),
    })
    const after = await response.json()
    // The request may be refused as a whole; if it is accepted, it changes only the note.
    if (response.status === 200) {
      assert.equal(after, { ...before, meta: { ...before.meta, note: 'fine', persisted_preferences: { a: 1 } } })
    } else assert.is(response.status, 400)
    const { users, meta } = site.kernel.services
    assert.equal((await users.current(sub))!.roles, ['subscriber'])
    assert.is(
      await meta.single('user', sub, '_secret', new (await import('../../../../kernel/index.ts')).RequestCache()),
      undefined,
    )
    assert.is(({} as { roles?: unknown }).roles, undefined)
  })

  security('S15: rejects roles that the user cannot give', async ({ site }) => {
    for (const login of ['sub', 'con', 'ann', 'ed'] as const) {
      const response = await site.send('PUT', `${LIST}/me`, { roles: ['administrator'] }, login)
      assert.equal(await refusal(response), [403, 'rest_cannot_edit_roles'], login)
    }
  })

  security('S15: changes the user in the path, not one in the body', async ({ site }) => {
    const { ed, ann } = site.users
    const response = await site.send('PUT', `${LIST}/${ed}`, { id: ann, url: 'https://ed.example' }, 'ed')
    assert.is(((await response.json()) as { id: number }).id, ed)
    const other = await site.send('PUT', `${LIST}/${ann}?id=${ed}`, { id: ed, url: 'https://evil.example' }, 'ed')
    assert.equal(await refusal(other), [403, 'rest_cannot_edit'])
  })

  security.run()
}
