import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  rest_cookie_invalid_nonce: [403, 'Cookie nonce is invalid'],
  rest_confirmation_required: [
    403,
    'Enter your current password again before you change passwords, email addresses, roles, users or application passwords. Send it to POST users/me/confirm, then repeat the request.',
  ],
})
