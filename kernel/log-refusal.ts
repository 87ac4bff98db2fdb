import type { Logger } from 'pino'
import type { RestError } from './errors.ts'
import { outageBehind } from './outages.ts'
import { messageOf } from './text/message-of.ts'

/** How deep causes are looked into for the reason. */
const MAX_CAUSE_DEPTH = 10

/**
 * Level of the log line about an error response: `error` for failures of the server; `info` for refusals that clients
 * cause, which are 429, and 503 if a limit was reached; null for those that only the line of the request at `debug` has.
 * A request that took too long is logged by who waited for it, with what it waited for.
 */
export function levelOf(error: RestError): 'error' | 'info' | null {
  const { status, code, cause } = error
  if (error.isInternal) return 'error'
  if (status === 429) return 'info'
  if (status < 500 || status === 501 || code === 'rest_handler_timeout') return null
  const isLimit = status === 503 && (cause === undefined || outageBehind(error) === 'busy')
  return isLimit ? 'info' : 'error'
}

/** Logs why a request gets an error response. @param about what the line has besides: the ID of the request, its route */
export function logRefusal(log: Logger, error: RestError, about: object): void {
  const level = levelOf(error)
  if (level === 'error') log.error({ ...about, err: error }, error.message)
  if (level === 'info') log.info({ ...about, status: error.status, code: error.code }, `refused: ${reasonOf(error)}`)
}

/** The message of the cause behind an error that has none behind it. */
function reasonOf(error: RestError): string {
  let reason: unknown = error
  for (let depth = 0; depth < MAX_CAUSE_DEPTH && reason instanceof Error && reason.cause !== undefined; depth += 1)
    reason = reason.cause
  return messageOf(reason)
}
