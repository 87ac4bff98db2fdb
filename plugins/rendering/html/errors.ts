import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `html`. */
export const errors = defineErrors({
  rest_content_too_large: [
    400,
    (name: string, most: number) =>
      `${name} is larger than ${most} bytes: shorten the text, or split it into several texts.`,
  ],
})
