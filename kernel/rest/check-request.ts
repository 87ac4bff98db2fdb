import type { RestError } from '../errors.ts'
import { isThenable, type Awaitable } from '../awaitable.ts'
import { noParams, type Params } from '../http/query-string.ts'
import type { ArgumentChecker, Checked } from './arguments.ts'
import type { RestRequest } from './request.ts'
import type { Endpoint } from './routes.ts'

/**
 * Checks and sanitises the request's parameters against the endpoint's arguments; the request then gives the checked
 * values. Returns the error that tells of every bad argument, or null.
 */
export function checkRequest(
  checker: ArgumentChecker,
  request: RestRequest,
  endpoint: Endpoint,
): Awaitable<RestError | null> {
  request.defaults = endpoint.defaults
  const given = request.givenParams()
  const checked = checker.check(endpoint.args, given, request)
  const use = (result: Checked): RestError | null => {
    if (!result.ok) {
      request.captures = readCaptures(checker, request.captures, [endpoint])
      return result.error
    }
    // Parameters that no argument declares stay as they were sent.
    request.useChecked(result.values, given)
    return null
  }
  return isThenable(checked) ? checked.then(use) : use(checked)
}

/**
 * The values of a route's captures, sanitised where an endpoint declares them as arguments and they are valid. For
 * requests whose arguments are not checked as a whole: permission checks then see ids as numbers all the same.
 */
export function readCaptures(checker: ArgumentChecker, captures: Params, endpoints: readonly Endpoint[]): Params {
  const read = noParams()
  for (const [name, value] of Object.entries(captures)) {
    const schema = endpoints.find((endpoint) => Object.hasOwn(endpoint.args, name))?.args[name]
    read[name] = schema === undefined ? value : checker.read(value, schema, name)
  }
  return read
}

/** Stands in for the plugin `arguments` where it does not run: only routes without arguments can be registered then. */
export const noArguments: ArgumentChecker = {
  check: () => ({ ok: true, values: {} }),
  read: (value) => value,
  mistakeIn: (schemas, what) =>
    what === 'argument' && Object.keys(schemas as object).length > 0
      ? 'it has arguments, and no plugin checks them: start the plugin arguments'
      : null,
}
