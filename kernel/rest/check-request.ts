import type { RestError } from '../errors.ts'
import { isThenable, type Awaitable } from '../awaitable.ts'
import { noParams, type Params } from '../http/query-string.ts'
import type { ArgumentChecker, Checked } from './arguments.ts'
import type { RestRequest } from './request.ts'
import type { Endpoint } from './routes.ts'

/**
 * Validates and sanitizes the parameters of a request with the arguments of its endpoint. The request then returns the
 * sanitized values. Returns an error that names all invalid arguments, or null.
 */
export function checkRequest(
  checker: ArgumentChecker,
  request: RestRequest,
  endpoint: Endpoint,
): Awaitable<RestError | null> {
  request.defaults = endpoint.defaults
  const params = request.requestParams()
  const checked = checker.check(endpoint.args, params, request)
  const use = (result: Checked): RestError | null => {
    if (!result.ok) {
      request.captures = readCaptures(checker, request.captures, [endpoint])
      return result.error
    }
    // Undeclared parameters stay unchanged.
    request.useChecked(result.values, params)
    return null
  }
  return isThenable(checked) ? checked.then(use) : use(checked)
}

/**
 * Returns the captures of a route, sanitized if an endpoint declares them as arguments and they are valid. For requests
 * with unchecked arguments, so that permission checks still see IDs as numbers.
 */
export function readCaptures(checker: ArgumentChecker, captures: Params, endpoints: readonly Endpoint[]): Params {
  const read = noParams()
  for (const [name, value] of Object.entries(captures)) {
    const schema = endpoints.find((endpoint) => Object.hasOwn(endpoint.args, name))?.args[name]
    read[name] = schema === undefined ? value : checker.read(value, schema, name)
  }
  return read
}

/** Replaces the plugin `arguments` if it is switched off: only routes without arguments can be registered then. */
export const noArguments: ArgumentChecker = {
  check: () => ({ ok: true, values: {} }),
  read: (value) => value,
  mistakeIn: (schemas, noun) =>
    noun === 'argument' && Object.keys(schemas as object).length > 0
      ? 'it has arguments, but no plugin checks them: switch on the plugin arguments'
      : null,
}
