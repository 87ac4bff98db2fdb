import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  rest_cannot_delete: [403, 'You may not delete the revisions of this post.'],
  rest_post_invalid_parent: [404, 'No post with this ID that supports revisions.'],
  rest_post_invalid_id: [404, 'This post has no revision with this ID.'],
  rest_cannot_read: [403, 'You may not see the revisions of this post.'],
  rest_revision_invalid_offset_number: [400, 'The offset must be less than the number of revisions.'],
  rest_revision_invalid_page_number: [400, 'The list has fewer pages than that.'],
})
