import type { Logger } from 'pino'
import { tracing, type Hooks, type TapSpan } from '../../../kernel/index.ts'
import { isOver, listenTo } from './listen-to.ts'
import { round } from './recorder.ts'

/**
 * Warns of the taps of a site that were slow, and of those that still wait when their time is up.
 * @param budget milliseconds
 * @returns ends it
 */
export function watchSlowTaps(site: Hooks, budget: number, log: Logger): () => void {
  const started = new WeakMap<TapSpan, number>()
  const timers = new Map<TapSpan, NodeJS.Timeout>()
  const waits = (span: unknown) => {
    const { site: of, hook, plugin, tap } = span as TapSpan
    if (of !== site || isOver(span as TapSpan)) return
    const overdue = () => log.warn({ hook, plugin, tap, budget }, `${plugin} is not through with ${hook}`)
    timers.set(span as TapSpan, setTimeout(overdue, budget).unref())
  }
  const stop = listenTo(
    tracing.tap,
    (span) => {
      if (span.site === site) started.set(span, performance.now())
    },
    (span) => {
      const from = started.get(span)
      if (from === undefined) return
      clearTimeout(timers.get(span))
      timers.delete(span)
      const { hook, plugin, tap } = span
      const ms = round(performance.now() - from)
      if (ms > budget) log.warn({ hook, tap, plugin, ms, budget }, `${plugin} is slow in ${hook}`)
    },
  )
  tracing.tap.end.subscribe(waits)
  return () => {
    stop()
    tracing.tap.end.unsubscribe(waits)
    for (const timer of timers.values()) clearTimeout(timer)
  }
}
