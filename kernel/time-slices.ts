import { isThenable, type Awaitable } from './awaitable.ts'
import { currentWork } from './work.ts'

/** Milliseconds for which a turn of the event loop may go on with long work. */
const SLICE_MS = 10

/** When the long work of this turn of the event loop began; null where none has asked yet. */
let begun: number | null = null
/** Resumes those who wait for a turn, in their order. */
const waiting: (() => void)[] = []

/**
 * Lets other requests run, once this turn of the event loop has lasted for a slice: long work calls it between its
 * pieces. Several that wait get a turn each.
 * @returns undefined while there is time left; else a promise of the next turn
 * @throws (by the promise) the reason for which the request's work was aborted
 */
export function yieldToEventLoop(): Promise<void> | undefined {
  const now = performance.now()
  const work = currentWork()
  if (work?.aborted === true) return Promise.resolve().then(() => work.throwIfAborted())
  if (begun === null) {
    begun = now
    setImmediate(endTurn)
    return undefined
  }
  if (now - begun < SLICE_MS) return undefined
  return new Promise<void>((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(nextTurn)
  }).then(() => work?.throwIfAborted())
}

function endTurn(): void {
  begun = null
}

/** Resumes those who wait, one after the other, until the turn has lasted for a slice. */
function nextTurn(): void {
  begun = performance.now()
  resumeOne(begun)
}

function resumeOne(since: number): void {
  waiting.shift()?.()
  if (waiting.length === 0) return void setImmediate(endTurn)
  // Once the resumed work has ended or waits: ticks run when no promise has anything left to do.
  queueMicrotask(() => {
    process.nextTick(() => {
      if (performance.now() - since < SLICE_MS) resumeOne(since)
      else setImmediate(nextTurn)
    })
  })
}

/** Long work that may be interrupted where it yields, and its result. */
export type Steps<T> = Generator<void, T, undefined>

/**
 * Runs long work in slices, with other requests between them.
 * @returns the result as it is where there was no need to wait
 */
export function inSlices<T>(steps: Steps<T>): Awaitable<T> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    const turn = yieldToEventLoop()
    if (turn !== undefined) return rest(steps, turn)
  }
}

async function rest<T>(steps: Steps<T>, turn: Promise<void>): Promise<T> {
  await turn
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await yieldToEventLoop()
  }
}

/** Runs work in steps without a break. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Items that are mapped together, so that what they read comes from the same statements. */
const ITEMS_PER_BATCH = 64

/**
 * Maps items, in their order: a group of them together, with other requests between two groups.
 * @param most items of a group
 */
export async function mapInSlices<T, R>(
  items: readonly T[],
  make: (item: T, index: number) => Awaitable<R>,
  most = ITEMS_PER_BATCH,
): Promise<R[]> {
  const made: R[] = []
  for (let start = 0; start < items.length; start += most) {
    if (start > 0) await yieldToEventLoop()
    const some = items.slice(start, start + most).map((item, index) => make(item, start + index))
    for (const one of some.some(isThenable) ? await Promise.all(some) : (some as R[])) made.push(one)
  }
  return made
}
