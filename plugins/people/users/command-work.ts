import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { cleanText, RequestCache, type PluginContext } from '../../../kernel/index.ts'
import type { Invocation } from '../../library/commands/index.ts'
import { userNamed } from './named.ts'

type Services = PluginContext['services']
type Printer = Pick<Invocation, 'print'>

/** Runs `svc user add`. */
export async function add(
  { users }: Services,
  {
    operands: { login },
    flags: { email, name, role, password_stdin: isRead },
    print,
  }: Printer & {
    operands: { login: string }
    flags: { email: string; name?: string; role?: string; password_stdin?: boolean }
  },
): Promise<void> {
  const password = await newPassword(isRead)
  const added = await users.create({
    login,
    email,
    password: password.plain,
    ...(name !== undefined && { name }),
    ...(role !== undefined && { roles: [role] }),
  })
  print(`${login} is user ${added.id}, whom others see as ${added.name} (${added.slug}).${password.shown}`)
}

/** Runs `svc user list`. */
export async function list(
  { users }: Services,
  { flags: { role }, printData }: Pick<Invocation, 'printData'> & { flags: { role?: string } },
): Promise<void> {
  const scope = new RequestCache()
  const { items } = await users.query({
    ...(role !== undefined && { roles: [role] }),
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
  printData(
    rows,
    rows.map(({ id, login, email, roles, name }) => [String(id), login, email, roles.join(','), name]),
  )
}

/** Runs `svc user set-password`. */
export async function setPassword(
  { users }: Services,
  {
    operands: { login },
    flags: { password_stdin: isRead },
    print,
  }: Printer & { operands: { login: string }; flags: { password_stdin?: boolean } },
): Promise<void> {
  const id = await userNamed(users, login)
  const password = await newPassword(isRead)
  await users.update(id, { password: password.plain })
  print(`${login} has a new password, and is logged out everywhere.${password.shown}`)
}

/** Runs `svc user role`. */
export async function setRoles(
  { users }: Services,
  { operands: { login, roles }, print }: Printer & { operands: { login: string; roles: readonly string[] } },
): Promise<void> {
  await users.update(await userNamed(users, login), { roles })
  print(`${login} has the roles: ${roles.join(', ')}.`)
}

/** Reads the password from the standard input, or generates one with the sentence that shows it. */
async function newPassword(isRead = false): Promise<{ plain: string; shown: string }> {
  // Cleaned the same way as at the log-in.
  if (isRead) return { plain: cleanText((await text(process.stdin)).replace(/\r?\n$/, '')), shown: '' }
  const plain = randomBytes(18).toString('base64url')
  return { plain, shown: ` The password is ${plain} and is shown this once.` }
}
