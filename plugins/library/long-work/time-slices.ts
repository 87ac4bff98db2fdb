import { type Awaitable, currentWork } from '../../../kernel/index.ts'

/** Milliseconds for which a turn of the event loop may go on with long work. */
const SLICE_MS = 10

/** When the long work of this turn of the event loop began; null if none has yielded yet. */
let begun: number | null = null
/** Resumes work that waits for a turn, in its order. */
const waiting: (() => void)[] = []

/**
 * Lets other requests run, once this turn of the event loop has lasted for a slice: long work calls it between its
 * pieces. Work that waits resumes in its order, one piece of work in each turn.
 * @returns undefined while there is time left; else a promise of the next turn
 * @throws (by the promise) the reason for which the request's work was aborted
 */
export function yieldToEventLoop(): Promise<void> | undefined {
  const now = performance.now()
  const work = currentWork()
  if (work?.aborted === true) return Promise.resolve().then(() => work.throwIfAborted())
  if (begun === null) {
    begun = now
    setImmediate(nextTurn)
  }
  if (now - begun < SLICE_MS) return undefined
  return new Promise<void>((resolve) => waiting.push(resolve)).then(() => work?.throwIfAborted())
}

function nextTurn(): void {
  begun = waiting.length === 0 ? null : performance.now()
  if (begun !== null) setImmediate(nextTurn)
  waiting.shift()?.()
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
