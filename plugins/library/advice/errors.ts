import { defineErrors, sentence } from '../../../kernel/index.ts'

/** Errors about mistakes of plugin authors. */
export const errors = defineErrors({
  HOOK_TAP_INVALID: (plugin: string, hook: string, reason: string) =>
    `${plugin} taps ${hook} wrongly: ${sentence(reason)}`,
  HOOK_TAP_UNKNOWN: (hook: string, tap: string, near: string) =>
    `No tap of ${hook} is named ${tap}: "before" must name an existing tap${sentence(near)}`,
  HOOK_FILTER_UNKNOWN: (plugin: string, hook: string, filter: string, supported: string) =>
    `${plugin} taps ${hook} with the filter "${filter}", which this hook does not support: it supports ${supported === '' ? 'none' : supported}.`,
  HOOK_SYNC_ONLY: (plugin: string, hook: string) =>
    `${plugin} taps ${hook} asynchronously, but this hook is synchronous: use tap().`,
  TAP_RETURNED_MISTAKE: (plugin: string, hook: string, reason: string) =>
    `${plugin} returned an invalid value from its tap of ${hook}: ${sentence(reason)}`,
  PROMISE_IN_RESPONSE: (plugin: string, place: string, path: string) =>
    `${plugin} has a promise at ${path} in ${place}, which JSON writes as {}: await it.`,
  HOOK_NOT_DECLARED: (plugin: string, hook: string, slot: string, replacement: string) =>
    `${plugin} uses the hook ${hook} of ${slot}, which its replacement ${replacement} does not declare: declare it there.`,
  HANDLER_RETURNED_WRONG: (method: string, route: string, result: string) =>
    `The callback of ${method} ${route} returned ${sentence(result)}`,
  PROMISE_IN_HTML: (plugin: string, place: string) =>
    `${plugin} has a promise in the HTML of ${place}, where it is "[object Promise]": await it.`,
})
