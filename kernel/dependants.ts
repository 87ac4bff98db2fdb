import { errors } from './errors.ts'
import { stillNeeded } from './missing-needs.ts'
import type { ConfiguredPlugin, RunningPlugin } from './plugin.ts'

/** Whether a plugin of a list runs already. */
export const isRunning = (plugin: ConfiguredPlugin): plugin is RunningPlugin => 'owner' in plugin

/** What an exchange of plugins is to come to. */
export interface Plan {
  /** What goes, by slot. */
  readonly leaving: readonly string[]
  readonly arriving: readonly ConfiguredPlugin[]
  /** The slots of all that run then, in the order of a start; by default new ones come last. */
  readonly order?: readonly string[]
}

/**
 * The plugins once some are exchanged, with those anew that depend on them; and all that go, by slot.
 * @throws PLUGIN_NEED_MISSING
 */
export function withDependants(
  running: readonly RunningPlugin[],
  { leaving, arriving: given, order }: Plan,
): { next: ConfiguredPlugin[]; moved: ReadonlySet<string> } {
  const removed = new Set(leaving)
  const arriving = new Map(given.map((plugin) => [plugin.slot, plugin]))
  const left = running.filter(({ slot }) => !removed.has(slot))
  for (const slot of removed) {
    const needed = arriving.has(slot)
      ? null
      : stillNeeded(
          slot,
          left.map((one) => arriving.get(one.slot) ?? one),
        )
    if (needed !== null) throw errors.PLUGIN_NEED_MISSING(needed)
  }
  const moved = new Set([...removed, ...arriving.keys()])
  // A plugin comes after those that it depends on, so that one look will do.
  for (const { owner: _, ...plugin } of running) {
    const { slot, definition } = plugin
    const { needs = [], after = [] } = definition
    if (moved.has(slot) || ![...needs, ...after].some((one) => moved.has(one))) continue
    moved.add(slot)
    arriving.set(slot, plugin)
  }
  const next: ConfiguredPlugin[] = []
  for (const plugin of running) {
    const instead = arriving.get(plugin.slot)
    arriving.delete(plugin.slot)
    if (instead !== undefined) next.push(instead)
    else if (!removed.has(plugin.slot)) next.push(plugin)
  }
  next.push(...arriving.values())
  const placeOf = ({ slot }: ConfiguredPlugin) => order?.indexOf(slot) ?? 0
  return { next: next.toSorted((one, other) => placeOf(one) - placeOf(other)), moved }
}

/** Those of a new order that stood before others which come before them now: only a start puts them in their place. */
export function outOfOrder(order: readonly string[], before: readonly string[]): ReadonlySet<string> {
  let last = -1
  const moved = order.filter((slot) => {
    const at = before.indexOf(slot)
    if (at >= 0 && at < last) return true
    last = Math.max(last, at)
    return false
  })
  return new Set(moved)
}
