import { definePlugin } from '../../../kernel/index.ts'
import { VISIBLE_TO_ALL } from '../../storage/changes/index.ts'
import { permalinkHooks } from './hooks.ts'
import { SitePermalinks, type Permalinks } from './permalinks.ts'

export type { FoundPage, FoundPost, FoundSubject, FoundTerm, FoundUser } from './found-page.ts'
export type { FrontPages, UrlResolution } from './hooks.ts'
export type { LinkedPost, LinkedSubject, LinkedTerm, LinkedUser } from './linked.ts'
export type { Permalinks, ArchivedType } from './permalinks.ts'
export { matchStructure } from './match-structure.ts'
export { namesIn } from './post-finder.ts'
export { CHOSEN_ARCHIVE, NO_TERM, siteUrl, type SiteUrl } from './site-url.ts'
export type { Structure } from './structure.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * The URLs of the site's pages.
     * @example
     * const url = await services.permalinks.post(post, request.scope)
     */
    permalinks: Permalinks
  }
}

/** Builds and resolves the URLs of posts, pages, terms and users, by the option `permalink`. */
export default definePlugin({
  name: 'permalinks',
  needs: ['store', 'settings', 'content-types', 'taxonomies'],
  after: ['changes'],
  uses: ['posts', 'terms', 'users'],
  provides: ['permalinks'],
  hooks: permalinkHooks,
  apply(plugin) {
    plugin.provide('permalinks', new SitePermalinks(plugin))
    if (!plugin.has('changes')) return
    for (const name of ['category_base', 'tag_base'])
      plugin.services.changeReaders.set(`option:${name}`, VISIBLE_TO_ALL)
  },
})
