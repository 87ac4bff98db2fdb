import { definePlugin, HeaderMap } from '../../kernel/index.ts'

/** Milliseconds between two looks at the clock. */
const PAUSE = 5
/** Where the server tells of it. */
export const STALL_PATH = '/audit-stall'

/**
 * A plugin of the audited server: tells for how long nobody else had a turn, at the most since it was last asked. It counts
 * milliseconds of the thread's own processor time, so that a busy machine makes no difference.
 */
export default definePlugin({
  name: 'stall-meter',
  apply({ hooks, onRemove }) {
    let longest = 0
    let last = usedMilliseconds()
    const timer = setInterval(() => {
      const now = usedMilliseconds()
      longest = Math.max(longest, now - last)
      last = now
    }, PAUSE).unref()
    onRemove(() => clearInterval(timer))
    hooks.site_request.tap('stall-meter', (page, { path }) => {
      if (path !== STALL_PATH) return page
      const body = String(Math.max(longest, usedMilliseconds() - last))
      longest = 0
      return { status: 200, headers: new HeaderMap({ 'Content-Type': 'text/plain' }), body }
    })
  },
})

function usedMilliseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
