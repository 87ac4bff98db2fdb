import type { RestError } from '../errors.ts'
import { chain, type Awaitable } from '../awaitable.ts'
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
  return chain<Checked, RestError | null>(checkArguments(endpoint.args, given, request), (checked) => {
    if (!checked.ok) {
      request.captures = readCaptures(request.captures, [endpoint])
      return checked.error
    }
    // Parameters that no argument declares stay as they were sent.
    request.useChecked(checked.values, given)
    return null
  })
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
