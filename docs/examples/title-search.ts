// Replaces the search: { "plugins": { "search": { "use": "./title-search.ts" } } }.
import { definePlugin, RestResponse } from 'svc-rest'

interface TitleSearchOptions {
  /** Maximum number of results. */
  most: number
}

/** Searches only the titles of published posts, on the route of the search that it replaces. */
export default definePlugin<TitleSearchOptions>({
  name: 'title-search',
  needs: ['posts', 'permalinks', 'content-rendering'],
  options: { most: { default: 10, type: 'integer', minimum: 1, maximum: 100 } },
  apply({ branding, hooks, services }, { most }) {
    const { posts, permalinks, contentRendering } = services
    hooks.rest_api_init.tap('title-search', (server) => {
      server.registerRoute(branding.namespace('v2'), '/search', {
        permission_callback: () => true,
        args: { search: { description: 'Text that the title must contain.', type: 'string', required: true } },
        callback: async (request) => {
          const text = String(request.get('search')).toLowerCase()
          const query = {
            types: ['post'],
            statuses: ['publish'],
            search: text,
            orderby: 'date',
            order: 'desc',
          } as const
          // Only posts that the user may read.
          const { items, total } = await posts.queryLean(posts.forUser({ ...query, limit: most }, request.user))
          const found = items.filter(({ title }) => title.toLowerCase().includes(text))
          const results = found.map(async (post) => ({
            id: post.id,
            title: await contentRendering.title(post),
            url: await permalinks.post(post, request.scope),
          }))
          return new RestResponse(await Promise.all(results), 200, { 'X-Searched': String(total) })
        },
      })
    })
  },
})
