import { definePlugin, syncFilter } from '../../../kernel/index.ts'
import './hooks.ts'
import { SitePermalinks, type Permalinks } from './permalinks.ts'

export type { LinkedPost, LinkedTerm, LinkedUser } from './linked.ts'
export type { Permalinks } from './permalinks.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /** The URLes of the site's pages. */
    permalinks: Permalinks
  }
}

/** The URLes of posts, pages, terms and users on the site, by the option `permalink`. */
export default definePlugin({
  name: 'permalinks',
  needs: ['store', 'settings', 'content-types', 'taxonomies'],
  hooks: {
    post_link: syncFilter('link', 'post'),
    page_link: syncFilter('link', 'post'),
    post_type_link: syncFilter('link', 'post'),
    attachment_link: syncFilter('link', 'post'),
    preview_post_link: syncFilter('link', 'post', 'user'),
    term_link: syncFilter('link', 'term'),
    author_link: syncFilter('link', 'user'),
  },
  apply(plugin) {
    plugin.provide('permalinks', new SitePermalinks(plugin))
  },
})
