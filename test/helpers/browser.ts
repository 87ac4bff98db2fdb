import type { Site } from './site.ts'

/** A browser that keeps the cookies of one site. */
export interface Browser {
  /** Value of the `Cookie` header of its requests. */
  cookie: string
  /** Requests a page or a route by its URL, or a path below the home URL. Does not follow redirects. */
  open(path: string, init?: RequestInit): Promise<Response>
  /** Sends a form. */
  send(path: string, form: Readonly<Record<string, string>>, headers?: Record<string, string>): Promise<Response>
  /** Logs in and returns the response. */
  logIn(login: string, password: string, more?: Readonly<Record<string, string>>): Promise<Response>
  /** Returns a new nonce of the logged-in user. */
  nonce(): Promise<string>
  /** Requests a route with a nonce in its header, unless it is null. */
  api(path: string, nonce: string | null, init?: RequestInit): Promise<Response>
}

/** A browser without cookies. */
export function browse(site: Pick<Site, 'home' | 'kernel'>): Browser {
  const { branding } = site.kernel
  const jar = new Map<string, string>()
  const browser: Browser = {
    get cookie() {
      return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    },
    set cookie(text) {
      jar.clear()
      for (const pair of text.split('; ')) jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    },
    async open(path, init = {}) {
      const headers = new Headers(init.headers)
      if (jar.size > 0) headers.set('cookie', browser.cookie)
      const url = path.startsWith('http') ? path : `${site.home}${path}`
      const response = await fetch(url, { redirect: 'manual', ...init, headers })
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        if (/max-age=0(?:;|$)/i.test(set)) jar.delete(name)
        else jar.set(name, value)
      }
      return response
    },
    send: (path, form, headers = {}) =>
      browser.open(path, { method: 'POST', headers, body: new URLSearchParams(form) }),
    logIn: (login, password, more = {}) => browser.send(branding.loginPath, { log: login, pwd: password, ...more }),
    nonce: async () => (await browser.open(`${branding.ajaxPath}?action=rest-nonce`)).text(),
    api(path, nonce, init = {}) {
      const headers = new Headers(init.headers)
      if (nonce !== null) headers.set(branding.header('Nonce'), nonce)
      return browser.open(`/${branding.prefix}${path}`, { ...init, headers })
    },
  }
  return browser
}
