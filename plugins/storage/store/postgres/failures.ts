import { errors, type StoreError } from '../errors.ts'
import { isConnectionLost } from './connection.ts'

/** Whether a statement failed by a conflict with others and can be repeated: deadlocks, serialization failures. */
export function isConflict(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('40')
}

/** Whether an error means that the connection ends: it is lost, or the server shuts down. */
export function isConnectionEnd(error: unknown): boolean {
  return isConnectionLost(error) || String((error as { code?: unknown }).code).startsWith('57P')
}

/** Returns the error for a commit with an unknown outcome. */
export function uncertain(cause: unknown): StoreError {
  return errors.STORE_UNCERTAIN((cause as Error).message, { cause })
}

/** @throws StoreError STORE_UNAVAILABLE */
export function unreachable(cause: unknown): never {
  const { message, code = 'no answer' } = cause as NodeJS.ErrnoException
  throw errors.STORE_UNAVAILABLE(`it cannot be reached (${message || code})`, { cause })
}
