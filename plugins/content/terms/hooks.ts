import { action, type Action, type HookSpecs } from '../../../kernel/index.ts'
import type { Term } from './query.ts'

/** The hooks of terms of every taxonomy. */
interface TermHooks {
  /** Action: a term is about to be deleted, by any caller. Runs in the open transaction. @since 0.1.0 */
  before_delete_term: Action<[term: Term]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends TermHooks {}
}

export const termHooks: HookSpecs<TermHooks> = {
  before_delete_term: action('term'),
}
