import type { ArgumentSchema, PluginContext } from '../../../kernel/index.ts'

const LOGIN = {
  type: 'string',
  required: true,
  description: 'Login, email address or ID.',
} as const satisfies ArgumentSchema
const STDIN = {
  type: 'boolean',
  description: 'Reads the password from the standard input, in place of making one up and printing it.',
} as const satisfies ArgumentSchema

/** Adds the commands that manage users. Their code is loaded at the first call. */
export function addUserCommands({ addCommand, services }: PluginContext): void {
  const work = () => import('./command-work.ts')
  addCommand('user add', {
    summary: 'Adds a user, with a password that is printed this once.',
    args: { login: { type: 'string', required: true, description: 'Login name.' } },
    flags: {
      email: { type: 'string', required: true, description: 'Email address.' },
      name: { type: 'string', description: 'Name that others see.' },
      role: { type: 'string', description: 'Role; by default that of new users.' },
      password_stdin: STDIN,
    },
    run: async (invocation) => (await work()).add(services, invocation),
  })
  addCommand('user list', {
    summary: 'Lists the users with their email addresses and roles.',
    flags: { role: { type: 'string', description: 'Lists only users with this role.' } },
    json: true,
    run: async (invocation) => (await work()).list(services, invocation),
  })
  addCommand('user set-password', {
    summary: 'Gives a user another password, and ends their sessions.',
    args: { login: LOGIN },
    flags: { password_stdin: STDIN },
    run: async (invocation) => (await work()).setPassword(services, invocation),
  })
  addCommand('user role', {
    summary: 'Gives a user these roles in place of theirs.',
    args: { login: LOGIN, roles: { type: 'array', items: { type: 'string' }, minItems: 1, required: true } },
    run: async (invocation) => (await work()).setRoles(services, invocation),
  })
}
