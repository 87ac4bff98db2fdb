import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  rest_cannot_delete: [403, 'You may not delete the revisions of this post.'],
  rest_post_invalid_parent: [404, 'Invalid post parent ID.'],
  rest_post_invalid_id: [404, 'Invalid revision ID.'],
  rest_cannot_read: [403, 'You may not see the revisions of this post.'],
  rest_revision_invalid_offset_number: [
    400,
    'The offset number requested is larger than or equal to the number of available revisions.',
  ],
  rest_revision_invalid_page_number: [400, 'The page number requested is larger than the number of pages available.'],
})
