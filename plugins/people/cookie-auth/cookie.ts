import { createHash } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { HeaderMap, Urls, Branding } from '../../../kernel/index.ts'
import type { NewSession } from './sessions.ts'

/**
 * The cookie that carries the token of a session: out of reach for scripts, kept from other sites, over TLS alone where
 * there is TLS.
 */
export class SessionCookie {
  readonly #branding: Branding
  readonly #urls: Urls
  #named = { home: '', name: '' }

  constructor(branding: Branding, urls: Urls) {
    this.#branding = branding
    this.#urls = urls
  }

  /** Its name, which tells sites on one host apart. */
  get name(): string {
    const { home } = this.#urls
    // The home URL may not be known before the server listens.
    if (this.#named.home !== home) {
      const mark = createHash('sha256').update(home).digest('hex').slice(0, 32)
      this.#named = { home, name: `${this.#branding.sessionCookie}_${mark}` }
    }
    return this.#named.name
  }

  /** The token that came with a request, or null. */
  read(headers: HeaderMap): string | null {
    const sent = headers.get('cookie')
    if (sent === null || !sent.includes(this.name)) return null
    return parseCookie(sent)[this.name] ?? null
  }

  /** The header `Set-Cookie` that hands a session to a browser. */
  set({ token, expires, remember }: NewSession, secure: boolean): string {
    return this.#write(token, secure, remember ? expires - Math.floor(Date.now() / 1000) : undefined)
  }

  /** The header `Set-Cookie` that takes it away again. */
  clear(secure: boolean): string {
    return this.#write('', secure, 0)
  }

  #write(value: string, secure: boolean, maxAge?: number): string {
    return stringifySetCookie({
      name: this.name,
      value,
      path: `${this.#urls.basePath}/`,
      httpOnly: true,
      sameSite: 'lax',
      ...(secure && { secure }),
      ...(maxAge !== undefined && { maxAge }),
    })
  }
}
