import { createHash } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { HeaderMap, Urls, Branding } from '../../../kernel/index.ts'
import type { NewSession } from './sessions.ts'

/** The cookie that carries the token of a session. */
export interface SessionCookie {
  /** Its name, which tells sites on one host apart. */
  readonly name: string
  /** The token that came with a request, or null. */
  read(headers: HeaderMap): string | null
  /** The header `Set-Cookie` that hands a session to a browser. */
  set(session: NewSession, secure: boolean): string
  /** The header `Set-Cookie` that takes it away again. */
  clear(secure: boolean): string
}

/** The session cookie of a site: out of reach for scripts, kept from other sites, over TLS alone where there is TLS. */
export function createSessionCookie(branding: Branding, urls: Urls): SessionCookie {
  let named = { home: '', name: '' }
  const write = (value: string, secure: boolean, maxAge?: number) =>
    stringifySetCookie({
      name: cookie.name,
      value,
      path: `${urls.basePath}/`,
      httpOnly: true,
      sameSite: 'lax',
      ...(secure && { secure }),
      ...(maxAge !== undefined && { maxAge }),
    })
  const cookie: SessionCookie = {
    get name() {
      // The home URL may not be known before the server listens.
      if (named.home !== urls.home) {
        const mark = createHash('sha256').update(urls.home).digest('hex').slice(0, 32)
        named = { home: urls.home, name: `${branding.sessionCookie}_${mark}` }
      }
      return named.name
    },
    read(headers) {
      const sent = headers.get('cookie')
      if (sent === null || !sent.includes(cookie.name)) return null
      return parseCookie(sent)[cookie.name] ?? null
    },
    set: ({ token, expires, remember }, secure) =>
      write(token, secure, remember ? expires - Math.floor(Date.now() / 1000) : undefined),
    clear: (secure) => write('', secure, 0),
  }
  return cookie
}
