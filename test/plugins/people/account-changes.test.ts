import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache, RestResponse } from '../../../kernel/index.ts'
import { html } from '../../../plugins/library/markup/index.ts'
import { formNonce, hiddenValue } from '../../helpers/admin-forms.ts'
import { browse, type Browser } from '../../helpers/browser.ts'
import { logInByKeyboard } from '../../helpers/log-in.ts'
import { useChromium } from '../../helpers/chromium.ts'
import { serve } from '../../helpers/site.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../helpers/site-with-users.ts'

const USERS = '/svc/v2/users'
const OWN = `${USERS}/me/application-passwords`
const BODY = { 'content-type': 'application/json' }
const PASSWORD = 'pass phrase of admin'

interface CreatedPassword {
  readonly uuid: string
  readonly password: string
  readonly scopes?: readonly string[]
}

/** A request that changes an account: method, path, body. */
type Change = readonly [method: string, path: string, body: unknown]

/** Routes of a plugin that change accounts through services. */
const outside = definePlugin({
  name: 'outside-accounts',
  needs: ['users', 'application-passwords', 'meta', 'roles', 'settings'],
  apply({ hooks, services }) {
    const { asSite } = services.accountChanges
    const acts = {
      email: (id: number) => services.users.update(id, { email: 'plugin@mail.example' }),
      roles: (id: number) => services.users.update(id, { roles: ['editor'] }),
      password: (id: number) => services.users.update(id, { password: 'of the plugin' }),
      secured: (id: number) => services.users.secured({ password: `of the plugin ${id}` }),
      meta: (id: number) => services.meta.write('user', id, 'roles', [['administrator']], new RequestCache()),
      create: () => services.users.create({ login: 'made', email: 'made@mail.example' }),
      delete: (id: number) => services.users.delete(id, 0),
      program: (id: number) => services.applicationPasswords.create(id, { name: 'plugin', scopes: ['accounts'] }),
      revoke: (id: number) => services.applicationPasswords.revokeAll(id),
      buy: (id: number) => asSite(() => services.users.update(id, { roles: ['author'] })),
      buy_meta: (id: number) =>
        asSite(() => services.meta.write('user', id, 'roles', [['contributor']], new RequestCache())),
      buy_more: async (id: number) => {
        await asSite(() => services.users.update(id, { roles: ['author'] }))
        await services.users.update(id, { roles: ['editor'] })
      },
      buy_late: async (id: number) => {
        await asSite(() => Promise.reject(new Error('no stock'))).catch(() => {})
        await services.users.update(id, { roles: ['editor'] })
      },
      option: () => services.options.set('default_role', 'administrator'),
      unset: () => services.options.update('email', () => 'plugin@mail.example'),
    }
    hooks.rest_api_init.tap('outside-accounts', (server) => {
      for (const [name, act] of Object.entries(acts))
        server.registerRoute('outside/v1', `${name}/(?P<id>\\d+)`, {
          methods: 'POST',
          permission_callback: () => true,
          callback: async (request) => {
            await act(Number(request.get('id')))
            return new RestResponse({ done: true })
          },
        })
    })
  },
})

/** Whether a request only revokes access. */
const isRevocation = ([method, path]: Change) => method === 'DELETE' && path.includes('/application-passwords')

/** An admin page of a plugin with field names that it can freely choose, and a file field. */
const outsidePage = definePlugin({
  name: 'outside-page',
  needs: ['admin', 'settings'],
  apply({ services: { admin, options } }) {
    admin.addPage({
      path: 'outside',
      title: 'Outside',
      capability: 'read',
      uploads: true,
      show: (view) => ({ main: html`${view.formStart('confirm')}</form>` }),
      actions: {
        confirm: (view) => ({
          main: html`<p>Typed: ${view.text('confirm_password')}. Files: ${view.files.length}.</p>`,
        }),
        async save(view) {
          await options.set('admin_email', view.text('email'))
          return { main: html`<p>Saved ${view.text('email')} with ${view.files.length} files.</p>` }
        },
      },
    })
  },
})

const PLUGIN_ROUTES = 'email roles password secured meta create delete program revoke option unset'.split(' ')

for (const { name, place } of databases) {
  const accounts = suite<{ site: SiteWithUsers }>(`account changes on ${name}`)
  const { inBrowser, openWindow } = useChromium(accounts)

  accounts.before(async (context) => {
    context.site = await serveWithUsers(place, {
      add: [outside, outsidePage],
      plugins: { 'login-attempts': { tries: 3 } },
    })
  })
  accounts.after(async ({ site }) => site?.[Symbol.asyncDispose]())

  let number = 0
  const program = async (site: SiteWithUsers, scopes: readonly 'accounts'[] = []) => {
    const name = `program ${(number += 1)}`
    const { item, password } = await site.kernel.services.applicationPasswords.create(site.users.admin, {
      name,
      scopes,
    })
    const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
    const send = (method: string, path: string, body: unknown) =>
      site.request(path, { method, headers: { ...BODY, authorization }, body: JSON.stringify(body) })
    return { ...item, send }
  }
  const statusAndCode = async (response: Response) => {
    const { code } = (await response.json()) as { code?: string }
    return [response.status, code] as const
  }
  /** Returns every request of the REST API that changes the account of a new user or of the requesting user. */
  const changes = async ({ kernel, users }: SiteWithUsers): Promise<Change[]> => {
    const login = `user-${(number += 1)}`
    const { id } = await kernel.services.users.create({ login, email: `${login}@mail.example`, roles: ['author'] })
    const { item } = await kernel.services.applicationPasswords.create(id, { name: 'phone' })
    const theirs = `${USERS}/${id}`
    return [
      ['POST', USERS, { username: `new-${login}`, email: `new-${login}@mail.example`, password: 'a pass phrase' }],
      ['POST', theirs, { email: `other-${login}@mail.example` }],
      ['PUT', theirs, { roles: ['editor'] }],
      ['PATCH', theirs, { name: 'New', password: 'another pass phrase' }],
      ['POST', `${USERS}/me`, { email: `me-${login}@mail.example` }],
      ['POST', `${theirs}/application-passwords`, { name: 'tablet' }],
      ['POST', `${theirs}/application-passwords/${item.uuid}`, { name: 'renamed' }],
      ['DELETE', `${theirs}/application-passwords/${item.uuid}`, {}],
      ['DELETE', `${theirs}/application-passwords`, {}],
      ['POST', OWN, { name: `own-${login}`, scopes: ['accounts'] }],
      ['POST', '/svc/v2/settings', { email: `site-${login}@mail.example` }],
      ['DELETE', `${theirs}?force=true&reassign=${users.admin}`, {}],
    ]
  }
  const stateOf = async ({ store }: SiteWithUsers) => {
    const { db } = store
    const users = await store.all(db.selectFrom('users').selectAll().orderBy('id'))
    const meta = await store.all(db.selectFrom('user_meta').selectAll().where('key', '=', 'roles').orderBy('user_id'))
    const passwords = await store.all(
      db.selectFrom('application_passwords').select(['uuid', 'name', 'scopes']).orderBy('id'),
    )
    const options = await store.all(
      db.selectFrom('options').selectAll().where('name', 'in', ['email', 'default_role']).orderBy('name'),
    )
    return JSON.stringify({ users, meta, passwords, options })
  }
  const enter = async (site: SiteWithUsers, login = 'admin'): Promise<Browser> => {
    const browser = browse(site)
    assert.is((await browser.logIn(login, `pass phrase of ${login}`)).status, 302)
    return browser
  }
  const browserSend = async (browser: Browser, method: string, path: string, body: unknown) =>
    browser.api(path, await browser.nonce(), { method, headers: BODY, body: JSON.stringify(body) })
  /** Makes the confirmations of all sessions expire. */
  const forget = ({ store }: SiteWithUsers) => store.run(store.db.updateTable('sessions').set({ confirmed: 0 }))

  accounts('S21: refuses each change of an account by an application password without the scope', async ({ site }) => {
    const { send } = await program(site)
    const requests = await changes(site)
    const before = await stateOf(site)
    for (const [method, path, body] of requests) {
      assert.equal(
        await statusAndCode(await send(method, path, body)),
        [403, 'rest_insufficient_scope'],
        `${method} ${path}`,
      )
    }
    for (const route of PLUGIN_ROUTES) {
      const answer = await send('POST', `/outside/v1/${route}/${site.users.sub}`, {})
      assert.equal(await statusAndCode(answer), [403, 'rest_insufficient_scope'], route)
    }
    assert.is(await stateOf(site), before)
  })

  accounts('says in the refusal how to get the scope', async ({ site }) => {
    const { send } = await program(site)
    const answer = await send('POST', OWN, { name: 'x' })
    const { message } = (await answer.json()) as { message: string }
    assert.match(message, 'scopes: ["accounts"]')
  })

  accounts('S21: refuses such requests of a batch, and runs the others', async ({ site }) => {
    const { send } = await program(site)
    const { sub } = site.users
    const requests = [
      { method: 'PATCH', path: `${USERS}/${sub}`, body: { roles: ['administrator'] } },
      { method: 'PATCH', path: `${USERS}/${sub}`, body: { description: 'By a batch' } },
    ]
    const answer = await send('POST', '/batch/v1', { requests })
    const { responses } = (await answer.json()) as { responses: { status: number; body: { code?: string } }[] }
    assert.equal(
      responses.map(({ status, body }) => [status, body.code]),
      [
        [403, 'rest_insufficient_scope'],
        [200, undefined],
      ],
    )
  })

  accounts('permits changes of profiles and content, and unchanged values of accounts', async ({ site }) => {
    const { send } = await program(site)
    const { id, email, roles } = (await site.json(`${USERS}/${site.users.con}?context=edit`, site.by('admin'))) as {
      id: number
      email: string
      roles: string[]
    }
    assert.is((await send('POST', `${USERS}/${id}`, { id, email, roles, description: 'New' })).status, 200)
    assert.is((await send('POST', '/svc/v2/posts', { title: 'A post' })).status, 201)
    assert.is((await send('POST', '/svc/v2/settings', { title: 'A title' })).status, 200)
    assert.is((await send('GET', `${OWN}/introspect`, undefined)).status, 200)
  })

  accounts('permits each change by an application password with the scope', async ({ site }) => {
    const { send } = await program(site, ['accounts'])
    for (const [method, path, body] of await changes(site)) {
      const answer = await send(method, path, body)
      assert.ok(answer.status < 300 || answer.status === 404, `${method} ${path}: ${answer.status}`)
    }
  })

  accounts('shows the scopes of an application password, and rejects unknown ones', async ({ site }) => {
    const { send, uuid } = await program(site, ['accounts'])
    const scoped = (await (await send('POST', OWN, { name: 'scoped', scopes: ['accounts'] })).json()) as CreatedPassword
    assert.equal(scoped.scopes, ['accounts'])
    const plain = (await (await send('POST', OWN, { name: 'plain' })).json()) as CreatedPassword
    assert.not('scopes' in plain)
    const introspected = (await (await send('GET', `${OWN}/introspect`, undefined)).json()) as CreatedPassword
    assert.equal([introspected.uuid, introspected.scopes], [uuid, ['accounts']])
    assert.is((await send('POST', OWN, { name: 'x', scopes: ['all'] })).status, 400)
    const renamed = (await (
      await send('POST', `${OWN}/${plain.uuid}`, { name: 'y', scopes: ['accounts'] })
    ).json()) as CreatedPassword
    assert.not('scopes' in renamed)
  })

  accounts('S21: requires a session to confirm the password again after a while', async ({ site }) => {
    const browser = await enter(site)
    const requests = await changes(site)
    assert.is((await browserSend(browser, 'POST', OWN, { name: 'fresh' })).status, 201)
    await forget(site)
    const before = await stateOf(site)
    for (const [method, path, body] of requests.filter((change) => !isRevocation(change))) {
      const answer = await browserSend(browser, method, path, body)
      assert.equal(await statusAndCode(answer), [403, 'rest_confirmation_required'], `${method} ${path}`)
    }
    for (const route of PLUGIN_ROUTES.filter((one) => one !== 'revoke')) {
      const answer = await browserSend(browser, 'POST', `/outside/v1/${route}/${site.users.sub}`, {})
      assert.equal(await statusAndCode(answer), [403, 'rest_confirmation_required'], route)
    }
    assert.is(await stateOf(site), before)
    const description = { description: 'No account' }
    assert.is((await browserSend(browser, 'POST', `${USERS}/me`, description)).status, 200)

    const confirm = (password: string) => browserSend(browser, 'POST', `${USERS}/me/confirm`, { password })
    assert.equal(await statusAndCode(await confirm('wrong')), [403, 'rest_confirmation_failed'])
    assert.is((await browserSend(browser, 'POST', OWN, { name: 'refused' })).status, 403)
    const confirmed = await confirm(PASSWORD)
    assert.is(confirmed.status, 200)
    assert.match(((await confirmed.json()) as { expires: string }).expires, /^\d{4}-\d\d-\d\dT/)
    for (const [method, path, body] of requests) {
      const answer = await browserSend(browser, method, path, body)
      assert.ok(answer.status < 300 || answer.status === 404, `${method} ${path}: ${answer.status}`)
    }
  })

  accounts('lets an application password without the scope revoke only itself', async ({ site }) => {
    const [own, other] = [await program(site), await program(site)]
    const refusal = [403, 'rest_insufficient_scope']
    assert.equal(await statusAndCode(await own.send('DELETE', `${OWN}/${other.uuid}`, {})), refusal)
    assert.equal(await statusAndCode(await own.send('DELETE', OWN, {})), refusal)
    assert.is((await own.send('DELETE', `${OWN}/${own.uuid}`, {})).status, 200)
    assert.is((await own.send('GET', `${OWN}/introspect`, undefined)).status, 401)
    assert.is((await other.send('GET', `${OWN}/introspect`, undefined)).status, 200)
  })

  accounts('lets a session revoke application passwords without confirmation, one or all', async ({ site }) => {
    const browser = await enter(site)
    const { sub } = site.users
    const { applicationPasswords } = site.kernel.services
    const { item } = await applicationPasswords.create(sub, { name: 'phone' })
    await applicationPasswords.create(sub, { name: 'tablet' })
    const own = await program(site)
    await forget(site)
    const theirs = `${USERS}/${sub}/application-passwords`
    assert.is((await browserSend(browser, 'DELETE', `${OWN}/${own.uuid}`, {})).status, 200)
    assert.is((await own.send('GET', `${OWN}/introspect`, undefined)).status, 401)
    assert.is((await browserSend(browser, 'DELETE', `${theirs}/${item.uuid}`, {})).status, 200)
    assert.is((await browserSend(browser, 'DELETE', theirs, {})).status, 200)
    assert.equal(await applicationPasswords.list(sub), [])
    assert.equal(await statusAndCode(await browserSend(browser, 'POST', theirs, { name: 'new' })), [
      403,
      'rest_confirmation_required',
    ])
  })

  accounts('lets a plugin change accounts with asSite, and checks later changes', async ({ site }) => {
    const { send } = await program(site)
    const browser = await enter(site)
    await forget(site)
    const { id } = await site.kernel.services.users.create({ login: 'buyer', email: 'buyer@mail.example' })
    const rolesOf = async () => (await site.kernel.services.users.current(id))?.roles
    assert.is((await send('POST', `/outside/v1/buy/${id}`, {})).status, 200)
    assert.equal(await rolesOf(), ['author'])
    assert.is((await browserSend(browser, 'POST', `/outside/v1/buy_meta/${id}`, {})).status, 200)
    assert.equal(await rolesOf(), ['contributor'])
    for (const route of ['buy_more', 'buy_late'])
      assert.equal(await statusAndCode(await send('POST', `/outside/v1/${route}/${id}`, {})), [
        403,
        'rest_insufficient_scope',
      ])
    assert.equal(await rolesOf(), ['author'])
  })

  accounts('confirms only the session of the request', async ({ site }) => {
    const [one, other] = [await enter(site), await enter(site)]
    await forget(site)
    assert.is((await browserSend(one, 'POST', `${USERS}/me/confirm`, { password: PASSWORD })).status, 200)
    assert.is((await browserSend(one, 'POST', OWN, { name: 'one' })).status, 201)
    assert.is((await browserSend(other, 'POST', OWN, { name: 'other' })).status, 403)
  })

  accounts('confirms no request without a session', async ({ site }) => {
    const { send } = await program(site, ['accounts'])
    const password = { password: PASSWORD }
    assert.equal(await statusAndCode(await send('POST', `${USERS}/me/confirm`, password)), [400, 'rest_no_session'])
    assert.equal(await statusAndCode(await site.send('POST', `${USERS}/me/confirm`, password)), [
      401,
      'rest_not_logged_in',
    ])
  })

  accounts('counts wrong passwords together with failed log-ins', async ({ site }) => {
    const browser = await enter(site, 'ed')
    await forget(site)
    const confirm = (password: string) => browserSend(browser, 'POST', `${USERS}/me/confirm`, { password })
    const answers = [await confirm('a'), await confirm('b'), await confirm('c'), await confirm('pass phrase of ed')]
    assert.equal(
      answers.map(({ status }) => status),
      [403, 403, 403, 429],
    )
    assert.ok(Number(answers[3]!.headers.get('retry-after')) > 0)
    assert.is((await browse(site).logIn('ed', 'pass phrase of ed')).status, 429)
    await site.store.run(site.store.db.deleteFrom('attempts'))
  })

  accounts('requires the password on the authorization page, which preselects no scope', async ({ site }) => {
    const browser = await enter(site)
    await forget(site)
    const path = '/svc-admin/authorize-application?app_name=Kiosk'
    const page = await (await browser.open(path)).text()
    assert.match(page, 'current_password')
    const form = { _svcnonce: formNonce(page), app_name: 'Kiosk', decision: 'approve' }
    const refused = await browser.send('/svc-admin/authorize-application', form)
    assert.match(await refused.text(), 'Enter your current password')
    const wrong = await browser.send('/svc-admin/authorize-application', { ...form, current_password: 'wrong' })
    assert.match(await wrong.text(), 'The current password is incorrect.')
    const list = () => site.kernel.services.applicationPasswords.list(site.users.admin)
    assert.not((await list()).some((one) => one.name === 'Kiosk'))
    await browser.send('/svc-admin/authorize-application', { ...form, current_password: PASSWORD })
    assert.equal((await list()).find((one) => one.name === 'Kiosk')?.scopes, [])
    await browser.send('/svc-admin/authorize-application', { ...form, app_name: 'Manager', accounts: '1' })
    assert.equal((await list()).find((one) => one.name === 'Manager')?.scopes, ['accounts'])
  })

  accounts('offers the scope on the profile page, and shows the passwords that have it', async ({ site }) => {
    const browser = await enter(site)
    const path = '/svc-admin/account'
    const _svcnonce = formNonce(await (await browser.open(path)).text())
    const form = { _svcnonce, do: 'create-password', program: 'Boxed', accounts: '1' }
    const createdPage = await (await browser.send(path, form)).text()
    assert.match(createdPage, /Boxed\s*<span class="badge">Can manage accounts<\/span>/)
    await browser.send(path, { _svcnonce, do: 'create-password', program: 'Unboxed' })
    const list = await site.kernel.services.applicationPasswords.list(site.users.admin)
    const scopes = Object.fromEntries(list.map((one) => [one.name, one.scopes]))
    assert.equal([scopes['Boxed'], scopes['Unboxed']], [['accounts'], []])
  })

  accounts('submits all fields of an admin form after the password is confirmed', async ({ site }) => {
    const browser = await enter(site)
    await forget(site)
    const path = '/svc-admin/users/new'
    const page = await (await browser.open(path)).text()
    const form = {
      _svcnonce: formNonce(page),
      username: 'form-user',
      email: 'form-user@mail.example',
      role: 'editor',
      description: 'Two\nlines & "quotes"',
      password: 'typed pass phrase',
    }
    const response = await browser.send(path, form)
    const text = await response.text()
    assert.is(response.status, 403)
    assert.is(hiddenValue(text, 'username'), 'form-user')
    const again = { ...form, _svcnonce: formNonce(text), _svc_current_password: 'wrong' }
    const wrong = await browser.send(path, again)
    assert.match(await wrong.text(), 'The current password is incorrect.')
    const done = await browser.send(path, { ...again, _svc_current_password: PASSWORD })
    assert.is(done.status, 303)
    const { users } = site.kernel.services
    const id = (await users.idOf('form-user'))!
    assert.equal((await users.current(id))?.roles, ['editor'])
  })

  /** The page without its header, which contains another form. */
  const mainOf = (text: string) => text.slice(text.indexOf('<main'))

  accounts('lets forms of plugins use the names "confirm_password" and "confirm"', async ({ site }) => {
    const browser = await enter(site)
    const path = '/svc-admin/outside'
    const _svcnonce = formNonce(await (await browser.open(path)).text())
    const attempts = () => site.store.all(site.store.db.selectFrom('attempts').selectAll().orderBy('key'))
    const before = await attempts()
    const done = await browser.send(path, { _svcnonce, do: 'confirm', confirm_password: 'typed' })
    assert.match(await done.text(), 'Typed: typed. Files: 0.')
    assert.equal(await attempts(), before)
  })

  accounts('reports a confirmed password only if one was sent', async ({ site }) => {
    const browser = await enter(site)
    const path = '/svc-admin/outside'
    const _svcnonce = formNonce(await (await browser.open(path)).text())
    const form = { _svcnonce, do: '_svc_confirm' }
    const response = await browser.send(path, form)
    assert.is(response.status, 403)
    assert.is(hiddenValue(mainOf(await response.text()), 'do'), '_svc_confirm')
    assert.not.match(await (await browser.open(path)).text(), 'Password confirmed.')
    const confirmed = await browser.send(path, { ...form, _svc_current_password: PASSWORD })
    assert.is(confirmed.status, 303)
    assert.match(await (await browser.open(path)).text(), 'Password confirmed.')
  })

  accounts('keeps the fields of a form with an empty file field, and asks for files again', async ({ site }) => {
    const browser = await enter(site)
    await forget(site)
    const path = '/svc-admin/outside'
    const nonce = formNonce(await (await browser.open(path)).text())
    const send = async (file: File) => {
      const body = new FormData()
      for (const [name, value] of Object.entries({ _svcnonce: nonce, do: 'save', email: 'typed@mail.example' }))
        body.set(name, value)
      body.set('picture', file)
      const response = await browser.open(path, { method: 'POST', body })
      assert.is(response.status, 403)
      return mainOf(await response.text())
    }
    const chosen = await send(new File(['x'], 'x.png'))
    assert.match(chosen, 'You’ll need to select the files')
    assert.is(hiddenValue(chosen, 'do'), '_svc_confirm')
    const empty = await send(new File([], ''))
    assert.not.match(empty, 'choose the files again')
    const again = { _svcnonce: formNonce(empty), do: hiddenValue(empty, 'do'), email: hiddenValue(empty, 'email') }
    const done = await browser.send(path, { ...again, _svc_current_password: PASSWORD })
    assert.match(await done.text(), 'Saved typed@mail.example with 0 files.')
  })

  inBrowser('keeps the typed text when the password is confirmed in a browser', async ({ site }) => {
    await using window = await openWindow()
    const { page } = window
    await logInByKeyboard(page, `${site.home}/svc-admin/users`, 'admin')
    await forget(site)
    const row = page.getByRole('row').filter({ hasText: 'SHY Writer' })
    await row.getByRole('checkbox').check()
    await page.getByLabel('Role', { exact: true }).selectOption('contributor')
    await page.getByLabel('Bulk actions').selectOption('role')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('heading', { name: 'Confirm your password' }).waitFor()
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.locator('#notices').getByText('Role of 1 user changed.').waitFor()
    assert.equal((await site.kernel.services.users.current(site.users.shy))?.roles, ['contributor'])
  })

  accounts('S21: gives existing passwords no scope and existing sessions no confirmation on an upgrade', async () => {
    await using database = await place()
    const start = () => serve({ database: database.url })
    const token = 'x'.repeat(43)
    {
      await using site = await start()
      const { store, kernel } = site
      const { id } = await kernel.services.users.create({ login: 'old', email: '', roles: ['administrator'] })
      await kernel.services.applicationPasswords.create(id, { name: 'old', scopes: ['accounts'] })
      const session = {
        id: hash('sha256', token),
        user_id: id,
        created: 1,
        expires: 2_000_000_000_000,
        confirmed: 2_000_000_000_000,
      }
      await store.run(store.db.insertInto('sessions').values(session))
      // The schema of earlier versions.
      const run = (text: string) => store.run(sql`${sql.raw(text)}`)
      await run('alter table application_passwords drop column scopes')
      await run('alter table sessions drop column confirmed')
      await run('alter table attempts drop column points')
      await run('delete from migrations where version >= 21')
    }
    await using site = await start()
    const { applicationPasswords, sessions, users } = site.kernel.services
    const id = (await users.idOf('old'))!
    assert.equal(
      (await applicationPasswords.list(id)).map(({ scopes }) => scopes),
      [[]],
    )
    const session = (await sessions.verify(token))!
    assert.is(await sessions.isConfirmed(session.id), false)
  })

  accounts.run()
}
