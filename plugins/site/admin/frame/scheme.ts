import { trimEndSlashes, type PluginContext } from '../../../../kernel/index.ts'
import type { SiteRequest } from '../../../requests/site-requests/index.ts'
import { readCookie, writeCookie } from '../../../people/cookie-auth/index.ts'

/** Color schemes of the admin; `auto` follows the device. */
export const SCHEMES = ['auto', 'light', 'dark'] as const
export type Scheme = (typeof SCHEMES)[number]

const YEAR_SECONDS = 31_536_000

/** Returns the color scheme that the user has chosen in this browser. */
export function schemeOf(plugin: PluginContext, { headers }: SiteRequest): Scheme {
  const value = readCookie(headers, nameOf(plugin), plugin.urls)
  return SCHEMES.find((scheme) => scheme === value) ?? 'auto'
}

/** Returns the cookie that stores the color scheme in this browser. */
export function schemeCookie(plugin: PluginContext, { secure }: SiteRequest, scheme: Scheme): string {
  const path = trimEndSlashes(new URL(plugin.urls.site(plugin.branding.adminPath)).pathname)
  return writeCookie(nameOf(plugin), scheme, plugin.urls, { path, secure, sameSite: 'lax', maxAge: YEAR_SECONDS })
}

const nameOf = ({ branding }: PluginContext) => `${branding.word}_admin_scheme`
