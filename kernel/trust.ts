import type { AnyPlugin } from './plugin.ts'

const trusted = new WeakSet<AnyPlugin>()

/**
 * Marks plugins whose taps and callbacks need no `dependsOn`, because they read all changing data through services that
 * record it. Default plugins are trusted; plugins that replace them are not.
 */
export function trustPlugins(plugins: readonly AnyPlugin[]): void {
  for (const plugin of plugins) trusted.add(plugin)
}

/** Returns whether a plugin is trusted. */
export function isTrusted(plugin: AnyPlugin): boolean {
  return trusted.has(plugin)
}
