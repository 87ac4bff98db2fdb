import { syncFilter, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'
import type { PostQuery } from '../posts/index.ts'
import type { TermQuery } from '../terms/index.ts'
import type { FormatQuery } from './format-search.ts'
import type { SearchHandler } from './handler.ts'

/** The hooks of the search. */
interface SearchHooks {
  /**
   * Filter: the search handlers, whenever routes are registered. If two handlers have the same type, the later one
   * wins; the first handler is the default for requests without a type. @since 0.1.0
   */
  svc_rest_search_handlers: SyncFilter<readonly SearchHandler[]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends SearchHooks {}
  interface ItemTypes {
    /** Query of a search in posts (`rest_post_search_query`). */
    post_search: { query: PostQuery }
    /** Query of a search in terms (`rest_term_search_query`). */
    term_search: { query: TermQuery }
    /** Query of a search in post formats (`rest_post_format_search_query`). */
    post_format_search: { query: FormatQuery }
  }
}

export const searchHooks: HookSpecs<SearchHooks> = {
  svc_rest_search_handlers: { ...syncFilter('handlers'), lasting: true },
}
