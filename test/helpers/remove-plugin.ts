import type { Kernel } from '../../bin/config/index.ts'

/** Undoes what a plugin of a running site has registered, newest first, as the end of the site does. */
export const removePlugin = (kernel: Kernel, slot: string): Promise<void> =>
  kernel.plugins.find((plugin) => plugin.slot === slot)!.owner.remove()
