import { syncFilter, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'
import type { SearchHandler } from './handler.ts'

/** The hooks of the search. */
interface SearchHooks {
  /**
   * Filter: the handlers of the search, each time routes are registered. Of two handlers of one type the later one wins; the
   * first handler serves a search without a type. @since 0.1.0
   */
  svc_rest_search_handlers: SyncFilter<readonly SearchHandler[]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends SearchHooks {}
}

export const searchHooks: HookSpecs<SearchHooks> = {
  svc_rest_search_handlers: { ...syncFilter('handlers'), lasting: true },
}
