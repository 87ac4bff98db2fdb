import { applySyncFilter, definePlugin } from '../../../kernel/index.ts'
import { declared } from '../../library/caching/index.ts'
import { SearchController } from './controller.ts'
import { errors } from './errors.ts'
import { FormatSearch } from './format-search.ts'
import type { SearchHandler } from './handler.ts'
import { searchHooks } from './hooks.ts'
import { PostSearch } from './post-search.ts'
import { TermSearch } from './term-search.ts'

export type { Found, FoundId, FoundItem, SearchHandler } from './handler.ts'
export type { FormatQuery } from './format-search.ts'

/** Searches posts, terms and post formats on one route; plugins can add, replace and remove types of objects. */
export default definePlugin({
  name: 'search',
  needs: ['resources', 'roles', 'content-types', 'taxonomies', 'terms', 'posts', 'permalinks', 'content-rendering'],
  hooks: searchHooks,
  apply(plugin) {
    const { hooks, since } = plugin
    // Earlier revisions search content only (specification 2.1).
    const added = since('5.6') ? [new TermSearch(plugin), new FormatSearch(plugin)] : []
    const own: readonly SearchHandler[] = [new PostSearch(plugin), ...added]

    // Runs late, so that types and taxonomies that other plugins register in the same hook are known.
    hooks.rest_api_init.tap({ name: 'search', stage: 100 }, (server) => {
      const handlers = applySyncFilter(hooks.svc_rest_search_handlers, own)
      checkParts(handlers)
      const all = handlers.map((handler) => (own.includes(handler) ? handler : withDependencies(handler)))
      new SearchController(plugin, new Map(all.map((handler) => [handler.type, handler]))).register(server)
    })
  },
})

const PARTS = ['type', 'subtypes', 'search', 'prepare', 'links'] as const satisfies readonly (keyof SearchHandler)[]

/** @throws SEARCH_HANDLERS_INVALID if the list is empty or a handler is incomplete */
function checkParts(handlers: readonly SearchHandler[]): void {
  if (handlers.length === 0) throw errors.SEARCH_HANDLERS_INVALID('the list is empty')
  for (const handler of handlers) {
    const missingParts = PARTS.filter((part) => typeof handler[part] !== (part === 'type' ? 'string' : 'function'))
    if (missingParts.length > 0)
      throw errors.SEARCH_HANDLERS_INVALID(`the handler ${handler.type} lacks ${missingParts.join(', ')}`)
  }
}

/** Wraps a handler of another plugin so that its `dependsOn` and `cache` apply to its responses. */
function withDependencies(handler: SearchHandler): SearchHandler {
  const of = <A extends unknown[], R>(callback: (...args: A) => R) =>
    declared(callback, `the search handler ${handler.type}`, handler, { name: 'a plugin', trusted: false })
  return {
    type: handler.type,
    subtypes: () => handler.subtypes(),
    search: of((request, subtypes) => handler.search(request, subtypes)),
    prepare: of((id, fields, request) => handler.prepare(id, fields, request)),
    links: of((id, request) => handler.links(id, request)),
  }
}
