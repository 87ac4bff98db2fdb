import { trimEndSlashes, type PluginContext } from '../../../../kernel/index.ts'
import type { SiteRequest } from '../../../requests/site-requests/index.ts'
import { readCookie, writeCookie } from '../../../people/cookie-auth/index.ts'

const YEAR_SECONDS = 31_536_000
const PREFERENCE = { maxAge: YEAR_SECONDS, sameSite: 'lax' } as const

/** Returns the value of a cookie of the admin, or null. */
export function readAdminCookie(plugin: PluginContext, { headers }: SiteRequest, name: string): string | null {
  return readCookie(headers, cookieName(plugin, name), plugin.urls)
}

/**
 * Returns a cookie for the pages of the admin. By default it lasts a year, for preferences of the user in this browser.
 * @param lifetime `maxAge` in seconds; 0 deletes the cookie
 */
export function writeAdminCookie(
  plugin: PluginContext,
  { secure }: SiteRequest,
  { name, value }: { readonly name: string; readonly value: string },
  lifetime: { readonly maxAge: number; readonly sameSite: 'lax' | 'strict' } = PREFERENCE,
): string {
  const path = trimEndSlashes(new URL(plugin.urls.site(plugin.branding.adminPath)).pathname)
  return writeCookie(cookieName(plugin, name), value, plugin.urls, { path, secure, ...lifetime })
}

const cookieName = ({ branding }: PluginContext, name: string) => `${branding.word}_admin_${name}`
