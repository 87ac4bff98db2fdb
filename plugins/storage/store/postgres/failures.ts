import { errors, type StoreError } from '../errors.ts'
import { isConnectionLost } from './connection.ts'

/** Whether a statement met others in a way that lets it succeed once they are through: deadlocks, serialisation. */
export function isConflict(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('40')
}

/** Whether an error tells of the end of the connection: it is lost, or the server shuts down. */
export function isConnectionEnd(error: unknown): boolean {
  return isConnectionLost(error) || String((error as { code?: unknown }).code).startsWith('57P')
}

/** The error for a commit of which nobody knows what became. */
export function uncertain(cause: unknown): StoreError {
  return errors.STORE_UNCERTAIN((cause as Error).message, { cause })
}

/** @throws StoreError STORE_UNAVAILABLE */
export function unreachable(cause: unknown): never {
  const { message, code = 'no answer' } = cause as NodeJS.ErrnoException
  throw errors.STORE_UNAVAILABLE(`it cannot be reached (${message || code})`, { cause })
}
