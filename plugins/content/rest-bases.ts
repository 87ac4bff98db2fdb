import type { Registrant } from '../../kernel/index.ts'
import type { RegistrationCheck } from '../library/advice/index.ts'

/** A content type or taxonomy with its own routes. */
export interface RoutesOwner {
  /** Kind for messages, such as `content type`. */
  readonly kind: string
  readonly name: string
  readonly rest_namespace: string
  readonly rest_base: string
  readonly registrant: Registrant | undefined
}

/** Returns true for a valid route from a tap; `''` means that there is no route. */
export const isRoute = (route: unknown): boolean => typeof route === 'string' && /^(?:\/[^\s]+)?$/.test(route)

/** Returns an error message for an invalid `rest_base`, or null if it is valid. */
export function restBaseMistake(base: string | undefined): string | null {
  const isValid = base === undefined || /^[^\s/]+(?:\/[^\s/]+)*$/.test(base)
  return isValid ? null : `it has rest_base: "${base}": remove spaces, and slashes at either end`
}

/** Warns about each type and taxonomy whose routes are shadowed by another one with the same `rest_base`. */
export function warnAboutSharedRoutes(check: RegistrationCheck, served: readonly RoutesOwner[]): void {
  const first = new Map<string, RoutesOwner>()
  for (const one of served) {
    const base = `${one.rest_namespace}/${one.rest_base}`
    const other = first.get(base)
    if (other === undefined) {
      first.set(base, one)
      continue
    }
    const [shadowed, owner] = one.registrant?.trusted === true ? [other, one] : [one, other]
    const problem = `has the routes /${base} of the ${owner.kind} ${owner.name}: set a different rest_base`
    check.warn(shadowed.registrant, `registers the ${shadowed.kind} ${shadowed.name}, which ${problem}`)
  }
}
