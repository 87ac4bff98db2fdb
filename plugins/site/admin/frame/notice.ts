import { trimEndSlashes, type PluginContext } from '../../../../kernel/index.ts'
import type { SiteRequest } from '../../../requests/site-requests/index.ts'
import { readCookie, writeCookie } from '../../../people/cookie-auth/index.ts'

/** What a page says once, above all else: that something was done, or why it was not. */
export interface Notice {
  readonly kind: 'done' | 'error'
  readonly text: string
  /** A page where it goes on, such as the post that was published. */
  readonly link?: { readonly href: string; readonly label: string }
  /** A button that takes it back: the action `undo` of a page. `mark` says that this site has made it, as `undoOf` does. */
  readonly undo?: { readonly path: string; readonly what: string; readonly mark: string } | undefined
}

/** Characters of a notice in its cookie; proxies refuse much longer headers. */
const MAX_NOTICE_LENGTH = 3_000
/** Seconds for which a notice waits for the page that shows it. */
const NOTICE_SECONDS = 60

/** The cookie that carries a notice to the next page, of this browser alone. */
export function noticeCookie(plugin: PluginContext, { secure }: SiteRequest, notice: Notice): string {
  const text = JSON.stringify(notice)
  const isShort = encodeURIComponent(text).length <= MAX_NOTICE_LENGTH
  const kept = isShort ? text : JSON.stringify({ ...notice, text: notice.text.slice(0, 300) })
  return cookie(plugin, kept, NOTICE_SECONDS, secure)
}

/** The cookie that takes a notice back once it was shown. */
export function noNoticeCookie(plugin: PluginContext, { secure }: SiteRequest): string {
  return cookie(plugin, '', 0, secure)
}

/** The notice that a request brings along; null without one. */
export function noticeOf(plugin: PluginContext, { headers }: SiteRequest): Notice | null {
  const text = readCookie(headers, nameOf(plugin), plugin.urls)
  if (text === null) return null
  try {
    const value = JSON.parse(text) as unknown
    if (!isNotice(value)) return null
    const { link, ...rest } = value
    // Whoever could set the cookie would choose where it leads.
    return link === undefined || plugin.services.plainPages.ownUrl(link.href) === null ? rest : value
  } catch {
    return null
  }
}

function isNotice(value: unknown): value is Notice {
  if (typeof value !== 'object' || value === null || !('kind' in value) || !('text' in value)) return false
  if ('link' in value) {
    const { link } = value
    if (typeof link !== 'object' || link === null || !('href' in link) || !('label' in link)) return false
    if (typeof link.href !== 'string' || typeof link.label !== 'string' || !/^https?:/.test(link.href)) return false
  }
  if ('undo' in value) {
    const { undo } = value
    if (typeof undo !== 'object' || undo === null || !('path' in undo) || !('what' in undo) || !('mark' in undo))
      return false
    if ([undo.path, undo.what, undo.mark].some((one) => typeof one !== 'string')) return false
  }
  return typeof value.text === 'string' && (value.kind === 'done' || value.kind === 'error')
}

function cookie(plugin: PluginContext, value: string, life: number, secure: boolean): string {
  const path = trimEndSlashes(new URL(plugin.urls.site(plugin.branding.adminPath)).pathname)
  return writeCookie(nameOf(plugin), value, plugin.urls, { path, secure, sameSite: 'strict', maxAge: life })
}

const nameOf = ({ branding }: PluginContext) => `${branding.word}_admin_notice`
