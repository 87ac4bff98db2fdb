import { action, type Action, type HookSpecs } from '../../../kernel/index.ts'
import type { Change } from '../store/index.ts'

/** The hooks of changes. */
interface ChangesHooks {
  /**
   * Action: what one transaction has changed, once it is committed and never for one that was taken back, whoever made it:
   * the REST API, a schedule, an import, a command, another plugin. Runs after the response may have been sent, one
   * transaction after the other, in the process that made the change. @since 0.1.0
   */
  content_changed: Action<[changes: readonly Change[]]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends ChangesHooks {}
}

export const changesHooks: HookSpecs<ChangesHooks> = { content_changed: action('changes') }
