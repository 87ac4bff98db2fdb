import { Worker } from 'node:worker_threads'
import { runDetached } from '../../../kernel/index.ts'

/**
 * Starts a thread that outlives the request that first needs it.
 * @param program URL of its module
 * @param memoryLimit megabytes of its JavaScript heap
 */
export function startThread(program: URL, memoryLimit: number, workerData?: unknown): Worker {
  // The module of a thread is a file even if the process runs inline code (`--input-type`). Flags are not copied: a
  // thread inherits V8 flags such as --max-old-space-size, but refuses them as arguments.
  const isText = process.execArgv.some((flag) => flag.startsWith('--input-type'))
  const resourceLimits = { maxOldGenerationSizeMb: memoryLimit }
  return runDetached(() => new Worker(program, { workerData, resourceLimits, ...(isText && { execArgv: [] }) }))
}
