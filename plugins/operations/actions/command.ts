import { RestError, VISITOR, type Arguments, type CurrentUser, type PluginContext } from '../../../kernel/index.ts'
import type { Command } from '../../library/commands/index.ts'
import { userNamed } from '../../people/users/index.ts'
import type { Actions } from './action.ts'
import type { Registered } from './registry.ts'

type Services = PluginContext['services']
/** Flags of every command. */
const COMMON_FLAGS: readonly string[] = ['config', 'help', 'json']

/** Creates the command that runs an action: its input as flags, and the user on whose behalf it runs. */
export function commandOf(
  { name, action, input }: Registered,
  actions: Actions,
  { services, config }: Pick<PluginContext, 'services' | 'config'>,
): Command {
  const reservedFlags = new Set([...COMMON_FLAGS, 'user', ...Object.keys(config)])
  const properties = new Map<string, string>()
  for (const property of Object.keys(input.args)) {
    // A property with the name of a common flag gets a prefix.
    let flag = property
    while (reservedFlags.has(flag.toLowerCase()) || properties.has(flag)) flag = `input_${flag}`
    properties.set(flag, property)
  }
  const flags: Arguments = {
    ...Object.fromEntries([...properties].map(([flag, property]) => [flag, input.args[property]!])),
    user: {
      type: 'string',
      description: 'Login, email address or ID of the user who runs the action; a visitor by default.',
    },
  }
  return {
    summary: action.label,
    description: action.description,
    flags,
    json: true,
    async run({ flags: { user, ...values }, printData }) {
      const entries = Object.entries(values).map(([flag, value]) => [properties.get(flag)!, value] as const)
      const caller = { user: await userOf(services, user as string | undefined), via: 'command' }
      try {
        printData(await actions.execute(name, input.fromArguments(Object.fromEntries(entries)), caller))
      } catch (error) {
        throw commandError(error, caller.user)
      }
    },
  }
}

async function userOf({ users }: Services, name: string | undefined): Promise<CurrentUser> {
  return name === undefined ? VISITOR : ((await users.current(await userNamed(users, name))) ?? VISITOR)
}

/** Converts an error for the command line. */
function commandError(error: unknown, { id }: CurrentUser): unknown {
  if (!(error instanceof RestError)) return error
  const { params } = error.data
  if (error.code === 'rest_invalid_param' && typeof params === 'object' && params !== null)
    return new Error(Object.values(params).join(' '), { cause: error })
  if (error.status === 401 && id === 0)
    return new Error(`${error.message} Pass the user: --user LOGIN.`, { cause: error })
  return error
}
