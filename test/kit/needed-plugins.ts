import type { AnyPlugin } from '../../kernel/index.ts'

/**
 * The plugins that have one of the names, and those that they and `others` need, directly or not.
 * @throws Error for a name that no plugin has
 */
export function pluginsNeededBy(
  plugins: readonly AnyPlugin[],
  names: readonly string[],
  others: readonly AnyPlugin[],
): AnyPlugin[] {
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]))
  const needed = new Set<string>()
  const queue = [...names, ...others.flatMap(({ needs = [] }) => needs).filter((name) => byName.has(name))]
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const plugin = byName.get(name)
    if (plugin === undefined) throw new Error(`"only" names ${name}, which is not a default plugin.`)
    if (needed.has(name)) continue
    needed.add(name)
    queue.push(...(plugin.needs ?? []))
  }
  return plugins.filter(({ name }) => needed.has(name))
}
