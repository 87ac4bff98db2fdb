import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formNonce, sendForm } from '../../../../helpers/admin-forms.ts'
import { browse } from '../../../../helpers/browser.ts'
import { databases, serveWithUsers } from '../../../../helpers/site-with-users.ts'

const TYPED = 'typed phrase 7f3a'

for (const { name, place } of databases) {
  const secrets = suite(`secrets of the admin on ${name}`)

  secrets('do not appear in the log at any level, in traces, or on other pages', async () => {
    let log = ''
    await using site = await serveWithUsers(place, { log: 'trace', trace: true, logTo: (line) => (log += line) })
    const admin = browse(site)
    await admin.logIn('ed', 'wrong phrase 9c1d')
    await admin.logIn('admin', 'pass phrase of admin')
    const found = new Map<string, string>([
      ['a password that was refused', 'wrong phrase 9c1d'],
      ['the password of a login', 'pass phrase of admin'],
      ['a typed password', TYPED],
      ['the session', /=([^;]{30,})/.exec(admin.cookie)![1]!],
    ])
    const note = (label: string, text: string, pattern: RegExp) => {
      const secret = pattern.exec(text)?.[1]
      assert.ok(secret !== undefined && secret.length > 5, `${label} in ${text.slice(0, 3000)}`)
      found.set(label, secret)
    }
    const created = await sendForm(admin, '/svc-admin/users/new', {
      username: 'new1',
      email: 'new1@mail.example',
      'roles[]': 'author',
      password: '',
    })
    note('a made-up password', created.text, /<code[^>]*>([\w-]{24})</)
    await sendForm(admin, '/svc-admin/users/new', {
      username: 'new2',
      email: 'new2@mail.example',
      'roles[]': 'author',
      password: TYPED,
    })
    const { shy } = site.users
    const changed = await sendForm(admin, `/svc-admin/users/${shy}`, { do: 'password', password: '' })
    note('a made-up new password', changed.text, /<code[^>]*>([\w-]{24})</)
    const program = await sendForm(admin, '/svc-admin/account', { do: 'create-password', program: 'Editor' })
    note('an application password', program.text, /<code[^>]*>([\w ]{20,})</)
    await sendForm(admin, '/svc-admin/account', {
      do: 'password',
      current: 'wrong phrase 9c1d',
      password: TYPED,
      again: TYPED,
    })
    const page = await (await admin.open('/svc-admin/content/post/1')).text()
    note('the nonce of forms', page, /name="_svcnonce" value="([^"]+)"/)
    note('the nonce of the REST API', page, /data-nonce="([^"]+)"/)
    const shared = await sendForm(admin, '/svc-admin/content/post/1', { do: 'share', title: 'Hello', content: 'x' })
    note('the key of a preview', shared.text, /preview_token=([\w.%-]{20,})/)
    await fetch(`${site.home}/svc-json/svc/v2/posts/1?preview_token=${found.get('the key of a preview')!}`)
    const key = found.get('an application password')!
    for (const secret of [key, key.replaceAll(' ', '')]) {
      const headers = { authorization: `Basic ${Buffer.from(`admin:${secret}`).toString('base64')}` }
      await fetch(`${site.home}/svc-json/svc/v2/users/me`, { headers })
      found.set(`the header of ${secret.length} characters`, headers.authorization.slice('Basic '.length))
    }
    found.set('an application password without spaces', key.replaceAll(' ', ''))
    // Errors are logged, too.
    site.kernel.hooks.rest_pre_insert_user.tap('fails', () => {
      throw new Error('It fails.')
    })
    await sendForm(admin, '/svc-admin/users/new', { username: 'new3', email: 'new3@mail.example', password: TYPED })
    for (const path of [
      `/svc-admin/?_svcnonce=${formNonce(page)}`,
      `/svc-admin/none?password=${encodeURIComponent(TYPED)}`,
    ])
      await admin.open(path)
    assert.ok(log.length > 1000, 'the log has lines')
    const listed = (await (await admin.open('/svc-admin/trace/requests')).json()) as { requests: { number: number }[] }
    let traced = JSON.stringify(listed)
    for (const { number } of listed.requests)
      traced += await (await admin.open(`/svc-admin/trace/requests/${number}`)).text()
    assert.ok(traced.length > 100_000, 'the traces have steps')
    for (const [label, secret] of found)
      for (const form of new Set([secret, encodeURIComponent(secret), secret.replaceAll(' ', '+')])) {
        assert.not.ok(log.includes(form), `${label} in the log: ${log.split('\n').find((line) => line.includes(form))}`)
        assert.not.ok(traced.includes(form), `${label} in the traces`)
      }
    const again = await (await admin.open('/svc-admin/account')).text()
    for (const label of ['an application password', 'a typed password', 'the session'])
      assert.not.ok(again.includes(found.get(label)!), label)
  })

  secrets.run()
}
