import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  rest_post_invalid_id: [404, 'Invalid post ID.'],
  POSTS_SCOPE_MISSING:
    'The post query has no read scope: pass services.posts.forUser(query, user), or set readScope: null for reads by the site itself.',
  rest_post_exists: [400, 'A new post cannot have an ID: omit id, or update the post with this ID.'],
  rest_cannot_create: [403, 'You may not create posts of this type.'],
  rest_cannot_edit: [403, 'You may not edit this post.'],
  rest_cannot_edit_others: [403, 'You may not create or edit posts as another user.'],
  rest_cannot_delete: [403, 'You may not delete this post.'],
  rest_cannot_publish: [403, 'You may not publish posts of this type: save the post as draft or pending.'],
  rest_cannot_assign_sticky: [403, 'You may not change whether posts are sticky.'],
  rest_cannot_assign_term: [403, 'You may not assign one of the requested terms.'],
  rest_invalid_author: [400, 'Invalid author ID.'],
  rest_invalid_field: [400, (message: string) => message],
  empty_content: [400, 'Title, content and excerpt are empty: set at least one of them.'],
  rest_forbidden_context: [403, 'context=edit requires the right to edit the posts.'],
  rest_forbidden_status: [403, 'You may not list posts with this status.'],
  rest_post_incorrect_password: [403, 'Incorrect post password.'],
  rest_post_too_many_attempts: [
    429,
    (seconds: number) =>
      `Too many wrong passwords for this post from this IP address. Try again in ${seconds} seconds.`,
  ],
  rest_post_invalid_page_number: [400, 'The page number requested is larger than the number of pages available.'],
  rest_no_search_term_defined: [400, 'You need to define a search term to order by relevance.'],
  rest_orderby_include_missing_include: [400, 'You need to define an include parameter to order by include.'],
})
