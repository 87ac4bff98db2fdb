import type { RequestInProgress } from './requests-in-progress.ts'

/** Milliseconds between two beats of the main thread, and between two looks of the watchdog. */
export const BEAT_MS = 250
/** What the numbers of a clock are: how often the main thread has beaten, and 1 if a debugger may suspend it. */
export const [BEATS, DEBUGGED] = [0, 1]

/** What the thread of a watchdog gets. */
export interface WatchdogData {
  /** Two numbers: `BEATS` and `DEBUGGED`. */
  readonly clock: SharedArrayBuffer
  /** Memory of the `RequestsInProgress` of the site. */
  readonly requests: SharedArrayBuffer
  /** File descriptor that leads to the primary; null in a process without one, where the thread logs. */
  readonly file: number | null
  /** Level of the log. */
  readonly level: string
}

/** What a watchdog reports, as a line of JSON. */
export type WatchdogReport =
  /** The main thread has not answered for so many milliseconds; the requests in progress, the latest first. */
  | { readonly type: 'blocked'; readonly after: number; readonly requests: readonly RequestInProgress[] }
  /** It answers again, after so many milliseconds. */
  | { readonly type: 'answers'; readonly after: number }

/** Reads a line that a watchdog has sent. @returns null for a line that is not a report: plugins can write to the same pipe */
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

/** What has not answered, as the message of a log line. @param subject such as "Worker 1" */
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

/** Milliseconds as whole seconds. */
export const seconds = (ms: number) => Math.round(ms / 1000)
