import { Worker } from 'node:worker_threads'
import { runDetached } from '../../../kernel/index.ts'

/**
 * Starts a thread that outlives the request that needs it first.
 * @param program URL of its module
 * @param memoryLimit megabytes that it may use for JavaScript
 */
export function startThread(program: URL, memoryLimit: number, workerData?: unknown): Worker {
  // The program of a thread is a file, even if the program of the process is a text. Flags are not copied one by one: a
  // thread inherits the flags of V8, such as --max-old-space-size, but refuses to be given one.
  const isText = process.execArgv.some((flag) => flag.startsWith('--input-type'))
  const resourceLimits = { maxOldGenerationSizeMb: memoryLimit }
  return runDetached(() => new Worker(program, { workerData, resourceLimits, ...(isText && { execArgv: [] }) }))
}
