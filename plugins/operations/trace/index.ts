import { definePlugin } from '../../../kernel/index.ts'

export interface TraceOptions {
  /**
   * Whether every request is traced: a page of the admin, a log line and `Server-Timing` tell which hooks fired, what each
   * tap changed, and which SQL it needed.
   */
  enabled: boolean
  /** Milliseconds that one tap may take before a warning names it; null asks no clock. */
  budget: number | null
}

/** Shows requests at work: hooks and taps in order, how long each took, what it changed, and its SQL. */
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
    // What a site does not ask for is not loaded.
    if (budget !== null) {
      const { watchSlowTaps } = await import('./slow-taps.ts')
      onRemove(watchSlowTaps(hooks, budget, log))
    }
    if (!enabled && !config.trace) return
    const { traceRequests } = await import('./trace-requests.ts')
    await traceRequests(plugin)
  },
})
