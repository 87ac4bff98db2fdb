import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  rest_changes_gone: [
    410,
    'The changes after this ID have been deleted. Read everything again and continue from `data.last`.',
  ],
  rest_changes_unknown: [400, 'No change has this ID yet. Read everything again and continue from `data.last`.'],
  rest_changes_busy: [503, 'Too many clients are connected to the change feed. Try again later or poll for JSON.'],
})
