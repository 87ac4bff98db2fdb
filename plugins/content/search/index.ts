import { applySyncFilter, definePlugin, syncFilter, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'
import { SearchController } from './controller.ts'
import { errors } from './errors.ts'
import { FormatSearch } from './formats.ts'
import type { SearchHandler } from './handler.ts'
import { PostSearch } from './posts.ts'
import { TermSearch } from './terms.ts'

export type { Found, FoundId, FoundItem, SearchHandler } from './handler.ts'

/** The hooks of the search. */
interface SearchHooks {
  /**
   * Filter: who searches what, once for each time routes are registered. Of two handlers of one type the later one
   * counts; the first one answers a search that names no type. @since 0.1.0
   */
  svc_rest_search_handlers: SyncFilter<readonly SearchHandler[]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends SearchHooks {}
}

/** Searches content, terms and post formats on one route; plugins add kinds of objects and replace those there are. */
export default definePlugin({
  name: 'search',
  needs: ['roles', 'content-types', 'taxonomies', 'terms', 'posts', 'permalinks', 'rendering'],
  hooks: { svc_rest_search_handlers: syncFilter('handlers') } satisfies HookSpecs<SearchHooks>,
  apply(plugin) {
    const { hooks } = plugin
    const own: readonly SearchHandler[] = [new PostSearch(plugin), new TermSearch(plugin), new FormatSearch(plugin)]

    // Late, so that types and taxonomies that other plugins register in the same hook are known.
    hooks.rest_api_init.tap({ name: 'search', stage: 100 }, (server) => {
      const handlers = applySyncFilter(hooks.svc_rest_search_handlers, own)
      new SearchController(plugin, byType(handlers)).register(server)
    })
  },
})

const PARTS = ['type', 'subtypes', 'search', 'prepare', 'links'] as const satisfies readonly (keyof SearchHandler)[]

/** @throws SEARCH_HANDLERS_INVALID when there is none, or one lacks something */
function byType(handlers: readonly SearchHandler[]): ReadonlyMap<string, SearchHandler> {
  if (handlers.length === 0) throw errors.SEARCH_HANDLERS_INVALID('it is empty')
  for (const handler of handlers) {
    const lacks = PARTS.filter((part) => typeof handler[part] !== (part === 'type' ? 'string' : 'function'))
    if (lacks.length > 0) throw errors.SEARCH_HANDLERS_INVALID(`the handler ${handler.type} has no ${lacks.join(', ')}`)
  }
  return new Map(handlers.map((handler) => [handler.type, handler]))
}
