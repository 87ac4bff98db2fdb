/**
 * What hosts import, `svc-rest/host`: programs that start a kernel themselves, as our commands do. Beside what the kernel has
 * for them, the default plugins.
 */
export * from '../bin/config/index.ts'
export { core, defaults, presets, revisions, studio } from './index.ts'
