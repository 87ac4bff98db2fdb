// Adds a type to the search: GET /svc/v2/search?type=place&search=bridge.
import { definePlugin } from 'svc-rest'

const PLACES = ['The old bridge', 'The mill', 'The new bridge']

/** Finds places, which are not stored as content of the site. */
export default definePlugin({
  name: 'places-search',
  needs: ['search'],
  apply({ hooks, urls }) {
    hooks.svc_rest_search_handlers.tap('places-search', (handlers) => [
      ...handlers,
      {
        type: 'place',
        subtypes: () => [],
        search: (request) => {
          const text = (request.get('search') as string | undefined)?.toLowerCase() ?? ''
          const size = Number(request.get('per_page'))
          const offset = (Number(request.get('page')) - 1) * size
          const ids = [...PLACES.keys()].filter((id) => PLACES[id]!.toLowerCase().includes(text))
          return { ids: ids.slice(offset, offset + size), total: ids.length }
        },
        prepare: (id) => ({ id, title: PLACES[Number(id)]!, url: urls.site(`/places/${id}/`), type: 'place' }),
        links: () => ({}),
      },
    ])
  },
})
