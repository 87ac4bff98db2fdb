import { etagIn, includesEtag } from '../../requests/conditional/index.ts'

/** What a client says that it has. */
export interface Conditions {
  readonly ifNoneMatch: string | null
  readonly ifModifiedSince: string | null
}

/** What it is compared with. */
export interface Validators {
  readonly etag: string | null
  /** When the content changed last, in Unix milliseconds; null where that is unknown. */
  readonly modified: number | null
}

/**
 * Whether the client has the response already (RFC 9110, 13.1.2 and 13.1.3): the entity tag for its 304, which is the one
 * that the client knows it by; else null.
 */
export function knownAs({ ifNoneMatch, ifModifiedSince }: Conditions, { etag, modified }: Validators): string | null {
  if (ifNoneMatch !== null) {
    if (etag === null || !includesEtag(ifNoneMatch, etag, 'weak')) return null
    const known = etagIn(ifNoneMatch, etag, 'weak')
    // The client may have kept a weak tag, the content is the same to the byte.
    return known === null || known.startsWith('W/') ? etag : known
  }
  if (ifModifiedSince === null || modified === null || etag === null) return null
  const since = Date.parse(ifModifiedSince)
  // Both in whole seconds: a date is told only once its second is over, so that no later change falls into it.
  return !Number.isNaN(since) && secondOf(modified) <= secondOf(since) ? etag : null
}

/**
 * A time as `Last-Modified` tells it. While its second lasts, another change may still come in it: the second before is
 * told then, which makes the client ask for the content once more.
 * @param modified Unix milliseconds
 * @param now the same
 */
export function lastModified(modified: number, now: number): string {
  const second = secondOf(modified)
  return new Date((isSettled(modified, now) ? second : second - 1) * 1000).toUTCString()
}

/** Whether the second of a time is over. */
export function isSettled(modified: number, now: number): boolean {
  return secondOf(modified) < secondOf(now)
}

const secondOf = (time: number) => Math.floor(time / 1000)

/** Ages in `Cache-Control` for which others may use a response without asking, and beyond which they may in a need. */
const AGES = /\b(max-age|s-maxage|stale-while-revalidate|stale-if-error)\s*=\s*"?(\d+)"?/gi

/** `Cache-Control` that lets others use a response until a time, and not beyond it. @param left milliseconds */
export function withinAge(cacheControl: string, left: number): string {
  const most = Math.max(0, Math.floor(left / 1000))
  return cacheControl.replace(AGES, (_, name: string, seconds: string) =>
    /^stale/i.test(name) ? `${name}=0` : `${name}=${Math.min(Number(seconds), most)}`,
  )
}

/** Whether `Cache-Control` lets others use a response for a time without asking. */
export function hasAge(cacheControl: string): boolean {
  return withinAge(cacheControl, 0) !== cacheControl
}
