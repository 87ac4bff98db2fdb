// The thread that detects a blocked main thread. It loads as few modules as possible.
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { readRequests } from './requests-in-progress.ts'
import {
  BEATS,
  BEAT_MS,
  blockedSentence,
  DEBUGGED,
  seconds,
  type WatchdogData,
  type WatchdogReport,
} from './watchdog-report.ts'

/** Time without a beat after which the main thread counts as blocked. */
const BLOCKED_AFTER_MS = 2000
/**
 * Time between two checks that shows that this thread was late, too: the process was suspended, or the machine slept or
 * is overloaded. This time does not count as blocked.
 */
const LATE_MS = 1000
/** Codes of write errors when the primary is gone. */
const DISCONNECT_CODES: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET'])

const { clock, requests, file, level } = workerData as WatchdogData
const numbers = new Int32Array(clock)
let beats = -1
let checkedAt = performance.now()
/** Milliseconds since the last beat, without those in which the main thread can have been suspended. */
let silent = 0
/** The value of `silent` at the last report; 0 if there was no report since the last beat. */
let reported = 0

setInterval(() => {
  const now = performance.now()
  const passed = now - checkedAt
  checkedAt = now
  if (numbers[BEATS] !== beats) {
    beats = numbers[BEATS]!
    if (reported > 0) report({ type: 'answers', after: silent })
    silent = reported = 0
  } else silent = passed > LATE_MS || numbers[DEBUGGED] === 1 ? reported : silent + passed
  if (silent - reported < BLOCKED_AFTER_MS) return
  // Repeated every 2 s for a primary, which ignores reports right after it was suspended.
  if (file !== null || reported === 0) report({ type: 'blocked', after: silent, requests: readRequests(requests) })
  reported = silent
}, BEAT_MS)

function report(found: WatchdogReport): void {
  if (file === null) return void log(found)
  try {
    writeSync(file, `${JSON.stringify(found)}\n`)
  } catch (error) {
    if (!DISCONNECT_CODES.has((error as NodeJS.ErrnoException).code)) throw error
    // The primary is gone and cannot kill a blocked worker, which may hold a lock of the database.
    if (found.type === 'blocked') process.kill(process.pid, 'SIGKILL')
  }
}

/** Logs a report in a process that has no primary. Loads the logger on the first report. */
async function log(found: WatchdogReport): Promise<void> {
  const [{ createLog }, { pino }] = await Promise.all([import('../config/log.ts'), import('pino')])
  const lines = createLog(level, pino.destination({ dest: 2, sync: true }))
  if (found.type === 'blocked') lines.error({ requests: found.requests }, blockedSentence('The server', found))
  else lines.warn(`The server answers again after ${seconds(found.after)} s.`)
}
