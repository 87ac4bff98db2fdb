import type { RequestInProgress } from './requests-in-progress.ts'

/** Interval of the beats of the main thread, and of the checks of the watchdog. */
export const BEAT_MS = 250
/** Indexes into the clock: the number of beats of the main thread, and 1 if a debugger can suspend it. */
export const [BEATS, DEBUGGED] = [0, 1]

/** The `workerData` of the watchdog's thread. */
export interface WatchdogData {
  /** Two numbers: `BEATS` and `DEBUGGED`. */
  readonly clock: SharedArrayBuffer
  /** Memory of the `RequestsInProgress` of the site. */
  readonly requests: SharedArrayBuffer
  /** File descriptor of the pipe to the primary; null in a process without one, where the thread logs itself. */
  readonly file: number | null
  /** Level of the log. */
  readonly level: string
}

/** A report of a watchdog, sent as a line of JSON. */
export type WatchdogReport =
  /** The main thread has not answered for `after` milliseconds; the requests in progress, latest first. */
  | { readonly type: 'blocked'; readonly after: number; readonly requests: readonly RequestInProgress[] }
  /** The main thread answers again, after `after` milliseconds. */
  | { readonly type: 'answers'; readonly after: number }

/** Parses a line of a watchdog. @returns null for a line that is not a report: plugins can write to the same pipe */
export function parseReport(line: string): WatchdogReport | null {
  try {
    const report = JSON.parse(line) as Record<string, unknown>
    const isBlocked = report['type'] === 'blocked' && Array.isArray(report['requests'])
    const isReport = Number.isFinite(report['after']) && (isBlocked || report['type'] === 'answers')
    return isReport ? (report as unknown as WatchdogReport) : null
  } catch {
    return null
  }
}

/** Returns the log message for a blocked report. @param subject such as "Worker 1" */
export function blockedSentence(
  subject: string,
  { after, requests }: Extract<WatchdogReport, { type: 'blocked' }>,
): string {
  const [latest] = requests
  const others = requests.length > 1 ? ` and ${requests.length - 1} more` : ''
  const doing =
    latest === undefined ? 'while no request was in progress' : `while it handled ${inWords(latest)}${others}`
  return `${subject} has not answered for ${seconds(after)} s ${doing}.`
}

function inWords({ request, route, user }: RequestInProgress): string {
  const of = user === null ? '' : user === 'visitor' ? ' of a visitor' : ` of user ${user}`
  return `${request}${route === null ? '' : ` (route ${route})`}${of}`
}

/** Converts milliseconds to whole seconds. */
export const seconds = (ms: number) => Math.round(ms / 1000)
