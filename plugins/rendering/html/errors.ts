import { defineErrors } from '../../../kernel/index.ts'

/** Errors of the plugin `html`. */
export const errors = defineErrors({
  rest_content_too_large: [
    400,
    (name: string, maxBytes: number) =>
      `${name} is larger than ${maxBytes} bytes: shorten the text, or split it into several texts.`,
  ],
})
