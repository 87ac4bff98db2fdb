import { definePlugin, type ConditionalRequests } from '../../../kernel/index.ts'
import { tagResponse } from './etag.ts'
import { runIfConditionsHold } from './preconditions.ts'

export { etagIn, etagOf, includesEtag, variantEtag, versionOf } from './etag.ts'
export { pendingGuard } from './write-guard.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /** Entity tags of responses and preconditions of writes (RFC 9110, 8.8.3 and 13.1). */
    conditional: ConditionalRequests
  }
}

/**
 * Sets the entity tag of each response to a read, and refuses writes whose `If-Match`, `If-None-Match` or
 * `If-Unmodified-Since` precondition fails.
 */
export default definePlugin({
  name: 'conditional',
  provides: ['conditional'],
  apply({ provide }) {
    provide('conditional', { run: runIfConditionsHold, tag: tagResponse })
  },
})
