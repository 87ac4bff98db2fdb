import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  TRANSFER_TARGET_INVALID: [
    400,
    (url: string) => `"${url}" is not the URL of a database: write postgres://USER@HOST/NAME or sqlite:FILE.`,
  ],
  TRANSFER_TO_ITSELF: [400, (url: string) => `${url} is the database of the site itself: name another one.`],
})
