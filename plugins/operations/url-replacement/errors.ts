import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  URLS_INVALID: [
    400,
    (url: string) => `"${url}" is not the URL of a site. Write it with its scheme, such as https://old.example/blog.`,
  ],
  URLS_EQUAL: [400, (url: string) => `The old and the new URL are both ${url}.`],
})
