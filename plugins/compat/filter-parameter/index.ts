import { definePlugin } from '../../public.ts'
import { switchedOn } from '../switched-on.ts'
import { FilteredQueries } from './filtered-queries.ts'

/** Options of the parameter `filter`. */
export interface FilterParameterOptions {
  /** Maximum posts of a page, also for `filter[posts_per_page]=-1`, which asks for all posts. */
  max_posts: number
}

/** Filters lists of posts by the query variables of WordPress in the parameter `filter`, for older front ends. */
export default definePlugin<FilterParameterOptions>({
  name: 'filter-parameter',
  description: 'Parameter filter of older front ends, such as filter[category_name]=news.',
  needs: ['store', 'posts', 'terms', 'taxonomies', 'content-types', 'users', 'meta'],
  startsIf: switchedOn('filter-parameter'),
  options: { max_posts: { default: 500, type: 'integer', minimum: 1 } },
  apply(plugin, options) {
    const { hooks, services } = plugin
    const queries = new FilteredQueries(services, options.max_posts)
    hooks.rest_api_init.tap('filter-parameter', () => {
      for (const type of services.contentTypes.all()) {
        if (!type.show_in_rest) continue
        hooks.rest_query
          .for(type.name)
          .tapPromise('filter-parameter', async (query, request) => queries.filtered(query, type, request))
      }
    })
  },
})
