/** What a body may be encoded in, by its name in `Content-Encoding`. */
export type Encoding = 'br' | 'zstd' | 'gzip'

/** What a body is encoded in that is sent once: br is no better where it is as quick. */
export type QuickEncoding = Exclude<Encoding, 'br'>

/** How many headers are remembered. All browsers and libraries together send some dozens. */
const MOST_KNOWN = 200
/** Characters of a header that is looked at: the whole of any that a client means. */
const MAX_HEADER_LENGTH = 500

/**
 * Chooses what a client gets by its `Accept-Encoding` (RFC 9110, 12.5.3): of what it takes, what it likes most, and of
 * what it likes the same the first of `offered`. Null for the plain body: also for a client that refuses even that,
 * because some answer is better than none.
 * @param offered in order of preference
 */
export function createPicker<E extends Encoding>(offered: readonly E[]): (acceptEncoding: string | null) => E | null {
  const known = new Map<string, E | null>()
  return (accept) => {
    if (accept === null || accept.length > MAX_HEADER_LENGTH) return null
    let picked = known.get(accept)
    if (picked === undefined) {
      picked = pick(offered, accept)
      // A client that invents headers pushes out the others, which are read again: that takes microseconds.
      if (known.size >= MOST_KNOWN) known.clear()
      known.set(accept, picked)
    }
    return picked
  }
}

function pick<E extends Encoding>(offered: readonly E[], accept: string): E | null {
  const weights = weightsIn(accept)
  const others = weights.get('*') ?? 0
  let best: E | null = null
  // The plain body is always taken, and liked only where the client says how much.
  let most = weights.get('identity') ?? 0
  for (const encoding of offered) {
    const weight = weights.get(encoding) ?? others
    const isBetter = best === null ? weight >= most && weight > 0 : weight > most
    if (isBetter) [best, most] = [encoding, weight]
  }
  return best
}

/** The weight of each encoding that a header names. What cannot be read is left out. */
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

/** The weight that parameters give, 1 without one; null where it is none. */
function weightIn(parameters: readonly string[]): number | null {
  if (parameters.length === 0) return 1
  const [, written] = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(parameters[0]!) ?? []
  return parameters.length === 1 && written !== undefined ? Number(written) : null
}
