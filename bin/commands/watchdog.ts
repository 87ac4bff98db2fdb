import { url as debuggerUrl } from 'node:inspector'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { moduleUrl } from '../../plugins/library/long-work/index.ts'
import type { RequestsInProgress } from './requests-in-progress.ts'
import { BEAT_MS, BEATS, DEBUGGED, type WatchdogData } from './watchdog-report.ts'

const program = moduleUrl('./watchdog-thread', import.meta.url)
/** Heap limit of the thread. */
const MEMORY_LIMIT_MB = 32

/**
 * Starts a thread that reports when the main thread has not answered for 2 s, with the requests in progress. A blocked
 * thread cannot log that itself.
 * @param file descriptor of the pipe to the primary; null to log in this process
 */
export function startWatchdog(requests: RequestsInProgress, log: Logger, file: number | null): void {
  const clock = new SharedArrayBuffer(8)
  const numbers = new Int32Array(clock)
  const beat = () => {
    numbers[BEATS] = (numbers[BEATS]! + 1) | 0
    numbers[DEBUGGED] = debuggerUrl() === undefined ? 0 : 1
  }
  beat()
  setInterval(beat, BEAT_MS).unref()
  const workerData: WatchdogData = { clock, requests: requests.memory, file, level: log.level }
  const resourceLimits = { maxOldGenerationSizeMb: MEMORY_LIMIT_MB }
  const thread = new Worker(program, { workerData, resourceLimits, execArgv: [] })
  thread.unref()
  thread.on('error', (err) => log.error({ err }, 'the watchdog failed: a blocked server will not be detected'))
}
