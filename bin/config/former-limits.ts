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

/** Former names used in a config, by its limits. Stored until a log exists: the config is loaded before it. */
const usedNames = new WeakMap<Limits, readonly FormerLimit[]>()

/** Returns the former names in `limits`, the value of the config key `limits`. */
export function formerLimitsIn(limits: unknown): readonly FormerLimit[] {
  if (typeof limits !== 'object' || limits === null) return []
  return formerLimits.filter(({ former }) => Object.hasOwn(limits, former))
}

/** Returns `limits`, the value of the config key `limits`, with current names. @param used its former names */
export function renameLimits(limits: unknown, used: readonly FormerLimit[]): unknown {
  if (used.length === 0) return limits
  const names = new Map(used.map(({ former, current }) => [former, current]))
  return Object.fromEntries(Object.entries(limits as object).map(([name, value]) => [names.get(name) ?? name, value]))
}

/** Stores the former names that a config uses for its limits. `formerLimitsOf` returns them. */
export function rememberFormerLimits(limits: Limits, used: readonly FormerLimit[]): void {
  usedNames.set(limits, used)
}

/** Returns the former names that a config uses for its limits. */
export function formerLimitsOf(limits: Limits): readonly FormerLimit[] {
  return usedNames.get(limits) ?? []
}

/** Returns limits that plugins can also read by their former names, which are not enumerable. */
export function withFormerNames(limits: Limits): Limits {
  const values = formerLimits.map(
    ({ former, current }) => [former, { value: limits[current as keyof Limits] }] as const,
  )
  return Object.defineProperties({ ...limits }, Object.fromEntries(values))
}
