import type { Any } from './any.ts'
import { concernsUsed, type About, type Concern } from './concern.ts'
import type { Call, OwnedTap } from './steps.ts'

/** More types than a site has: what is kept for them is thrown away then. */
const MAX_KEPT_TYPES = 500

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
  const typeOf: Ask | undefined = used.has('types') ? type : undefined
  const asked: Ask | undefined = method ?? (request && ((...args) => request(...args)?.method))
  const methodOf = used.has('methods') ? asked : undefined
  if (typeOf === undefined && methodOf === undefined) return callOf(taps)
  const calls = new Map<string | undefined, Map<string | undefined, Call>>()
  const make = (one: string | undefined, other: string | undefined) => {
    const subject = { type: one, method: other }
    const call = callOf(taps.filter(({ registration: { ahead } }) => ahead === null || ahead(subject)))
    kept(kept(calls, one, new Map()), other, call)
    return call
  }
  return (...args: Any[]) => {
    const [one, other] = [typeOf?.(...args), methodOf?.(...args)]
    const call = calls.get(one)?.get(other) ?? make(one, other)
    return call(...args)
  }
}

/** The value of a key, which is the given one where there is none yet. */
function kept<K, V>(values: Map<K, V>, key: K, fresh: V): V {
  const there = values.get(key)
  if (there !== undefined) return there
  if (values.size >= MAX_KEPT_TYPES) values.clear()
  values.set(key, fresh)
  return fresh
}
