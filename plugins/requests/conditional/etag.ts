import { createHash, hash } from 'node:crypto'
import type { Awaitable, RestResponse } from '../../../kernel/index.ts'
import { inSlices, type Steps } from '../../library/long-work/index.ts'

/** Returns the strong entity tag of a representation, computed from its uncompressed bytes. */
export function etagOf(bytes: string | Uint8Array): string {
  return `"${hash('sha1', bytes, 'base64url')}"`
}

/** Returns a short hash of a text, for a URL that changes with it. */
export const versionOf = (text: string): string => hash('sha1', text, 'base64url').replaceAll(/\W/g, '').slice(0, 12)

/** Longest text, in characters, whose tag is cached for an endpoint without `cache: true`. */
const MAX_REMEMBERED_LENGTH = 1000

/** The latest text of each endpoint with its tag: short texts, and all texts of endpoints with `cache: true`. */
const latest = new WeakMap<object, { readonly text: string; readonly etag: string }>()

/** Sets the entity tag of a response. @param text encoded body, in pieces if it is long */
export function tagResponse(response: RestResponse, text: string | readonly Buffer[]): Awaitable<void> {
  if (typeof text !== 'string') return tagPieces(response, text)
  const { headers, endpoint } = response
  // Endpoints often repeat their latest text, and comparing texts is faster than hashing.
  const cached = endpoint === null ? undefined : latest.get(endpoint)
  if (cached?.text === text) return headers.set('ETag', cached.etag)
  const etag = etagOf(text)
  headers.set('ETag', etag)
  if (endpoint === null) return
  if (text.length <= MAX_REMEMBERED_LENGTH || endpoint.cache === true) latest.set(endpoint, { text, etag })
}

async function tagPieces({ headers }: RestResponse, pieces: readonly Buffer[]): Promise<void> {
  headers.set('ETag', await inSlices(hashSteps(pieces)))
}

function* hashSteps(pieces: readonly Buffer[]): Steps<string> {
  const sum = createHash('sha1')
  for (const piece of pieces) {
    sum.update(piece)
    yield
  }
  return `"${sum.digest('base64url')}"`
}

/**
 * Returns the tag of an encoded representation. A strong tag changes because the bytes differ; a weak tag stays the
 * same.
 */
export function variantEtag(etag: string, encoding: string): string {
  return etag.startsWith('"') && etag.endsWith('"') ? `${etag.slice(0, -1)}-${encoding}"` : etag
}

/** Suffix added by `variantEtag`. */
const VARIANT = /-(?:br|zstd|gzip)"$/

/** Returns whether two tags denote the same representation, ignoring encoding and weakness. */
function sameEntity(one: string, other: string): boolean {
  return stripVariant(one) === stripVariant(other)
}

function stripVariant(etag: string): string {
  return (etag.startsWith('W/') ? etag.slice(2) : etag).replace(VARIANT, '"')
}

/**
 * Returns whether a list of entity tags (`If-Match`, `If-None-Match`) contains a tag in any encoding. `*` matches any
 * tag.
 * @param comparison in a strong comparison, weak tags never match (RFC 9110, 8.8.3.2)
 */
export function includesEtag(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  return list.trim() === '*' || etagIn(list, etag, comparison) !== null
}

/** Returns the matching tag of a list, which names the encoding that the client has stored; null if none matches. */
export function etagIn(list: string, etag: string, comparison: 'strong' | 'weak'): string | null {
  for (const [tag] of list.matchAll(/(?:W\/)?"[^"]*"/g)) {
    const counts = comparison === 'weak' || !(tag.startsWith('W/') || etag.startsWith('W/'))
    if (counts && sameEntity(tag, etag)) return tag
  }
  return null
}
