import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import type { Kernel } from '../../kernel/host.ts'
import { cleanJson, cleanText, RequestCache } from '../../kernel/index.ts'
import { configFlags, configFrom, configUsage } from './config-flags.ts'
import { unknownUser } from './failure.ts'
import { startSite } from './site.ts'
import { table } from './table.ts'

const USAGE = `Usage: svc user COMMAND [FLAGS]

  add LOGIN             Makes a user: --email ADDRESS, --name NAME, --role ROLE
  list                  Shows the users, or with --role those who have it; --json
  set-password LOGIN    Gives a user another password, and ends their sessions
  role LOGIN ROLE…      Gives a user these roles in place of theirs
  app-password list LOGIN
                        Shows a user's application passwords, with --json in full
  app-password create LOGIN NAME
                        Makes one, and prints it this once
  app-password revoke LOGIN UUID…
                        Revokes these, or with --all every one of the user

LOGIN may be an email address. A new password is generated and printed, or read with --password-stdin.
Every command takes the flags of svc-serve:

${configUsage()}`

const FLAGS = {
  ...configFlags,
  email: { type: 'string' },
  name: { type: 'string' },
  role: { type: 'string' },
  json: { type: 'boolean' },
  'password-stdin': { type: 'boolean' },
  all: { type: 'boolean' },
} as const

type Values = Readonly<Record<string, string | boolean | undefined>>
type Action = (kernel: Kernel, operands: readonly string[], values: Values) => Promise<string>

const ACTIONS: Readonly<Record<string, Action>> = {
  add,
  list,
  'set-password': setPassword,
  role: setRoles,
  'app-password': applicationPasswords,
}

/** Runs `svc user` with the arguments after it; resolves with the exit code. */
export async function user(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options: FLAGS })
  const [name = '', ...operands] = positionals.map(cleanText)
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
  if (action === undefined) {
    console.error(name === '' ? USAGE : `There is no command user ${name}.\n\n${USAGE}`)
    return 1
  }
  const given = cleanJson(values) as Values
  await using kernel = await startSite(await configFrom(given))
  console.log(await action(kernel, operands, given))
  return 0
}

async function add(kernel: Kernel, [login]: readonly string[], values: Values): Promise<string> {
  const password = await newPassword(values)
  const { id, name, slug } = await kernel.services.users.create({
    login: needed(login, 'a login name'),
    email: needed(values['email'], 'an email address: --email ADDRESS') as string,
    password: password.plain,
    ...(typeof values['name'] === 'string' && { name: values['name'] }),
    ...(typeof values['role'] === 'string' && { roles: [values['role']] }),
  })
  return `${login} is user ${id}, whom others see as ${name} (${slug}).${password.shown}`
}

async function list(kernel: Kernel, _: readonly string[], values: Values): Promise<string> {
  const { users } = kernel.services
  const { role, json } = values
  const scope = new RequestCache()
  const { items } = await users.query({
    ...(typeof role === 'string' && { roles: [role] }),
    orderBy: 'id',
    order: 'asc',
    limit: Number.MAX_SAFE_INTEGER,
    offset: 0,
  })
  const rows = await Promise.all(
    items.map(async ({ id, login, name, email, slug }) => {
      const { roles } = await users.profile(id, scope)
      return { id, login, name, email, slug, roles }
    }),
  )
  if (json === true) return JSON.stringify(rows, null, 2)
  return table(rows.map((row) => [String(row.id), row.login, row.email, row.roles.join(','), row.name]))
}

async function setPassword(kernel: Kernel, [login]: readonly string[], values: Values): Promise<string> {
  const id = await idOf(kernel, login)
  const password = await newPassword(values)
  await kernel.services.users.update(id, { password: password.plain })
  return `${login} has a new password, and is logged out everywhere.${password.shown}`
}

async function setRoles(kernel: Kernel, [login, ...roles]: readonly string[]): Promise<string> {
  const id = await idOf(kernel, login)
  needed(roles[0], 'a role')
  await kernel.services.users.update(id, { roles })
  return `${login} has the roles: ${roles.join(', ')}.`
}

async function applicationPasswords(
  kernel: Kernel,
  [what, login, ...operands]: readonly string[],
  values: Values,
): Promise<string> {
  const passwords = kernel.services.applicationPasswords
  if (what !== 'list' && what !== 'create' && what !== 'revoke') {
    throw new Error('Say what to do: svc user app-password list, create or revoke.')
  }
  const userId = await idOf(kernel, login)
  if (what === 'create') {
    const { item, password } = await passwords.create(userId, { name: needed(operands[0], 'a name for the password') })
    return `${item.name} (${item.uuid}) is ${password} and is shown this once.`
  }
  if (what === 'list') {
    const items = await passwords.list(userId)
    if (values['json'] === true) return JSON.stringify(items, null, 2)
    const day = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10)
    const usedOf = (lastUsed: number | null) => (lastUsed === null ? 'never used' : `last used ${day(lastUsed)}`)
    return table(items.map(({ uuid, name, created, lastUsed }) => [uuid, day(created), usedOf(lastUsed), name]))
  }
  if (values['all'] === true) return `Revoked: ${await passwords.revokeAll(userId)}.`
  needed(operands[0], 'the UUID of an application password, or --all')
  for (const uuid of operands) {
    if (!(await passwords.revoke(userId, uuid))) throw new Error(`${login} has no application password ${uuid}.`)
  }
  return `Revoked: ${operands.length}.`
}

async function idOf(kernel: Kernel, login: string | undefined): Promise<number> {
  const id = await kernel.services.users.idOf(needed(login, 'a login name'))
  if (id === undefined) throw unknownUser(login)
  return id
}

function needed<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`Give ${what}.`)
  return value
}

/** The password from the standard input, or a generated one with the sentence that shows it. */
async function newPassword(values: Values): Promise<{ plain: string; shown: string }> {
  // As it is read when somebody logs in with it.
  const read = async () => cleanText((await text(process.stdin)).replace(/\r?\n$/, ''))
  if (values['password-stdin'] === true) return { plain: await read(), shown: '' }
  const plain = randomBytes(18).toString('base64url')
  return { plain, shown: ` The password is ${plain} and is shown this once.` }
}
