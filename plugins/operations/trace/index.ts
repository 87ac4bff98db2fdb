import { definePlugin } from '../../../kernel/index.ts'

export interface TraceOptions {
  /**
   * Whether to trace every request: a page of the admin, a log line and the header `Server-Timing` show which hooks
   * fired, what each tap changed, and its SQL.
   */
  enabled: boolean
  /** Milliseconds that one tap may take before a warning is logged; null disables the check. */
  budget: number | null
}

/** Shows how requests are processed: hooks and taps in order, with durations, changes and SQL statements. */
export default definePlugin<TraceOptions>({
  name: 'trace',
  needs: ['site-requests'],
  uses: ['login', 'roles'],
  options: {
    enabled: { default: false, type: 'boolean' },
    budget: { default: null, type: ['number', 'null'], minimum: 0 },
  },
  async apply(plugin, { enabled, budget }) {
    const { hooks, log, config, onRemove } = plugin
    // Disabled parts are not loaded.
    if (budget !== null) {
      const { watchSlowTaps } = await import('./slow-taps.ts')
      onRemove(watchSlowTaps(hooks, budget, log))
    }
    if (!enabled && !config.trace) return
    const { traceRequests } = await import('./trace-requests.ts')
    await traceRequests(plugin)
  },
})
