import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `html`. */
export const errors = defineErrors({
  rest_content_too_large: [
    400,
    (name: string, most: number) =>
      `${name} is larger than the ${most} bytes that a text may have here: shorten it, or split it into several.`,
  ],
})
