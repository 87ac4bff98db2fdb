import type { Limits } from '../../kernel/index.ts'
import { configKeys } from './config-keys.ts'

/** A name that a config uses for one of its limits, and the current name of the limit. */
export interface FormerLimit {
  readonly former: string
  readonly current: string
}

const properties = configKeys.limits['properties'] as Readonly<Record<string, { readonly formerName?: string }>>
const formerLimits: readonly FormerLimit[] = Object.entries(properties).flatMap(([current, { formerName }]) =>
  formerName === undefined ? [] : [{ former: formerName, current }],
)

/** Former names by the limits of a config: the config is read before there is a log. */
const usedNames = new WeakMap<Limits, readonly FormerLimit[]>()

/** Returns the limits that `given`, the value of the config key `limits`, has by a former name. */
export function formerLimitsIn(given: unknown): readonly FormerLimit[] {
  if (typeof given !== 'object' || given === null) return []
  return formerLimits.filter(({ former }) => Object.hasOwn(given, former))
}

/** Returns `given`, the value of the config key `limits`, with current names. @param used its former names */
export function renameLimits(given: unknown, used: readonly FormerLimit[]): unknown {
  if (used.length === 0) return given
  const names = new Map(used.map(({ former, current }) => [former, current]))
  return Object.fromEntries(Object.entries(given as object).map(([name, value]) => [names.get(name) ?? name, value]))
}

/** Keeps the former names that a config uses for its limits until `formerLimitsOf` asks for them. */
export function keepFormerLimits(limits: Limits, used: readonly FormerLimit[]): void {
  usedNames.set(limits, used)
}

/** Returns the former names that a config uses for its limits. */
export function formerLimitsOf(limits: Limits): readonly FormerLimit[] {
  return usedNames.get(limits) ?? []
}

/** Returns limits that plugins can read by their former names too. These are not enumerable: lists show current names only. */
export function withFormerNames(limits: Limits): Limits {
  const values = formerLimits.map(
    ({ former, current }) => [former, { value: limits[current as keyof Limits] }] as const,
  )
  return Object.defineProperties({ ...limits }, Object.fromEntries(values))
}
