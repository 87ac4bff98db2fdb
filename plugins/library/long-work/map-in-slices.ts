import { isThenable, type Awaitable } from '../../../kernel/index.ts'
import { rejecting } from './rejecting.ts'
import { yieldToEventLoop, type Steps } from './time-slices.ts'

/** Runs all steps without yielding to the event loop. @returns their result */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Items that are mapped concurrently, so that their reads are batched. */
const ITEMS_PER_BATCH = 64

/**
 * Maps items in order: the items of a group concurrently, with other requests between two groups.
 * @param batchSize items per group
 */
export async function mapInSlices<T, R>(
  items: readonly T[],
  make: (item: T, index: number) => Awaitable<R>,
  batchSize = ITEMS_PER_BATCH,
): Promise<R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += batchSize) {
    if (start > 0) await yieldToEventLoop()
    const some = items.slice(start, start + batchSize).map((item, index) => rejecting(() => make(item, start + index)))
    for (const one of some.some(isThenable) ? await Promise.all(some) : (some as R[])) results.push(one)
  }
  return results
}
