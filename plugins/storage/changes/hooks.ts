import { action, type Action, type HookSpecs } from '../../../kernel/index.ts'
import type { Change } from '../store/index.ts'

interface ChangesHooks {
  /**
   * Action: the changes of one committed transaction, from any writer: the REST API, a schedule, an import, a command,
   * another plugin. Not called for transactions that are rolled back. Runs for one transaction after the other, in the
   * process that made the change; the response may already have been sent. @since 0.1.0
   */
  content_changed: Action<[changes: readonly Change[]]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends ChangesHooks {}
}

export const changesHooks: HookSpecs<ChangesHooks> = { content_changed: action('changes') }
