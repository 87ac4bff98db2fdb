import { isIP } from 'node:net'
import { definePlugin, type HeaderMap } from '../../kernel/index.ts'

export interface SecurityHeadersOptions {
  /**
   * Seconds for which browsers load the site over TLS only, sent as `Strict-Transport-Security` if the home URL is `https:`
   * and its host is neither `localhost` nor an IP address. 0 makes browsers forget it.
   */
  hsts_max_age: number
  /** Whether that includes all subdomains of the host. */
  hsts_subdomains: boolean
  /** The header `Permissions-Policy` of pages: features that neither a page nor its frames may use. Empty to leave it out. */
  permissions_policy: string
}

/** Features that no page of a content site needs, and that embedded pages must not ask visitors for. */
const DENIED = [
  'camera',
  'display-capture',
  'geolocation',
  'hid',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
  'xr-spatial-tracking',
]

/** Headers by which browsers limit what responses and pages can do, in addition to the policies of each page. */
export default definePlugin<SecurityHeadersOptions>({
  name: 'security-headers',
  needs: ['site-requests'],
  after: ['rest-headers'],
  options: {
    hsts_max_age: { default: 31_536_000, type: 'integer', minimum: 0 },
    hsts_subdomains: { default: false, type: 'boolean' },
    permissions_policy: { default: DENIED.map((name) => `${name}=()`).join(', '), type: 'string' },
  },
  apply({ hooks, urls }, { hsts_max_age, hsts_subdomains, permissions_policy }) {
    const hsts = `max-age=${hsts_max_age}${hsts_subdomains ? '; includeSubDomains' : ''}`
    const requireTls = (headers: HeaderMap) => {
      // Browsers ignore the header over plain HTTP, and a proxy on this machine may send both.
      if (urls.isSecure && isPublicName(urls.home) && !headers.has('Strict-Transport-Security'))
        headers.set('Strict-Transport-Security', hsts)
    }
    hooks.rest_pre_serve_request.tap('security-headers', (served, { response: { headers } }) => {
      requireTls(headers)
      return served
    })
    hooks.site_headers.tap('security-headers', (headers) => {
      requireTls(headers)
      const isPage = headers.get('Content-Type')?.startsWith('text/html') === true
      if (isPage && permissions_policy !== '' && !headers.has('Permissions-Policy'))
        headers.set('Permissions-Policy', permissions_policy)
    })
  },
})

/**
 * Whether the host of a URL is a name other than `localhost`. Browsers apply the header to all ports of a host, so on
 * `localhost` it would block other sites in development; for IP addresses they ignore it (RFC 6797, 8.1.1).
 */
function isPublicName(url: string): boolean {
  const host = new URL(url).hostname.replace(/\.$/, '')
  return !/(?:^|\.)localhost$/.test(host) && isIP(host.replace(/^\[(.*)\]$/, '$1')) === 0
}
