import { randomFillSync } from 'node:crypto'
import { isSecretName } from '../text/secret-names.ts'

/** The header with the ID of a request, in requests and in every response. */
export const REQUEST_ID = 'X-Request-Id'

const KEY = REQUEST_ID.toLowerCase()
/** IDs accepted from clients: up to 128 characters without a special meaning in headers, log lines and HTML. */
const VALID = /^[\w.~+/=:@-]{1,128}$/

/**
 * Returns the ID in the `X-Request-Id` of a request, or a new one if the header is missing, repeated or invalid.
 * @param rawHeaders alternating names and values, as received by Node
 */
export function requestIdOf(rawHeaders: readonly string[]): string {
  let id: string | null = null
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length !== KEY.length || name.toLowerCase() !== KEY) continue
    if (id !== null) return newRequestId()
    id = rawHeaders[at + 1]!
  }
  return id !== null && VALID.test(id) && isLogged(id) ? id : newRequestId()
}

const ID_BYTES = 16
/** Random bytes for many IDs, because each call for random bytes is slow. `randomUUID` takes twice as long. */
const pool = Buffer.allocUnsafe(256 * ID_BYTES)
let used = pool.length

/** Returns a random ID of 32 hexadecimal digits. A counter would reveal the number of requests to clients. */
export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += ID_BYTES
  return pool.toString('hex', used - ID_BYTES, used)
}

/** Whether the log shows an ID unchanged. It redacts values as in `token=…` and `http://user:password@host`. */
function isLogged(id: string): boolean {
  return !/[=@]/.test(id) || !(id.includes('://') || id.split(/[/=]/).some(isSecretName))
}
