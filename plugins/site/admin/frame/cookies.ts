import { trimEndSlashes, type PluginContext } from '../../../../kernel/index.ts'
import type { SiteRequest } from '../../../requests/site-requests/index.ts'
import { readCookie, writeCookie } from '../../../people/cookie-auth/index.ts'

const YEAR_SECONDS = 31_536_000

/** Returns a preference of the user that this browser stores, or null. */
export function readAdminCookie(plugin: PluginContext, { headers }: SiteRequest, name: string): string | null {
  return readCookie(headers, cookieName(plugin, name), plugin.urls)
}

/** Returns the cookie that stores a preference of the user in this browser for a year. */
export function writeAdminCookie(plugin: PluginContext, { secure }: SiteRequest, name: string, value: string): string {
  const path = trimEndSlashes(new URL(plugin.urls.site(plugin.branding.adminPath)).pathname)
  const options = { path, secure, sameSite: 'lax', maxAge: YEAR_SECONDS } as const
  return writeCookie(cookieName(plugin, name), value, plugin.urls, options)
}

const cookieName = ({ branding }: PluginContext, name: string) => `${branding.word}_admin_${name}`
