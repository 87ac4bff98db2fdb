import type { RestError } from '../errors.ts'
import { isThenable, type Awaitable } from '../awaitable.ts'
import { noParams, type Params } from '../http/query-string.ts'
import { checkArguments, type Checked } from '../schema/check-arguments.ts'
import { sanitizeValue, validateValue } from '../schema/validate.ts'
import type { RestRequest } from './request.ts'
import type { Endpoint } from './routes.ts'

/**
 * Checks and sanitises the request's parameters against the endpoint's arguments; the request then gives the checked
 * values. Returns the error that tells of every bad argument, or null.
 */
export function checkRequest(request: RestRequest, endpoint: Endpoint): Awaitable<RestError | null> {
  request.defaults = endpoint.defaults
  const given = request.givenParams()
  const checked = checkArguments(endpoint.args, given, request)
  const use = (result: Checked): RestError | null => {
    if (!result.ok) {
      request.captures = readCaptures(request.captures, [endpoint])
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
export function readCaptures(captures: Params, endpoints: readonly Endpoint[]): Params {
  const read = noParams()
  for (const [name, value] of Object.entries(captures)) {
    const schema = endpoints.find((endpoint) => Object.hasOwn(endpoint.args, name))?.args[name]
    const valid = schema !== undefined && validateValue(value, schema, name) === true
    read[name] = valid ? sanitizeValue(value, schema, name) : value
  }
  return read
}
