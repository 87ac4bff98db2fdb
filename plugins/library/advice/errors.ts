import { defineErrors, sentence } from '../../../kernel/index.ts'

/** The errors of plugin authors' mistakes. */
export const errors = defineErrors({
  HOOK_NOT_DECLARED: (plugin: string, hook: string, slot: string, replacement: string) =>
    `${plugin} uses the hook ${hook} of ${slot}, which ${replacement}, in the place of ${slot}, does not declare: declare it there.`,
  HANDLER_RETURNED_WRONG: (method: string, route: string, what: string) =>
    `The callback of ${method} ${route} returned ${sentence(what)}`,
  PROMISE_IN_HTML: (plugin: string, where: string) =>
    `${plugin} has a promise in the HTML of ${where}, where it is "[object Promise]": await it.`,
})
