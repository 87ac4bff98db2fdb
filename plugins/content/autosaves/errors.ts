import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  rest_autosave_no_changes: [400, 'There is nothing to save: the post has not changed.'],
  rest_post_no_autosave: [404, 'This post has no autosave with this ID.'],
})
