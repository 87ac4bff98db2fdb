import type { AnyPlugin } from './plugin.ts'

const trusted = new WeakSet<AnyPlugin>()

/**
 * Says that plugins need not say what their taps and callbacks depend on: they read through services that record it, and
 * look at nothing else that changes. So do the defaults; what takes the place of one has to say it again.
 */
export function trustPlugins(plugins: readonly AnyPlugin[]): void {
  for (const plugin of plugins) trusted.add(plugin)
}

/** Whether a plugin is trusted. */
export function isTrusted(plugin: AnyPlugin): boolean {
  return trusted.has(plugin)
}
