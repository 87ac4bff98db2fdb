import { setTimeout as delay } from 'node:timers/promises'
import { currentWork } from '../../../../kernel/index.ts'
import { errors } from '../errors.ts'

/** Milliseconds to wait for another process to release the file, if requests have no time limit. */
export const BUSY_TIMEOUT_MS = 10_000

/**
 * Repeats `act` while another process has locked the file.
 *
 * @param until deadline, in milliseconds of `performance.now()`
 * @throws StoreError STORE_BUSY; the abort reason of the current work
 */
export async function retryWhileBusy<T>(
  act: () => T | Promise<T>,
  until = performance.now() + BUSY_TIMEOUT_MS,
): Promise<T> {
  for (let pause = 2; ; pause = Math.min(pause * 2, 50)) {
    try {
      return await act()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() > until) {
        throw errors.STORE_BUSY('another process has locked it for too long', { cause: error })
      }
      await delay(pause)
      currentWork()?.throwIfAborted()
    }
  }
}

/** SQLITE_BUSY and its extended codes (https://sqlite.org/rescode.html#busy). */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && ((error as { errcode?: number }).errcode ?? 0) % 256 === 5
}
