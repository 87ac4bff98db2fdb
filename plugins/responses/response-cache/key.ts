import { hash } from 'node:crypto'
import type { Branding, RestRequest, RestResponse, Route, Urls, Work } from '../../../kernel/index.ts'
import { viewOf, type Dependencies } from '../../library/caching/index.ts'

/** Characters of a key; a longer one is hashed. */
const MAX_KEY_LENGTH = 300

/**
 * What tells a response from others: the route, its arguments as they were checked and as they were given, the user with all that is known of
 * them, and how the site is called and where it is. Visitors are all the same. Null where that cannot be told.
 */
export function keyOf(
  request: RestRequest,
  { pattern }: Route,
  { urls: { home }, branding: { word } }: { urls: Urls; branding: Branding },
): string | null {
  const view = viewOf(request.user)
  if (view === null) return null
  try {
    const key = JSON.stringify([pattern, request.route, request.params(), request.query, view, home, word])
    return key.length <= MAX_KEY_LENGTH ? key : hash('sha256', key, 'base64url')
  } catch {
    // What a plugin has put among the arguments is no JSON.
    return null
  }
}

/** Why a request is answered anew each time; null where it need not be. */
export function whyNotAsked(request: RestRequest, { nonceParameter }: Branding): string | null {
  if (request.endpoint?.cache === false) return 'its endpoint says so'
  if (request.form !== null || request.json !== undefined || request.raw !== null) return 'it has a body'
  if (request.given(nonceParameter)) return 'it has a nonce'
  if (request.given('password')) return 'it has a password'
  return null
}

/** What a response looks like before, and after, the headers that depend on each request. */
export interface Made {
  readonly response: RestResponse
  readonly request: RestRequest
}

/** Why a response is not kept; null where it may be. Its headers are those that all who get it have in common. */
export function whyNotKept({ response, request }: Made): string | null {
  const { status, headers, isError } = response
  if (status !== 200 || isError) return 'it is no success'
  // The status of an envelope is that of its delivery.
  if (request.query['_envelope'] !== undefined && (response.data as { status?: unknown } | null)?.status !== 200)
    return 'it is no success'
  if (headers.has('Set-Cookie')) return 'it sets a cookie'
  if (isForbidden(headers.get('Cache-Control'))) return 'its headers say so'
  return request.dependencies?.refusal ?? (request.work.committed ? 'it has changed something' : null)
}

/**
 * Why a response or a page is not stored, by what was noted while it was made; null if nothing forbids it.
 * @param reads the headers that were read
 */
export function whyNotStored(
  { refusal }: Dependencies,
  reads: ReadonlySet<string>,
  work: Pick<Work, 'committed' | 'aborted'> | undefined,
): string | null {
  if (refusal !== null) return refusal
  if (work?.committed === true) return 'it has changed something'
  if (reads.size > 0) return `it depends on the header ${[...reads].join(', ')}`
  // What it read may have been cut short.
  return work?.aborted === true ? 'it was aborted' : null
}

/** Whether `Cache-Control` keeps others from keeping a response. */
export function isForbidden(cacheControl: string | null): boolean {
  return cacheControl !== null && /\b(?:no-store|private)\b/i.test(cacheControl)
}
