import { defineErrors } from '../../../kernel/index.ts'

/** The errors of cookies and nonces. */
export const errors = defineErrors({
  rest_cookie_invalid_nonce: [403, 'Cookie nonce is invalid'],
  rest_user_invalid_id: [404, 'No user with this ID.'],
})
