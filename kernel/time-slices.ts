import { isThenable, type Awaitable } from './awaitable.ts'
import { currentWork } from './work.ts'

/** Milliseconds that work may go on while others wait. */
const SLICE = 10

/** When the work began that is going on now, all of this turn of the event loop; null where none has asked yet. */
let begun: number | null = null
/** Who gave way and waits for a turn, the first first. */
const waiting: (() => void)[] = []

/**
 * Gives way to other requests, once this turn of the event loop has lasted for a slice: what may take longer asks between
 * its pieces. Several that wait get a turn each.
 * @returns undefined while there is time left; else a promise of the next turn
 * @throws (by the promise) the reason for which the request's work was aborted
 */
export function giveWay(): Promise<void> | undefined {
  const now = performance.now()
  const work = currentWork()
  if (work?.aborted === true) return Promise.resolve().then(() => work.throwIfAborted())
  if (begun === null) {
    begun = now
    setImmediate(endTurn)
    return undefined
  }
  if (now - begun < SLICE) return undefined
  return new Promise<void>((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(nextTurn)
  }).then(() => work?.throwIfAborted())
}

function endTurn(): void {
  begun = null
}

/** Lets those who wait go on, one after the other, until the turn has lasted for a slice. */
function nextTurn(): void {
  begun = performance.now()
  resumeOne(begun)
}

function resumeOne(since: number): void {
  waiting.shift()?.()
  if (waiting.length === 0) return void setImmediate(endTurn)
  // Once the one who goes on has come to an end or waits: ticks come when no promise has anything left to do.
  queueMicrotask(() => {
    process.nextTick(() => {
      if (performance.now() - since < SLICE) resumeOne(since)
      else setImmediate(nextTurn)
    })
  })
}

/** Work that may be interrupted where it yields, and its result. */
export type Steps<T> = Generator<void, T, undefined>

/**
 * Does work in steps and gives way between them where it takes longer than a slice.
 * @returns the result as it is where there was no need to wait
 */
export function inSlices<T>(steps: Steps<T>): Awaitable<T> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    const turn = giveWay()
    if (turn !== undefined) return rest(steps, turn)
  }
}

async function rest<T>(steps: Steps<T>, turn: Promise<void>): Promise<T> {
  await turn
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await giveWay()
  }
}

/** Does work in steps without giving way. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Items that are worked on together, so that what they read comes from the same statements. */
const TOGETHER = 64

/**
 * What is made of each item, in their order: a number of them together, then giving way before the next.
 * @param most items that are worked on together
 */
export async function eachInTurn<T, R>(
  items: readonly T[],
  make: (item: T, index: number) => Awaitable<R>,
  most = TOGETHER,
): Promise<R[]> {
  const made: R[] = []
  for (let start = 0; start < items.length; start += most) {
    if (start > 0) await giveWay()
    const some = items.slice(start, start + most).map((item, index) => make(item, start + index))
    for (const one of some.some(isThenable) ? await Promise.all(some) : (some as R[])) made.push(one)
  }
  return made
}
