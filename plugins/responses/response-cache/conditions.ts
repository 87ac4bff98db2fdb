import { etagIn, includesEtag } from '../../requests/conditional/index.ts'

/** Conditional headers of a request. */
export interface Conditions {
  readonly ifNoneMatch: string | null
  readonly ifModifiedSince: string | null
}

/** Validators of the current representation. */
export interface Validators {
  readonly etag: string | null
  /** Time of the last change in Unix milliseconds; null if unknown. */
  readonly modified: number | null
}

/**
 * Returns the entity tag for a 304 if the client has the response already (RFC 9110, 13.1.2 and 13.1.3), which is the
 * tag that the client sent; otherwise null.
 */
export function findClientTag(
  { ifNoneMatch, ifModifiedSince }: Conditions,
  { etag, modified }: Validators,
): string | null {
  if (ifNoneMatch !== null) {
    if (etag === null || !includesEtag(ifNoneMatch, etag, 'weak')) return null
    const matched = etagIn(ifNoneMatch, etag, 'weak')
    // The client can have stored a weak tag although the bytes are identical.
    return matched === null || matched.startsWith('W/') ? etag : matched
  }
  if (ifModifiedSince === null || modified === null || etag === null) return null
  const since = Date.parse(ifModifiedSince)
  // Both in whole seconds: a date is only sent once its second is over, so that no later change has the same date.
  return !Number.isNaN(since) && secondOf(modified) <= secondOf(since) ? etag : null
}

/**
 * Formats a time for `Last-Modified`. While its second lasts, another change can follow in it, so the second before is
 * sent, which makes the client request the content once more.
 * @param modified Unix milliseconds
 * @param now Unix milliseconds
 */
export function lastModified(modified: number, now: number): string {
  const second = secondOf(modified)
  return new Date((isSecondOver(modified, now) ? second : second - 1) * 1000).toUTCString()
}

/** Returns whether the second of a time is over. */
export function isSecondOver(modified: number, now: number): boolean {
  return secondOf(modified) < secondOf(now)
}

const secondOf = (time: number) => Math.floor(time / 1000)

/** Directives of `Cache-Control` that allow using a response without revalidation, or beyond its age. */
const AGES = /\b(max-age|s-maxage|stale-while-revalidate|stale-if-error)\s*=\s*"?(\d+)"?/gi

/** Limits the ages in `Cache-Control` to the remaining lifetime. @param left milliseconds */
export function withinAge(cacheControl: string, left: number): string {
  const remaining = Math.max(0, Math.floor(left / 1000))
  return cacheControl.replace(AGES, (_, name: string, seconds: string) =>
    /^stale/i.test(name) ? `${name}=0` : `${name}=${Math.min(Number(seconds), remaining)}`,
  )
}

/** Returns whether `Cache-Control` allows using a response for some time without revalidation. */
export function hasAge(cacheControl: string): boolean {
  return withinAge(cacheControl, 0) !== cacheControl
}
