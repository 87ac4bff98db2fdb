import type { Logger } from 'pino'
import { currentWork } from '../../../kernel/index.ts'
import { keepBriefly } from './dependencies.ts'

/**
 * Logs why a part of a response fails that is left out of it, and limits how long the response is stored.
 * @throws the reason for which the request was aborted, if it was: then the response is not wanted
 */
export function leaveOut(log: Logger, err: unknown, about: object, message: string): void {
  currentWork()?.throwIfAborted()
  keepBriefly()
  log.error({ err, ...about }, message)
}
