import type { HeaderMap } from '../../../../kernel/index.ts'
import { includesEtag } from '../../../requests/conditional/index.ts'

/** Validators that identify a version of a file. */
export interface FileState {
  /** A strong entity tag, with its quotation marks. */
  etag: string
  /** Time of the last modification, in whole seconds since 1970. */
  modified: number
}

/**
 * Checks the preconditions of a GET or HEAD request (RFC 9110, 13.2.2).
 * @returns 304 if the client's copy is current, 412 if the client requires another version, otherwise null
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

/** Checks whether the `Range` header applies: `If-Range` is absent or matches the file. */
export function rangeApplies(headers: HeaderMap, { etag, modified }: FileState): boolean {
  const condition = headers.get('if-range')?.trim()
  if (condition === undefined) return true
  return condition.includes('"') ? condition === etag : secondsOf(condition) === modified
}

function secondsOf(date: string | null): number | null {
  const milliseconds = date === null ? Number.NaN : Date.parse(date)
  return Number.isNaN(milliseconds) ? null : Math.floor(milliseconds / 1000)
}
