import type { Logger } from 'pino'
import { tracing, type Hooks, type TapSpan } from '../../../kernel/index.ts'
import { isOver, listenTo } from './listen-to.ts'
import { round } from './recorder.ts'

/**
 * Logs a warning for each slow tap, and for each tap still running when its budget is exceeded.
 * @param budget milliseconds
 * @returns a function that stops it
 */
export function watchSlowTaps(site: Hooks, budget: number, log: Logger): () => void {
  const started = new WeakMap<TapSpan, number>()
  const timers = new Map<TapSpan, NodeJS.Timeout>()
  const waits = (span: unknown) => {
    const { site: of, hook, plugin, tap } = span as TapSpan
    if (of !== site || isOver(span as TapSpan)) return
    const warn = () => log.warn({ hook, plugin, tap, budget }, `${plugin} is still running in ${hook}`)
    timers.set(span as TapSpan, setTimeout(warn, budget).unref())
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
