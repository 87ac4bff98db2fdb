import type { ArgumentSchema, PluginContext } from '../../../kernel/index.ts'
import { userNamed } from '../users/index.ts'
import { errors } from './errors.ts'

const LOGIN = {
  type: 'string',
  required: true,
  description: 'Login, email address or ID.',
} as const satisfies ArgumentSchema

/** Adds the commands that manage application passwords. */
export function addPasswordCommands({ addCommand, services }: PluginContext): void {
  const { users, applicationPasswords: passwords } = services
  addCommand('user app-password list', {
    summary: "Shows a user's application passwords.",
    args: { login: LOGIN },
    json: true,
    async run({ operands: { login }, printData }) {
      const items = await passwords.list(await userNamed(users, login))
      const day = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10)
      const usedOf = (lastUsed: number | null) => (lastUsed === null ? 'never used' : `last used ${day(lastUsed)}`)
      printData(
        items,
        items.map(({ uuid, name, created, lastUsed, scopes }) => [
          uuid,
          day(created),
          usedOf(lastUsed),
          name,
          scopes.join(','),
        ]),
      )
    },
  })
  addCommand('user app-password create', {
    summary: 'Makes an application password, and prints it this once.',
    args: { login: LOGIN, name: { type: 'string', required: true, description: 'Name, such as that of the program.' } },
    flags: {
      accounts: { type: 'boolean', description: 'Lets it change passwords, email addresses, roles and users.' },
    },
    async run({ operands: { login, name }, flags: { accounts = false }, print }) {
      const scopes = accounts ? (['accounts'] as const) : []
      const { item, password } = await passwords.create(await userNamed(users, login), { name, scopes })
      print(`${item.name} (${item.uuid}) is ${password} and is shown this once.`)
    },
  })
  addCommand('user app-password revoke', {
    summary: "Revokes a user's application passwords.",
    args: { login: LOGIN, uuids: { type: 'array', items: { type: 'string' }, description: 'Those to revoke.' } },
    flags: { all: { type: 'boolean', description: 'Revokes every one of the user.' } },
    async run({ operands: { login, uuids = [] }, flags: { all = false }, print }) {
      const id = await userNamed(users, login)
      if (all) return print(`Revoked: ${await passwords.revokeAll(id)}.`)
      if (uuids.length === 0) throw errors.application_password_not_named()
      for (const uuid of uuids) {
        if (!(await passwords.revoke(id, uuid))) throw errors.application_password_unknown(login, uuid)
      }
      print(`Revoked: ${uuids.length}.`)
    },
  })
}
