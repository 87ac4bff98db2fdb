import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  rest_changes_gone: [
    410,
    'The changes after this number have been deleted: read everything again, and continue from `data.last`.',
  ],
  rest_changes_unknown: [400, 'No change has this number yet: read everything anew, and go on from `data.last`.'],
  rest_changes_busy: [503, 'Too many clients listen to the changes: try later, or ask for JSON now and then.'],
})
