import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  trace_not_logged_in: [401, 'You are not logged in. Log in again.'],
  trace_forbidden: [403, 'Only administrators can see traces.'],
  trace_not_kept: [404, 'This request has been dropped in favor of newer ones.'],
  trace_foreign: [403, 'The request came from a page of another site. Clear the traces on the trace page.'],
  trace_no_such_page: [404, 'The trace page has no such file.'],
  trace_method: [405, (allowed: string) => `This page only accepts ${allowed}.`],
})
