/** Content encodings, named as in `Content-Encoding`. */
export type Encoding = 'br' | 'zstd' | 'gzip'

/** Encodings for bodies that are sent once. At the same speed, br compresses no better. */
export type QuickEncoding = Exclude<Encoding, 'br'>

/** Cached `Accept-Encoding` values. All browsers and libraries together send some dozens. */
const MAX_CACHED_HEADERS = 200
/** Characters of a header that is parsed. Longer ones are never legitimate. */
const MAX_HEADER_LENGTH = 500

/**
 * Negotiates the encoding by `Accept-Encoding` (RFC 9110, 12.5.3): the accepted encoding with the highest weight, and
 * among equal weights the first of `offered`. Returns null for no encoding, also if the client refuses `identity`,
 * because any response is better than none.
 * @param offered encodings in order of preference
 */
export function createPicker<E extends Encoding>(offered: readonly E[]): (acceptEncoding: string | null) => E | null {
  const cache = new Map<string, E | null>()
  return (accept) => {
    if (accept === null || accept.length > MAX_HEADER_LENGTH) return null
    let picked = cache.get(accept)
    if (picked === undefined) {
      picked = pick(offered, accept)
      // A client that varies its headers evicts the others; parsing them again takes microseconds.
      if (cache.size >= MAX_CACHED_HEADERS) cache.clear()
      cache.set(accept, picked)
    }
    return picked
  }
}

function pick<E extends Encoding>(offered: readonly E[], accept: string): E | null {
  const weights = weightsIn(accept)
  const wildcard = weights.get('*') ?? 0
  let best: E | null = null
  // The plain body is always acceptable. It is preferred only if the client gives it a weight.
  let highest = weights.get('identity') ?? 0
  for (const encoding of offered) {
    const weight = weights.get(encoding) ?? wildcard
    const isBetter = best === null ? weight >= highest && weight > 0 : weight > highest
    if (isBetter) [best, highest] = [encoding, weight]
  }
  return best
}

/** Returns the weight of each encoding in a header. Invalid members are ignored. */
function weightsIn(accept: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const member of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = member.split(';').map((part) => part.trim())
    const weight = weightIn(parameters)
    if (name === '' || weight === null) continue
    weights.set(name === 'x-gzip' ? 'gzip' : name, weight)
  }
  return weights
}

/** Returns the weight in the parameters of a member, 1 without a weight; null if it is invalid. */
function weightIn(parameters: readonly string[]): number | null {
  if (parameters.length === 0) return 1
  const [, written] = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(parameters[0]!) ?? []
  return parameters.length === 1 && written !== undefined ? Number(written) : null
}
