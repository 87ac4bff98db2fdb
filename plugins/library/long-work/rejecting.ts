import type { Awaitable } from '../../../kernel/index.ts'

/**
 * Calls a step of a list and turns a thrown error into a rejection. If it threw, the promises of earlier steps would
 * be left without a handler, and their rejections would end the process.
 */
export function rejecting<R>(step: () => Awaitable<R>): Awaitable<R> {
  try {
    return step()
  } catch (error) {
    return rejected(error)
  }
}

async function rejected(error: unknown): Promise<never> {
  throw error
}
