import { createHash } from 'node:crypto'
import type { HeaderMap, Urls, Branding } from '../../../kernel/index.ts'
import { cookieName, readCookie, writeCookie } from './site-cookie.ts'
import type { NewSession } from './sessions.ts'

/**
 * The cookie with the token of a session: unreadable for scripts, not sent from other sites, and only over TLS if the
 * site uses TLS.
 */
export class SessionCookie {
  readonly #branding: Branding
  readonly #urls: Urls
  #named = { home: '', name: '' }

  constructor(branding: Branding, urls: Urls) {
    this.#branding = branding
    this.#urls = urls
  }

  /** Name of the cookie. Sites on one host have different names. */
  get name(): string {
    return cookieName(this.#plainName, this.#urls)
  }

  /** Returns the token of a request, or null. */
  read(headers: HeaderMap): string | null {
    return readCookie(headers, this.#plainName, this.#urls)
  }

  /** Returns the header `Set-Cookie` that starts a session in a browser. */
  set({ token, expires, remember }: NewSession, secure: boolean): string {
    return this.#write(token, secure, remember ? expires - Math.floor(Date.now() / 1000) : undefined)
  }

  /** Returns the header `Set-Cookie` that deletes the cookie. */
  clear(secure: boolean): string {
    return this.#write('', secure, 0)
  }

  get #plainName(): string {
    const { home } = this.#urls
    // The home URL may be unknown before the server listens.
    if (this.#named.home !== home) {
      const mark = createHash('sha256').update(home).digest('hex').slice(0, 32)
      this.#named = { home, name: `${this.#branding.sessionCookie}_${mark}` }
    }
    return this.#named.name
  }

  #write(value: string, secure: boolean, maxAge?: number): string {
    return writeCookie(this.#plainName, value, this.#urls, { secure, sameSite: 'lax', maxAge })
  }
}
