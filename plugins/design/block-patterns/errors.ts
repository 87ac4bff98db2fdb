import { defineErrors, sentence } from '../../../kernel/index.ts'

/** Errors of the plugin `block-patterns`. */
export const errors = defineErrors({
  BLOCK_PATTERN_INVALID: (plugin: string, name: string, reason: string) =>
    `${plugin} registers the pattern ${name} wrongly: ${sentence(reason)}`,
  PATTERN_CATEGORY_INVALID: (plugin: string, name: string, reason: string) =>
    `${plugin} registers the pattern category ${name} wrongly: ${sentence(reason)}`,
  rest_cannot_view: [403, 'Sorry, you are not allowed to view block patterns.'],
})
