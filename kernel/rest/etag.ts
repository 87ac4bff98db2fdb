import { createHash, hash } from 'node:crypto'
import type { Awaitable } from '../awaitable.ts'
import { inSlices, type Steps } from '../time-slices.ts'

/** The strong entity tag of a representation: of its bytes before they are compressed. */
export function etagOf(bytes: string | Uint8Array): string {
  return `"${hash('sha1', bytes, 'base64url')}"`
}

/** Characters of a text that is remembered with its tag. */
const MAX_REMEMBERED_LENGTH = 1000

/** The latest short text of each endpoint, and its tag. */
const latest = new WeakMap<object, { readonly text: string; readonly etag: string }>()

/** The same for what an endpoint responds: it is often what it was, and to compare takes less time than a hash. */
export function etagOfLatest(endpoint: object, text: string): string {
  const known = latest.get(endpoint)
  if (known?.text === text) return known.etag
  const etag = etagOf(text)
  if (text.length <= MAX_REMEMBERED_LENGTH) latest.set(endpoint, { text, etag })
  return etag
}

/** The same for bytes in pieces, with other requests between them. */
export function etagOfPieces(pieces: readonly Uint8Array[]): Awaitable<string> {
  return inSlices(hashSteps(pieces))
}

function* hashSteps(pieces: readonly Uint8Array[]): Steps<string> {
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
