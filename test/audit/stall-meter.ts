import { definePlugin, HeaderMap } from '../../kernel/index.ts'

/** Interval of the measurements. */
const INTERVAL_MS = 5
/** Path of the result. */
export const STALL_PATH = '/audit-stall'

/**
 * A plugin of the audited server that returns the longest time for which the event loop was blocked since the last request. It
 * measures processor time of the thread in milliseconds, so that the load of the machine does not matter.
 */
export default definePlugin({
  name: 'stall-meter',
  apply({ hooks, onRemove }) {
    let longestBlock = 0
    let last = usedMilliseconds()
    const timer = setInterval(() => {
      const now = usedMilliseconds()
      longestBlock = Math.max(longestBlock, now - last)
      last = now
    }, INTERVAL_MS).unref()
    onRemove(() => clearInterval(timer))
    hooks.site_request.tap('stall-meter', (page, { path }) => {
      if (path !== STALL_PATH) return page
      const body = String(Math.max(longestBlock, usedMilliseconds() - last))
      longestBlock = 0
      return { status: 200, headers: new HeaderMap({ 'Content-Type': 'text/plain' }), body }
    })
  },
})

function usedMilliseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
