/**
 * Exports of `svc-rest/host`, for programs that start a kernel themselves, as our commands do: config, start, and the
 * default plugins.
 */
export * from '../bin/config/index.ts'
export { core, defaults, presets, revisions, studio } from './index.ts'
