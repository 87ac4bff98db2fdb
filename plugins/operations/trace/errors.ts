import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  trace_not_logged_in: [401, 'You are not logged in any more: log in again.'],
  trace_forbidden: [403, 'Only administrators may see traces.'],
  trace_not_kept: [404, 'This request has been deleted, because newer ones took its place.'],
  trace_foreign: [403, 'This was sent by a page of another site: clear the traces on their own page.'],
  trace_no_such_page: [404, 'The trace has no such page.'],
  trace_method: [405, (allowed: string) => `This page takes ${allowed}.`],
})
