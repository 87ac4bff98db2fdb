import type { Registrant } from '../../kernel/index.ts'
import type { RegistrationCheck } from '../library/advice/index.ts'

/** A content type or a taxonomy with routes of its own. */
export interface RoutesOwner {
  /** What it is called: `content type`. */
  readonly kind: string
  readonly name: string
  readonly rest_namespace: string
  readonly rest_base: string
  readonly registrant: Registrant | undefined
}

/** Whether a tap gives a route, or `''` for none. */
export const isRoute = (route: unknown): boolean => typeof route === 'string' && /^(?:\/[^\s]+)?$/.test(route)

/** What is wrong with where the routes of a type or a taxonomy begin; null where nothing is. */
export function restBaseMistake(base: string | undefined): string | null {
  const isFit = base === undefined || /^[^\s/]+(?:\/[^\s/]+)*$/.test(base)
  return isFit ? null : `it has rest_base: "${base}": leave out spaces, and slashes at its ends`
}

/** Tells of those that have the routes of another one: they are never asked. */
export function tellOfSameBases(check: RegistrationCheck, served: readonly RoutesOwner[]): void {
  const first = new Map<string, RoutesOwner>()
  for (const one of served) {
    const base = `${one.rest_namespace}/${one.rest_base}`
    const other = first.get(base)
    if (other === undefined) {
      first.set(base, one)
      continue
    }
    const [told, of] = one.registrant?.trusted === true ? [other, one] : [one, other]
    const whose = `has the routes /${base} of the ${of.kind} ${of.name}: give it a rest_base of its own`
    check.tell(told.registrant, `registers the ${told.kind} ${told.name}, which ${whose}`)
  }
}
