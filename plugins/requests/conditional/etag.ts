import { createHash, hash } from 'node:crypto'
import type { Awaitable, RestResponse } from '../../../kernel/index.ts'
import { inSlices, type Steps } from '../../library/long-work/index.ts'

/** The strong entity tag of a representation: of its bytes before they are compressed. */
export function etagOf(bytes: string | Uint8Array): string {
  return `"${hash('sha1', bytes, 'base64url')}"`
}

/** Longest text, in characters, whose tag is remembered for an endpoint without `cache: true`. */
const MAX_REMEMBERED_LENGTH = 1000

/** The latest text of each endpoint and its tag: short texts, and all texts of endpoints with `cache: true`, such as the index. */
const latest = new WeakMap<object, { readonly text: string; readonly etag: string }>()

/** Sets the entity tag of a response. @param text the encoded body, in pieces if it is long */
export function tagResponse(response: RestResponse, text: string | readonly Buffer[]): Awaitable<void> {
  if (typeof text !== 'string') return tagPieces(response, text)
  const { headers, endpoint } = response
  // An endpoint often responds with its latest text, and a comparison takes less time than a hash.
  const known = endpoint === null ? undefined : latest.get(endpoint)
  if (known?.text === text) return headers.set('ETag', known.etag)
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
 * The tag of a representation in an encoding: its bytes are others, so a strong tag has to be another one. A weak tag
 * stays what it is.
 */
export function variantEtag(etag: string, encoding: string): string {
  return etag.startsWith('"') && etag.endsWith('"') ? `${etag.slice(0, -1)}-${encoding}"` : etag
}

/** What `variantEtag` adds. */
const VARIANT = /-(?:br|zstd|gzip)"$/

/** Whether two tags stand for the same representation, in whichever encoding, weak or strong. */
function sameEntity(one: string, other: string): boolean {
  return bare(one) === bare(other)
}

function bare(etag: string): string {
  return (etag.startsWith('W/') ? etag.slice(2) : etag).replace(VARIANT, '"')
}

/**
 * Whether a list of entity tags, as `If-Match` and `If-None-Match` have it, holds a tag, in whichever encoding; `*`
 * stands for any.
 * @param comparison weak tags never equal anything in a strong one (RFC 9110, 8.8.3.2)
 */
export function includesEtag(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  return list.trim() === '*' || etagIn(list, etag, comparison) !== null
}

/** The tag of a list that `includesEtag` finds, as it stands there: the variant that a client has. */
export function etagIn(list: string, etag: string, comparison: 'strong' | 'weak'): string | null {
  for (const [tag] of list.matchAll(/(?:W\/)?"[^"]*"/g)) {
    const counts = comparison === 'weak' || !(tag.startsWith('W/') || etag.startsWith('W/'))
    if (counts && sameEntity(tag, etag)) return tag
  }
  return null
}
