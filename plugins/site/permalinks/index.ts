import { definePlugin } from '../../../kernel/index.ts'
import { permalinkHooks } from './hooks.ts'
import { SitePermalinks, type Permalinks } from './permalinks.ts'

export type { LinkedPost, LinkedTerm, LinkedUser, Permalinks } from './permalinks.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /** The addresses of the site's pages. */
    permalinks: Permalinks
  }
}

/** The addresses of posts, pages, terms and people on the site, by the option `permalink`. */
export default definePlugin({
  name: 'permalinks',
  needs: ['store', 'settings', 'content-types', 'taxonomies'],
  hooks: permalinkHooks,
  apply(plugin) {
    plugin.provide('permalinks', new SitePermalinks(plugin))
  },
})
