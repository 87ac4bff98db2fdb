import { defineErrors } from '../../../kernel/index.ts'

/** The errors of cookies and nonces. */
export const errors = defineErrors({
  rest_cookie_invalid_nonce: [403, 'Cookie nonce is invalid'],
})
