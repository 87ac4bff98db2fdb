import { defineErrors } from '../../../kernel/index.ts'

/** Why somebody is not let in. */
export const errors = defineErrors({
  login_incorrect: [401, 'The login name or the password is wrong.'],
  login_too_many_attempts: [
    429,
    (seconds: number) => `There were too many attempts that failed. Try again in ${seconds} seconds.`,
  ],
  rest_confirmation_failed: [403, 'The current password is wrong.'],
  rest_no_session: [400, 'Only a session of a browser can be confirmed. Send its cookie and a nonce.'],
  login_foreign_form: [403, 'This form was sent by a page of another site: open the page here and send it again.'],
})
