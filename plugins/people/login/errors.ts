import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  login_incorrect: [401, 'Incorrect username, email address or password.'],
  login_too_many_attempts: [
    429,
    (seconds: number) => `Too many failed login attempts. Try again in ${seconds} seconds.`,
  ],
  rest_confirmation_failed: [403, 'The current password is incorrect.'],
  rest_no_session: [400, 'Only a session of a browser can be confirmed. Send its cookie and a nonce.'],
  login_foreign_form: [403, 'This form was sent from another site. Open the page on this site and try again.'],
})
