import { type Awaitable, currentWork } from '../../../kernel/index.ts'

/** Time for which long work can occupy one turn of the event loop. */
const SLICE_MS = 10

/** Time of the first `yieldToEventLoop` in this turn of the event loop (`performance.now()`); null before it. */
let sliceStart: number | null = null
/** Functions that resume waiting work, in order. */
const waiting: (() => void)[] = []

/**
 * Yields to other requests if this turn of the event loop has lasted for a time slice. Long work calls it between its
 * pieces. Waiting work resumes in order, one piece per turn.
 * @returns undefined while there is time left, otherwise a promise of the next turn
 * @throws (by the promise) the abort reason of the request
 */
export function yieldToEventLoop(): Promise<void> | undefined {
  const now = performance.now()
  const work = currentWork()
  if (work?.aborted === true) return Promise.resolve().then(() => work.throwIfAborted())
  if (sliceStart === null) {
    sliceStart = now
    setImmediate(nextTurn)
  }
  if (now - sliceStart < SLICE_MS) return undefined
  return new Promise<void>((resolve) => waiting.push(resolve)).then(() => work?.throwIfAborted())
}

function nextTurn(): void {
  sliceStart = waiting.length === 0 ? null : performance.now()
  if (sliceStart !== null) setImmediate(nextTurn)
  waiting.shift()?.()
}

/** A generator that does long work and returns the result. Other requests can run at each `yield`. */
export type Steps<T> = Generator<void, T, undefined>

/**
 * Runs long work in time slices, with other requests between them.
 * @returns the result, without a promise if it did not have to wait
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
