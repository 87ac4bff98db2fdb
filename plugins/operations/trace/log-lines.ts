import { cut, type Change } from './changes.ts'
import { round } from './recorder.ts'
import type { Step, TracedRequest } from './record.ts'

/** One tap's part in a request, as the log has it. */
interface LoggedStep {
  hook: string
  tap: string
  plugin: string
  /** Milliseconds until it had settled. */
  ms: number
  /** What it changed of the value that passes, as `path: before → after`; absent where nothing changed. */
  changed?: string[]
  failed?: string
}

/** Characters of a value. */
const MOST_TEXT = 200

/** The log line of a request: its taps, in the order in which they began. */
export function lineOf({ id, route, path, steps }: TracedRequest): Record<string, unknown> {
  const about = path === null ? { route } : { path }
  return { request: id, ...about, steps: tapsAmong(steps).map(logged) }
}

/** The header that browsers' tools show: each hook with the time of its taps. */
export function serverTiming(steps: readonly Step[]): string {
  const byHook = new Map<string, number>()
  for (const { hook = '', ms } of tapsAmong(steps)) byHook.set(hook, (byHook.get(hook) ?? 0) + (ms ?? 0))
  return [...byHook].map(([hook, ms]) => `${hook.replace(/[^\w.-]/g, '_')};dur=${round(ms)}`).join(', ')
}

function tapsAmong(steps: readonly Step[]): Step[] {
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
  return text === null ? 'nothing' : cut(text, MOST_TEXT)
}
