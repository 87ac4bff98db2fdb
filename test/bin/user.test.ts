import { Readable } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { svc } from '../helpers/svc.ts'
import { serve } from '../helpers/site.ts'
import { filePlace } from '../helpers/stores.ts'

const command = suite('svc user')

command('adds a user with a generated password, and lists users', async () => {
  await using site = await workplace()
  const added = await site.run('add', 'ann', '--email', 'ann@mail.example', '--name', 'Ann B', '--role', 'editor')
  assert.match(added.out, /^ann is user 1, whom others see as Ann B \(ann\)\. The password is \S{24} and/)
  assert.is((await site.run('list')).out, '1  ann  ann@mail.example  editor  Ann B')
  const [user] = JSON.parse((await site.run('list', '--role', 'editor', '--json')).out) as { roles: string[] }[]
  assert.equal(user!.roles, ['editor'])
  assert.is((await site.run('list', '--role', 'author')).out, '')
})

command('sets a password read from the standard input', async () => {
  await using site = await workplace()
  await site.run('add', 'ann', '--email', 'ann@mail.example')
  const { code, out } = await site.runWith(
    'a long pass phrase\n',
    'set-password',
    'ann@mail.example',
    '--password-stdin',
  )
  assert.equal([code, out], [0, 'ann@mail.example has a new password, and is logged out everywhere.'])
  await using served = await serve({ database: site.database })
  const { passwords, users } = served.kernel.services
  assert.ok(await passwords.verify('a long pass phrase', (await users.passwordHash(1))!))
})

command('sets roles', async () => {
  await using site = await workplace()
  await site.run('add', 'ann', '--email', 'ann@mail.example')
  assert.is((await site.run('role', 'ann', 'author', 'editor')).out, 'ann has the roles: author, editor.')
  assert.match((await site.run('list')).out, 'author,editor')
})

command('creates, lists and revokes application passwords', async () => {
  await using site = await workplace()
  await site.run('add', 'ann', '--email', 'ann@mail.example')
  const run = async (...argv: string[]) => (await site.run('app-password', ...argv)).out
  const output = await run('create', 'ann', 'my phone')
  const [, uuid = '', password = ''] = /^my phone \((\S{36})\) is ((?:\w{4} ){5}\w{4}) and is shown/.exec(output) ?? []
  assert.match(await run('list', 'ann'), new RegExp(`^${uuid}  \\d{4}-\\d\\d-\\d\\d  never used  my phone$`))
  const authorization = `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`
  const status = async () => {
    await using served = await serve({ database: site.database })
    return (await served.get('/svc/v2/users/me', { authorization })).status
  }
  assert.is(await status(), 200)
  assert.match(await run('list', 'ann'), 'last used')
  assert.match((await site.run('app-password', 'revoke', 'ann', 'x')).err, 'ann has no application password x.')
  assert.is(await run('revoke', 'ann', uuid), 'Revoked: 1.')
  assert.is(await status(), 401)
  assert.match(await run('create', '--accounts', 'ann', 'another'), /^another/)
  assert.match(await run('list', 'ann'), /never used {2}another {2}accounts$/)
  assert.is(await run('revoke', 'ann', '--all'), 'Revoked: 1.')
  assert.is(await run('list', 'ann', '--json'), '[]')
  assert.match((await site.run('app-password', 'revoke', 'ann')).err, 'Give the UUID of an application password, or')
})

command('explains invalid arguments', async () => {
  await using site = await workplace()
  const errorOf = async (...argv: string[]) => {
    const { code, err } = await site.run(...argv)
    assert.is(code, 1)
    return err
  }
  assert.is(await errorOf('add', 'ann'), 'Give --email. svc user add --help lists its arguments.')
  assert.is(await errorOf('role', 'nobody', 'editor'), 'There is no user nobody: svc user list shows all users.')
  assert.is(await errorOf('add', 'ann', '--email', 'a@mail.example', '--role', 'emperor'), 'There is no role emperor.')
  assert.match(
    await errorOf('roles', 'ann'),
    /^There is no command user roles: did you mean user role\?\n\nCommands of/,
  )
  assert.match(await errorOf(), /^ {2}user list +Lists the users/m)
  assert.match(await errorOf('app-password'), /^There is no command user app-password/)
})

command.run()

/** Creates a database, and a function that runs `svc user` on it and returns its output. */
async function workplace() {
  const place = await filePlace()
  const runWith = async (input: string, ...argv: string[]) => {
    const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!
    Object.defineProperty(process, 'stdin', { ...stdin, get: () => Readable.from([input]), configurable: true })
    try {
      return await svc('user', ...argv, '--database', place.url)
    } finally {
      Object.defineProperty(process, 'stdin', stdin)
    }
  }
  return {
    database: place.url,
    runWith,
    run: (...argv: string[]) => runWith('', ...argv),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  }
}
