import type { PluginContext } from '../../../../kernel/index.ts'
import type { SiteRequest } from '../../../requests/site-requests/index.ts'
import { readAdminCookie, writeAdminCookie } from './cookies.ts'

/** A message that is shown once at the top of a page: the result of an action. */
export interface Notice {
  readonly kind: 'done' | 'error'
  readonly text: string
  /** A page to continue on, such as the published post. */
  readonly link?: { readonly href: string; readonly label: string }
  /**
   * A button that undoes the change with the action `undo` of a page. `mark` is the signature of `undoOf`, which proves
   * that this site created it.
   */
  readonly undo?: { readonly path: string; readonly what: string; readonly mark: string } | undefined
}

/**
 * Maximum characters of a URL-encoded notice in its cookie, because proxies reject long headers. In a longer notice,
 * the text is cut to 300 characters.
 */
const MAX_NOTICE_LENGTH = 3_000
const COOKIE = 'notice'
/** Lifetime of the cookie in seconds. */
const NOTICE_SECONDS = 60

/** Returns the cookie that carries a notice to the next page in this browser. */
export function noticeCookie(plugin: PluginContext, request: SiteRequest, notice: Notice): string {
  const text = JSON.stringify(notice)
  const isShort = encodeURIComponent(text).length <= MAX_NOTICE_LENGTH
  const value = isShort ? text : JSON.stringify({ ...notice, text: notice.text.slice(0, 300) })
  return writeAdminCookie(plugin, request, { name: COOKIE, value }, { maxAge: NOTICE_SECONDS, sameSite: 'strict' })
}

/** Returns the cookie that deletes a notice after it was shown. */
export function noNoticeCookie(plugin: PluginContext, request: SiteRequest): string {
  return writeAdminCookie(plugin, request, { name: COOKIE, value: '' }, { maxAge: 0, sameSite: 'strict' })
}

/** Returns the notice in the cookies of a request, or null. */
export function noticeOf(plugin: PluginContext, request: SiteRequest): Notice | null {
  const text = readAdminCookie(plugin, request, COOKIE)
  if (text === null) return null
  try {
    const value = JSON.parse(text) as unknown
    if (!isNotice(value)) return null
    const { link, ...rest } = value
    // An attacker who can set the cookie must not be able to add links to other sites.
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
