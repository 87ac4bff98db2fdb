import { defineErrors, sentence } from '../../../kernel/index.ts'

/** Errors of the plugin `block-patterns`. */
export const errors = defineErrors({
  BLOCK_PATTERN_INVALID: (plugin: string, name: string, why: string) =>
    `${plugin} registers the pattern ${name} wrongly: ${sentence(why)}`,
  PATTERN_CATEGORY_INVALID: (plugin: string, name: string, why: string) =>
    `${plugin} registers the pattern category ${name} wrongly: ${sentence(why)}`,
  rest_cannot_view: [403, 'Sorry, you are not allowed to view block patterns.'],
})
