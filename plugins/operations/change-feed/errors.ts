import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  rest_changes_gone: [
    410,
    'The changes behind this number are not kept any more: read everything anew, and go on from `data.last`.',
  ],
  rest_changes_unknown: [400, 'No change has this number yet: read everything anew, and go on from `data.last`.'],
  rest_changes_busy: [503, 'Too many clients listen to the changes: try later, or ask for JSON now and then.'],
})
