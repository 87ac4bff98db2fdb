import { parseCookie, stringifySetCookie } from 'cookie'
import type { HeaderMap, Urls } from '../../../kernel/index.ts'

/** The URLs that the name and the attributes of a cookie depend on. */
export type CookieUrls = Pick<Urls, 'basePath' | 'isSecure'>

/** Attributes of a cookie. */
export interface CookieAttributes {
  /** URL path for which browsers send it; ignored for a cookie with the prefix `__Host-`. The whole site by default. */
  readonly path?: string
  readonly secure: boolean
  readonly sameSite: 'lax' | 'strict'
  /** Seconds; without it, the cookie lasts until the browser is closed. 0 removes it. */
  readonly maxAge?: number | undefined
}

/** Browsers accept a cookie of this prefix only from the host itself, over TLS, and for all of its paths. */
const HOST = '__Host-'

const isHostOnly = ({ basePath, isSecure }: CookieUrls) => isSecure && basePath === ''

/**
 * Returns the name of a cookie: with the prefix `__Host-` if the home URL is `https:` and has no path, so that other
 * hosts of the domain cannot set it.
 */
export function cookieName(name: string, urls: CookieUrls): string {
  return isHostOnly(urls) ? `${HOST}${name}` : name
}

/** Returns the value of a cookie of a request, or null. */
export function readCookie(headers: HeaderMap, name: string, urls: CookieUrls): string | null {
  const sent = headers.get('cookie')
  const whole = cookieName(name, urls)
  if (sent === null || !sent.includes(whole)) return null
  return parseCookie(sent)[whole] ?? null
}

/** Returns the header `Set-Cookie` of a cookie that scripts cannot read. */
export function writeCookie(
  name: string,
  value: string,
  urls: CookieUrls,
  { path = `${urls.basePath}/`, secure, sameSite, maxAge }: CookieAttributes,
): string {
  const own = isHostOnly(urls)
  return stringifySetCookie({
    name: cookieName(name, urls),
    value,
    path: own ? '/' : path,
    httpOnly: true,
    sameSite,
    ...((own || secure) && { secure: true }),
    ...(maxAge !== undefined && { maxAge }),
  })
}
