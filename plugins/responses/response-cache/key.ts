import { hash } from 'node:crypto'
import type { Branding, RestRequest, RestResponse, Route, Urls, Work } from '../../../kernel/index.ts'
import { schemeKey, viewOf, type Dependencies } from '../../library/caching/index.ts'

/** Characters of a key; longer keys are hashed. */
const MAX_KEY_LENGTH = 300

/**
 * Returns the cache key of a response: the route, its arguments before and after sanitization, the view of the user,
 * the scheme of URLs, and the name and URL of the site. All visitors have the same view. Returns null if the response is
 * not cacheable.
 */
export function keyOf(
  request: RestRequest,
  { pattern }: Route,
  { urls: { home }, branding: { word } }: { urls: Urls; branding: Branding },
): string | null {
  const view = viewOf(request.user)
  if (view === null) return null
  try {
    const parts = [pattern, request.route, request.params(), request.query, view, home, word, schemeKey()]
    const key = JSON.stringify(parts)
    return key.length <= MAX_KEY_LENGTH ? key : hash('sha256', key, 'base64url')
  } catch {
    // A plugin has added an argument that cannot be serialized.
    return null
  }
}

/** Returns why a request bypasses the cache; null if it does not. */
export function bypassReason(request: RestRequest, { nonceParameter }: Branding): string | null {
  if (request.endpoint?.cache === false) return 'the endpoint disables caching'
  if (request.form !== null || request.json !== undefined || request.raw !== null) return 'the request has a body'
  if (request.hasParam(nonceParameter)) return 'the request has a nonce'
  if (request.hasParam('password')) return 'the request has a password'
  return null
}

/** A response before or after the headers that depend on each request. */
export interface CreatedResponse {
  readonly response: RestResponse
  readonly request: RestRequest
}

/** Returns why a response cannot be cached, or null. Its headers are the ones that all clients have in common. */
export function refusalReason({ response, request }: CreatedResponse): string | null {
  const { status, headers, isError } = response
  if (status !== 200 || isError) return 'the status is not 200'
  // The status of an envelope is the status of its delivery.
  if (request.query['_envelope'] !== undefined && (response.data as { status?: unknown } | null)?.status !== 200)
    return 'the status is not 200'
  if (headers.has('Set-Cookie')) return 'it sets a cookie'
  if (forbidsStoring(headers.get('Cache-Control'))) return 'its Cache-Control header forbids it'
  return request.dependencies?.refusal ?? (request.work.committed ? 'it committed changes' : null)
}

/**
 * Returns why a response or a page cannot be stored, judging by the dependencies recorded while it was created, or
 * null.
 * @param reads names of the headers that were read
 */
export function dependencyRefusal(
  { refusal }: Dependencies,
  reads: ReadonlySet<string>,
  work: Pick<Work, 'committed' | 'aborted'> | undefined,
): string | null {
  if (refusal !== null) return refusal
  if (work?.committed === true) return 'it committed changes'
  if (reads.size > 0) return `it depends on the header ${[...reads].join(', ')}`
  // Its reads can be incomplete.
  return work?.aborted === true ? 'it was aborted' : null
}

/** Returns whether `Cache-Control` forbids storing a response in a shared cache. */
export function forbidsStoring(cacheControl: string | null): boolean {
  return cacheControl !== null && /\b(?:no-store|private)\b/i.test(cacheControl)
}
