import type { HeaderMap } from '../../../../kernel/index.ts'
import { includesEtag } from '../../../requests/conditional/index.ts'

/** What distinguishes one state of a file from another. */
export interface FileState {
  /** A strong entity tag, with its quotation marks. */
  etag: string
  /** When the file was last modified, in whole seconds since 1970. */
  modified: number
}

/**
 * Checks the preconditions of a GET or HEAD request (RFC 9110, 13.2.2).
 * @returns 304 when the client has the file already, 412 when it wants another state of it, null otherwise
 */
export function checkPreconditions(headers: HeaderMap, { etag, modified }: FileState): 304 | 412 | null {
  const match = headers.get('if-match')
  const unmodifiedSince = secondsOf(headers.get('if-unmodified-since'))
  if (match !== null) {
    if (!includesEtag(match, etag, 'strong')) return 412
  } else if (unmodifiedSince !== null && modified > unmodifiedSince) return 412
  const noneMatch = headers.get('if-none-match')
  if (noneMatch !== null) return includesEtag(noneMatch, etag, 'weak') ? 304 : null
  const modifiedSince = secondsOf(headers.get('if-modified-since'))
  return modifiedSince !== null && modified <= modifiedSince ? 304 : null
}

/** Whether the `Range` header applies: `If-Range` names this state of the file, or there is none. */
export function rangeApplies(headers: HeaderMap, { etag, modified }: FileState): boolean {
  const condition = headers.get('if-range')?.trim()
  if (condition === undefined) return true
  return condition.includes('"') ? condition === etag : secondsOf(condition) === modified
}

function secondsOf(date: string | null): number | null {
  const milliseconds = date === null ? Number.NaN : Date.parse(date)
  return Number.isNaN(milliseconds) ? null : Math.floor(milliseconds / 1000)
}
