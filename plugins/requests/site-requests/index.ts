import {
  definePlugin,
  filter,
  syncAction,
  type Filter,
  type HeaderMap,
  type HookSpecs,
  type PageFinder,
  type SitePage,
  type SyncAction,
} from '../../../kernel/index.ts'
import { SiteRequests } from './site-requests.ts'
import type { SiteRequest } from './site-request.ts'

export type { SiteRequest } from './site-request.ts'

/** Hooks of requests for URLs outside the REST API. */
interface SiteHooks {
  /** Filter: the response to a URL outside the REST API; null becomes a 404. @since 0.1.0 */
  site_request: Filter<SitePage | null, [request: SiteRequest], 'method'>
  /** Filter: a page of the site, or the 404 response, about to be sent; a tap can encode its body. @since 0.1.0 */
  site_page: Filter<SitePage, [request: SiteRequest], 'method'>
  /** Action: the headers of a page of the site are about to be sent and can still change. @since 0.1.0 */
  site_headers: SyncAction<[headers: HeaderMap, request: SiteRequest], 'method'>
}

const siteHooks: HookSpecs<SiteHooks> = {
  site_request: { ...filter('page', 'request'), about: { method: (_page, { method }) => method } },
  site_page: { ...filter('page', 'request'), about: { method: (_page, { method }) => method } },
  site_headers: { ...syncAction('headers', 'request'), about: { method: (_headers, { method }) => method } },
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /** Responds to URLs outside the REST API. Called by the kernel. */
    siteRequests: PageFinder
  }
  interface Hooks extends SiteHooks {}
}

/** Responds to URLs outside the REST API: plugins find pages and files by tapping `site_request`. */
export default definePlugin({
  name: 'site-requests',
  provides: ['siteRequests'],
  hooks: siteHooks,
  apply(context) {
    context.provide('siteRequests', new SiteRequests(context))
  },
})
