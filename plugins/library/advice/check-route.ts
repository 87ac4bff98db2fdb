import {
  isObject,
  errors,
  shown,
  trimMarks,
  type ArgumentChecker,
  type Arguments,
  type EndpointGroup,
  type RouteGroups,
} from '../../../kernel/index.ts'
import { hint } from '../suggestions/index.ts'
import { checkRegistration, shapeMistake, type Shapes, unknownKey } from './shapes.ts'
import { parameterMistake, pathMistake } from './check-path.ts'
import { groupsOf, METHODS, methodsOf } from '../../../kernel/rest/routes.ts'

const ENDPOINT: Shapes<EndpointGroup> = {
  methods: ['text', 'list'],
  callback: ['function', 'null'],
  permission_callback: ['function', 'null'],
  args: 'object',
  allow_batch: ['flag', 'object'],
  cache: 'flag',
  show_in_index: 'flag',
}

const ROUTE_KEYS: Readonly<Record<Exclude<keyof RouteGroups, number | `x-${string}`>, true>> = {
  args: true,
  schema: true,
  allow_batch: true,
  cache: true,
  methods: true,
  callback: true,
  permission_callback: true,
}

/** Keys of an endpoint by their names in other systems. */
const KEY_SYNONYMS: Readonly<Record<string, string>> = {
  method: 'methods',
  handler: 'callback',
  permission: 'permission_callback',
  permissions: 'permission_callback',
  auth: 'permission_callback',
  arguments: 'args',
  params: 'args',
  parameters: 'args',
}

/**
 * Checks the registration of a route by a plugin.
 * @throws ROUTE_INVALID with the plugin, the route and the mistake
 */
export function checkRoute(
  namespace: string,
  route: string,
  definition: unknown,
  override: boolean,
  checker: ArgumentChecker,
): void {
  checkRegistration(
    () => pathMistake(namespace, route) ?? routeMistake(route, definition, override, checker),
    (plugin, mistake) => {
      const parts = [namespace, route].filter((part) => typeof part === 'string').map((part) => trimMarks(part, '/'))
      return errors.ROUTE_INVALID(`/${parts.join('/')}`, plugin, mistake)
    },
  )
}

/**
 * Returns the mistake in the registration of a route: a key, method, callback, schema or default of an argument.
 * Returns null if it is valid.
 */
function routeMistake(path: string, definition: unknown, override: unknown, checker: ArgumentChecker): string | null {
  if (typeof override !== 'boolean')
    return `its fourth argument is ${shown(override)}: it must be true or false (override)`
  if (typeof definition !== 'object' || definition === null)
    return `it is given ${shown(definition)} in place of an endpoint`
  const { groups, shared } = groupsOf(definition as EndpointGroup | readonly EndpointGroup[] | RouteGroups)
  const { schema } = shared
  if (schema !== undefined && typeof schema !== 'function')
    return `its schema is ${shown(schema)}: it must be a function that returns it`
  const mistake = groupsMistake(shared)
  if (mistake !== null) return mistake
  for (const group of groups) {
    const args = { ...shared.args, ...group.args }
    const wrong = endpointMistake(group) ?? argumentsMistake(args, checker) ?? parameterMistake(path, args)
    if (wrong !== null) return wrong
  }
  return null
}

function groupsMistake(group: object): string | null {
  for (const key of Object.keys(group)) {
    if (/^\d+$/.test(key) || Object.hasOwn(ROUTE_KEYS, key)) continue
    // Custom options are allowed (specification 4.2), but a key similar to a known one is a mistake.
    const near = hint(key, Object.keys(ROUTE_KEYS), KEY_SYNONYMS)
    if (near.startsWith(': did')) return `it has the unknown key "${key}"${near}`
  }
  return null
}

/** Returns the mistake in an endpoint, or null. */
function endpointMistake(group: EndpointGroup): string | null {
  if (!isObject(group)) return `an endpoint is ${shown(group)}: it must be an object with a callback`
  const unknown = unknownKey(group, ENDPOINT, KEY_SYNONYMS)
  if (unknown !== null) return `an endpoint ${unknown}`
  // Without a callback, requests get an error (specification 4.2).
  if ((group.callback ?? null) !== null && typeof group.callback !== 'function') {
    return `an endpoint has no callback: give it a function, not ${shown(group.callback)}`
  }
  const check: unknown = group.permission_callback ?? null
  if (check !== null && typeof check !== 'function') {
    return `permission_callback is ${shown(check)}: it must be a function, such as () => true for a public route`
  }
  const { methods = 'GET' } = group
  if (![methods].flat().every((one) => typeof one === 'string')) {
    return `an endpoint has methods: ${shown(methods)}: they must be a string, such as 'GET, POST', or a list`
  }
  if (methods.length === 0) return 'an endpoint has no methods: name some, or leave methods out for GET'
  const method = methodsOf(group).find((one) => !METHODS.includes(one))
  if (method !== undefined) return `an endpoint has the method "${method}"${hint(method, METHODS)}`
  const shape = shapeMistake(group, ENDPOINT)
  return shape === null ? null : `an endpoint ${shape}`
}

/** Returns the mistake in the arguments of an endpoint, including their defaults, or null. */
function argumentsMistake(args: Arguments, checker: ArgumentChecker): string | null {
  if ((args['type'] as unknown) === 'object' && isObject(args['properties']))
    return 'its args are one schema: name the arguments themselves, { size: { … } }'
  return isObject(args) ? checker.mistakeIn(args, 'argument') : 'it must be an object of schemas by name'
}
