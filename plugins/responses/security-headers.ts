import { isIP } from 'node:net'
import { definePlugin, type HeaderMap } from '../../kernel/index.ts'

export interface SecurityHeadersOptions {
  /**
   * Seconds for which browsers use only TLS for the site, sent as `Strict-Transport-Security` if the home URL is
   * `https:` and its host is neither `localhost` nor an IP address. 0 makes browsers forget it.
   */
  hsts_max_age: number
  /** Whether `Strict-Transport-Security` includes all subdomains of the host. */
  hsts_subdomains: boolean
  /**
   * Value of `Permissions-Policy` for pages: features that neither a page nor its frames can use. Empty to omit the
   * header.
   */
  permissions_policy: string
}

/** Features that pages of a content site do not need, and that embedded pages must not ask visitors for. */
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
      // Also sent over plain HTTP, where browsers ignore it: a proxy on this machine can terminate TLS.
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
 * Returns whether the host of a URL is a name other than `localhost`. Browsers apply the header to all ports of a host,
 * so on `localhost` it would block other sites in development; for IP addresses they ignore it (RFC 6797, 8.1.1).
 */
function isPublicName(url: string): boolean {
  const host = new URL(url).hostname.replace(/\.$/, '')
  return !/(?:^|\.)localhost$/.test(host) && isIP(host.replace(/^\[(.*)\]$/, '$1')) === 0
}
