import type { Logger } from 'pino'
import { currentWork } from '../../../kernel/index.ts'
import { cacheBriefly } from './dependencies.ts'

/**
 * Logs the failure of an omitted part of a response, and limits how long the response is stored.
 * @throws the abort reason of the request, if it was aborted
 */
export function omitFailedPart(log: Logger, err: unknown, about: object, message: string): void {
  currentWork()?.throwIfAborted()
  cacheBriefly()
  log.error({ err, ...about }, message)
}
