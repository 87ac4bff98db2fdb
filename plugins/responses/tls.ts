import { currentWork, definePlugin, HeaderMap, type PluginContext, type SitePage } from '../../kernel/index.ts'
import type { SiteRequest } from '../requests/site-requests/index.ts'

export interface TlsOptions {
  /**
   * Whether the admin and the log-in are served over TLS only, for a home URL that begins with `http:`. Requests without
   * TLS are redirected if `trust_proxy` is set, and all URLs of the REST API are `https:`.
   */
  force_admin: boolean
}

/**
 * URLs of the REST API over TLS (specification 4.1, rule 2). They are `https:` if the request came over TLS for the host
 * of the home URL, or if the admin is forced to TLS. The home URL and all other URLs keep the scheme of the config.
 */
export default definePlugin<TlsOptions>({
  name: 'tls',
  needs: ['site-requests'],
  options: { force_admin: { default: false, type: 'boolean' } },
  apply(plugin, { force_admin: isForced }) {
    const { hooks, config } = plugin
    // Without a config key, the home URL begins with `http:`.
    if (config.home?.startsWith('https:') === true || !(isForced || config.trust_proxy)) return
    // Before taps of other plugins, which get the URL that clients see.
    hooks.rest_url.tap({ name: 'tls', stage: -900 }, (url) =>
      (isForced || currentWork()?.root.isTls === true) && url.startsWith('http:') ? `https:${url.slice(5)}` : url,
    )
    if (!isForced || !config.trust_proxy) return
    hooks.site_request.tap({ name: 'tls', stage: -100 }, (page, request) =>
      page === null && isOfAdmin(plugin, request.path) && !request.secure ? toTls(plugin, request) : page,
    )
  },
})

function isOfAdmin({ branding: { adminPath, loginPath, authorizePath } }: PluginContext, path: string): boolean {
  return `${path}/`.startsWith(adminPath) || path === loginPath || path === authorizePath
}

/** Redirects to the same URL over TLS. A submitted form is lost, because its data has already been sent unencrypted. */
function toTls({ urls }: PluginContext, { url }: SiteRequest): SitePage {
  const { host } = new URL(urls.home)
  return {
    status: 302,
    headers: new HeaderMap({ Location: `https://${host}${url}`, 'Cache-Control': 'no-store' }),
    body: '',
  }
}
