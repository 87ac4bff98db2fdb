import type { SyncFilter } from '../../../kernel/index.ts'
import type { SearchHandler } from './handler.ts'

declare module '../../../kernel/index.ts' {
  interface Hooks {
    /**
     * Filter: the handlers of the search, each time routes are registered. Of two handlers of one type the later one wins;
     * the first handler answers a search without a type. @since 0.1.0
     */
    svc_rest_search_handlers: SyncFilter<readonly SearchHandler[]>
  }
}
