import type { Logger } from 'pino'
import type { RestError } from './errors.ts'
import { outageOf } from './outages.ts'
import { messageOf } from './text/message-of.ts'

/** Maximum depth to which causes of errors are followed. */
const MAX_CAUSE_DEPTH = 10

/**
 * Returns the log level for an error response: `error` for failures of the server; `info` for 429, and for 503 if a
 * limit was reached; null for errors that only appear in the request's line at `debug`. Timeouts of handlers are null,
 * because the plugin `limits` logs them together with the tap they waited for.
 */
export function levelOf(error: RestError): 'error' | 'info' | null {
  const { status, code, cause } = error
  if (error.isInternal) return 'error'
  if (status === 429) return 'info'
  if (status < 500 || status === 501 || code === 'rest_handler_timeout') return null
  const isLimit = status === 503 && (cause === undefined || outageOf(error) === 'busy')
  return isLimit ? 'info' : 'error'
}

/** Logs the reason of an error response. @param about further fields of the line: ID and route of the request */
export function logRefusal(log: Logger, error: RestError, about: object): void {
  const level = levelOf(error)
  if (level === 'error') log.error({ ...about, err: error }, error.message)
  if (level === 'info') log.info({ ...about, status: error.status, code: error.code }, `refused: ${reasonOf(error)}`)
}

/** Returns the message of the innermost cause of an error. */
function reasonOf(error: RestError): string {
  let reason: unknown = error
  for (let depth = 0; depth < MAX_CAUSE_DEPTH && reason instanceof Error && reason.cause !== undefined; depth += 1)
    reason = reason.cause
  return messageOf(reason)
}
