import { truncate, type Change } from './changes.ts'
import { round } from './recorder.ts'
import type { Step, TracedRequest } from './record.ts'

/** One tap of a request in the log. */
interface LoggedStep {
  hook: string
  tap: string
  plugin: string
  /** Milliseconds until the tap settled. */
  ms: number
  /** Changes as `path: before → after`; absent if the tap changed nothing. */
  changed?: string[]
  failed?: string
}

/** Characters of a value. */
const MAX_VALUE_LENGTH = 200

/** The log line of a request: its taps, in the order of their starts. */
export function lineOf({ id, route, path, steps }: TracedRequest): Record<string, unknown> {
  const about = path === null ? { route } : { path }
  return { request: id, ...about, steps: filterTaps(steps).map(logged) }
}

/** The `Server-Timing` header: the total time of the taps of each hook. */
export function serverTiming(steps: readonly Step[]): string {
  const byHook = new Map<string, number>()
  for (const { hook = '', ms } of filterTaps(steps)) byHook.set(hook, (byHook.get(hook) ?? 0) + (ms ?? 0))
  return [...byHook].map(([hook, ms]) => `${hook.replace(/[^\w.-]/g, '_')};dur=${round(ms)}`).join(', ')
}

function filterTaps(steps: readonly Step[]): Step[] {
  return steps.filter(({ kind }) => kind === 'tap')
}

function logged({ hook = '', name: tap, plugin, ms, changed = [], unlisted = 0, failed }: Step): LoggedStep {
  const lines = changed.map(({ path, before, after }: Change) => `${path}: ${short(before)} → ${short(after)}`)
  if (unlisted > 0) lines.push(`and ${unlisted} more`)
  return {
    hook,
    tap,
    plugin: plugin ?? '',
    ms: ms ?? 0,
    ...(lines.length > 0 && { changed: lines }),
    ...(failed !== undefined && { failed }),
  }
}

function short(text: string | null): string {
  return text === null ? 'nothing' : truncate(text, MAX_VALUE_LENGTH)
}
