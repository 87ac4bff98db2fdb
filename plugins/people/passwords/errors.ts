import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  password_queue_full: [429, 'Too many passwords are being checked at the moment. Try again in a few seconds.'],
})
