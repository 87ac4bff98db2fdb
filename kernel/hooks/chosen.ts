import type { Any } from './any.ts'
import { concernsUsed, type About, type Concern } from './concern.ts'
import type { Call, OwnedTap } from './steps.ts'

/** More types than a site has: what is kept for them is thrown away then. */
const MOST = 500

type Ask = (...args: Any[]) => string | undefined

/**
 * Calls the taps that are for the type and the method of a run. Which they are is found out once for each type and method,
 * so that the others cost nothing. A run tells both as it begins.
 * @param callOf what calls some of the taps
 */
export function chosen(
  { type, method, request }: Partial<About>,
  taps: readonly OwnedTap[],
  callOf: (some: readonly OwnedTap[]) => Call,
): Call {
  const used = new Set(taps.flatMap((tap) => concernsUsed(tap as Concern)))
  const methodOf: Ask | undefined = method ?? (request && ((...args) => request(...args)?.method))
  const ask = [...(used.has('types') ? [type as Ask] : []), ...(used.has('methods') && methodOf ? [methodOf] : [])]
  const [first, second] = ask
  const make = (one: string | undefined, other: string | undefined) => {
    const subject = used.has('types') ? { type: one, method: other } : { method: one }
    return callOf(taps.filter(({ registration: { ahead } }) => ahead === null || ahead(subject)))
  }
  if (first === undefined) return callOf(taps)
  if (second === undefined) {
    const calls = new Map<string | undefined, Call>()
    return (...args: Any[]) => kept(calls, first(...args), (one) => make(one, undefined))(...args)
  }
  const calls = new Map<string | undefined, Map<string | undefined, Call>>()
  return (...args: Any[]) => {
    const one = first(...args)
    return kept(kept(calls, one, newMap), second(...args), (other) => make(one, other))(...args)
  }
}

const newMap = () => new Map<string | undefined, Call>()

function kept<K, V>(values: Map<K, V>, key: K, make: (key: K) => V): V {
  const there = values.get(key)
  if (there !== undefined) return there
  if (values.size >= MOST) values.clear()
  const made = make(key)
  values.set(key, made)
  return made
}
