import { syncFilter, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'
import type { PostQuery } from '../posts/index.ts'
import type { TermQuery } from '../terms/index.ts'
import type { FormatQuery } from './format-search.ts'
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
  interface ItemTypes {
    /** What a search asks of posts (`rest_post_search_query`). */
    post_search: { query: PostQuery }
    /** What a search asks of terms (`rest_term_search_query`). */
    term_search: { query: TermQuery }
    /** What a search asks of post formats (`rest_post_format_search_query`). */
    post_format_search: { query: FormatQuery }
  }
}

export const searchHooks: HookSpecs<SearchHooks> = {
  svc_rest_search_handlers: { ...syncFilter('handlers'), lasting: true },
}
