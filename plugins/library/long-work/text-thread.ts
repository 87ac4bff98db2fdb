import type { Worker } from 'node:worker_threads'
import { type Awaitable, currentWork, errors, runDetached } from '../../../kernel/index.ts'
import { Semaphore } from './semaphore.ts'
import { moduleUrl } from './module-url.ts'
import { startThread } from './start-thread.ts'
import type { TextCall, TextResult } from './text-thread-program.ts'

/** Characters up to which a function runs on the main thread, where it takes less time than a call of a thread. */
export const MAX_CHARACTERS_ON_MAIN_THREAD = 50_000
/** Time limit of a call, after which its thread is terminated. */
const TIME_LIMIT_MS = 10_000
/** Idle time after which the thread ends. It takes about 10 MB. */
const IDLE_TIME_MS = 30_000
/** Calls that can wait for the thread. */
const MAX_WAITING = 20
/** Megabytes of the thread's JavaScript heap. A call that needs more fails with 503. */
const MEMORY_LIMIT_MB = 256
const RETRY_AFTER_SECONDS = 5

const program = moduleUrl('./text-thread-program', import.meta.url)

const unavailable = (cause?: unknown) => errors.rest_unavailable({ data: { retry_after: RETRY_AFTER_SECONDS }, cause })
const places = new Semaphore(1, MAX_WAITING, () => unavailable())
/** The thread of this process; null if it does not run. */
let thread: Worker | null = null
let idleTimer: NodeJS.Timeout | undefined

/** Location of a function and its time limit in the thread. */
export interface TextFunctionOptions {
  /** URL of the module that calls: its `import.meta.url`. */
  importer: string
  /** Module that exports the function under its own name, relative to the importer and without extension: `./changes`. */
  module: string
  /** Time limit of a call in the thread in milliseconds; 10,000 by default. */
  timeLimit?: number
}

/**
 * Returns a pure function of texts that does not block other requests: it runs synchronously if its arguments have up
 * to 50,000 characters together, otherwise in a thread, of which a process has one. The thread starts with the first
 * call and ends after 30 seconds without one. The module should import little, because the thread loads all of it.
 * @param run the function; its arguments and its result must be plain data
 * @param options location of the function
 * @returns a function with the same parameters, which returns a promise for long texts. The promise rejects with the
 * error of the function, with the abort reason of the request, or with `rest_unavailable` (503 with `Retry-After`) if
 * 20 calls are waiting or the call exceeds its time or memory
 */
export function offThread<A extends readonly unknown[], R>(
  run: (...args: A) => R,
  options: TextFunctionOptions,
): (...args: A) => Awaitable<R> {
  const { importer, module, timeLimit = TIME_LIMIT_MS } = options
  const url = moduleUrl(module, importer).href
  return (...args) => {
    if (charactersIn(args) <= MAX_CHARACTERS_ON_MAIN_THREAD) return run(...args)
    return callInThread({ module: url, name: run.name, args }, timeLimit) as Promise<R>
  }
}

/** Ends the thread unless a call is running. For the end of a server; the next call starts another thread. */
export async function endIdleTextThread(): Promise<void> {
  if (!places.idle) return
  clearTimeout(idleTimer)
  if (thread !== null) await end(thread)
}

/** Counts the characters of all texts in lists and objects of any depth. */
function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, one) => sum + charactersIn(one), 0)
}

function callInThread(call: TextCall, timeLimit: number): Promise<unknown> {
  const signal = currentWork()?.signal
  return places.run(() => execute(call, timeLimit, signal), { signal })
}

async function execute({ name, ...call }: TextCall, timeLimit: number, signal?: AbortSignal): Promise<unknown> {
  clearTimeout(idleTimer)
  const worker = (thread ??= startTextThread())
  const { promise, resolve, reject } = Promise.withResolvers<TextResult>()
  const late = () => reject(unavailable(new Error(`${name}() exceeded ${timeLimit} ms in the thread for long texts.`)))
  const failed = (error: unknown) => reject(unavailable(error))
  const abort = () => reject(signal!.reason as Error)
  const timer = setTimeout(late, timeLimit)
  worker.once('message', resolve)
  worker.once('error', failed)
  signal?.addEventListener('abort', abort)
  // Keeps the process alive for the result, but not for an idle thread.
  worker.ref()
  try {
    worker.postMessage({ name, ...call })
    const result = await promise.catch(async (error: unknown) => {
      // The result of the thread is no longer needed.
      await end(worker)
      throw error
    })
    if ('error' in result) throw result.error
    return result.value
  } finally {
    clearTimeout(timer)
    worker.off('message', resolve)
    worker.off('error', failed)
    signal?.removeEventListener('abort', abort)
    worker.unref()
    idleTimer = runDetached(() => setTimeout(() => void endIdleTextThread(), IDLE_TIME_MS).unref())
  }
}

function startTextThread(): Worker {
  const worker = startThread(program, MEMORY_LIMIT_MB)
  // An error outside of a call, such as an out-of-memory error, only ends the thread.
  worker.on('error', () => {
    if (thread === worker) thread = null
  })
  return worker
}

async function end(worker: Worker): Promise<void> {
  if (thread === worker) thread = null
  await worker.terminate()
}
